/** What an agent can have around it on this machine. */
export interface AgentSetup {
  /** Why no sandbox can be made on this machine, and what to do about it; undefined when one can. */
  sandboxProblem(): Promise<string | undefined>;
  /** Whether agents of an executor can be given MCP servers. */
  takesServers(ref: string): Promise<boolean>;
  /** Why context mode cannot be had on this machine, and what to do about it; undefined when it can. */
  contextModeProblem(): Promise<string | undefined>;
}
