/** What one run is asked to do. Everything is a value: an executor reads no clock, no environment and no file. */
export interface Job {
  readonly taskId: string;
  readonly runId: string;
  readonly prompt: string;
  /** The same prompt as a file, for programs whose command line is too short for it. */
  readonly promptFile: string;
  /** Where a program may leave its report as JSON. */
  readonly resultFile: string;
  /** A file that names Fleet's MCP server for this run, as `{"mcpServers":{"fleet":{"command","args","env"}}}`. */
  readonly mcpConfig?: string | undefined;
  readonly workDirectory: string;
  readonly model?: string | undefined;
  readonly effort?: string | undefined;
  readonly systemPrompt?: string | undefined;
  readonly extraArgs: readonly string[];
  /** The agent's own conversation to go on with, when it said one and the executor can. */
  readonly resume?: string | undefined;
  /** Go on with a copy of that conversation: it belongs to another task, and stays as it is. */
  readonly fork: boolean;
}

/** How to start the program: arguments and names, never a shell line, never a provider's key. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Files it needs inside its run directory, by plain name. */
  readonly files: readonly { readonly name: string; readonly text: string }[];
  /** `oneway`: stdin is empty. `twoway`: it reads the lines Fleet sends. */
  readonly mode: 'oneway' | 'twoway';
}

/** The one vocabulary the rest of the house speaks. No executor adds words; it translates or stays silent. */
export type AgentEvent =
  | { readonly type: 'opened'; readonly session: string }
  | { readonly type: 'said'; readonly text: string }
  | { readonly type: 'thought'; readonly text: string }
  | { readonly type: 'tool'; readonly id: string; readonly name: string; readonly detail?: string }
  | { readonly type: 'tool-done'; readonly id: string; readonly ok: boolean }
  | {
      readonly type: 'spent';
      readonly inputTokens: number;
      readonly outputTokens: number;
      readonly cachedTokens?: number;
      readonly costUsd?: number;
    }
  /** How full its window is now. */
  | { readonly type: 'context'; readonly tokens: number; readonly limit?: number }
  /** Its provider refuses more work, from structured signals of this run alone. */
  | { readonly type: 'limited'; readonly until?: string }
  | {
      readonly type: 'asked';
      readonly request: string;
      readonly kind: 'question' | 'permission';
      readonly text: string;
      readonly options: readonly string[];
    }
  /** The agent itself confirmed that message n reached it. */
  | { readonly type: 'heard'; readonly n: number }
  | { readonly type: 'reported'; readonly report: unknown }
  | {
      readonly type: 'ended';
      readonly verdict: 'succeeded' | 'blocked' | 'refused' | 'errored' | 'auth_required';
      readonly summary: string;
    };

/** What follows from one line: the next state, what happened, and lines to send in return. The state is JSON. */
export interface Step {
  readonly state: unknown;
  readonly events: readonly AgentEvent[];
  readonly send: readonly string[];
}

/**
 * Our adapter to one coding-agent program: three pure functions and a table. A line that means nothing to it yields an
 * unchanged state and no events; nothing a program prints makes it throw.
 */
export interface Executor {
  readonly name: string;
  readonly can: { readonly resume: boolean; readonly steer: boolean; readonly ask: boolean; readonly usage: boolean };
  /** Size of the model's window where the program does not say. */
  readonly contextLimit?: number;
  launch(job: Job): Launch;
  /** The state before the first line, and the lines that open the conversation. */
  begin(job: Job): Step;
  step(state: unknown, line: string): Step;
  /** A message to the running agent; undefined when it cannot take one. */
  say(state: unknown, message: { readonly n: number; readonly text: string }): Step | undefined;
  /** The answer to a request of the agent. */
  answer(state: unknown, request: string, text: string): Step | undefined;
  /** What its exit says that its lines did not: a program that only prints text has ended well when it says so by its code. */
  exit(state: unknown, code: number): readonly AgentEvent[];
}
