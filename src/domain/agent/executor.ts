/** A program that speaks MCP on its standard streams. It holds no secret. */
export interface McpServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** What one run is to do. Everything is a value: an executor reads no clock, no environment and no file. */
export interface Job {
  readonly taskId: string;
  readonly runId: string;
  readonly prompt: string;
  /** The same prompt as a file, for programs whose command line is too short for it. */
  readonly promptFile: string;
  /** Where the agent may leave its report as JSON. */
  readonly resultFile: string;
  /** A file that names Fleet's MCP server for this run, as `{"mcpServers":{"fleet":{"command","args","env"}}}`. */
  readonly mcpConfig?: string | undefined;
  /** The same server, for programs that take it on their command line or in the conversation. */
  readonly mcp?: McpServer | undefined;
  /** MCP servers of the project, by plain name. The agent may use them whatever its tools are. `mcpConfig` holds them too. */
  readonly servers?: Readonly<Record<string, McpServer>> | undefined;
  /** Directory of the run, which holds the files of the launch. It is kept no longer than the run's output. */
  readonly runDirectory: string;
  /** Directory of the notes that later runs of the task read. */
  readonly notesDirectory?: string | undefined;
  readonly workDirectory: string;
  readonly model?: string | undefined;
  readonly effort?: string | undefined;
  readonly systemPrompt?: string | undefined;
  /** The tools the agent may use, in the words of `tools.ts`; absent: all. */
  readonly tools?: readonly string[] | undefined;
  /** It runs in a sandbox of Fleet's, in which no program can make another one. */
  readonly sandboxed?: boolean | undefined;
  /** How often it may go back to its model, and what it may spend in this run. */
  readonly maxTurns?: number | undefined;
  readonly maxBudgetUsd?: number | undefined;
  readonly extraArgs: readonly string[];
  /** The agent's own conversation to resume, if an earlier run named one and the executor can resume. */
  readonly resume?: string | undefined;
  /** Resume a copy of that conversation: the original belongs to another task and must not change. */
  readonly fork: boolean;
}

/** Every MCP server of the job by its name. */
export const mcpServersOf = ({ mcp, servers }: Pick<Job, 'mcp' | 'servers'>): readonly (readonly [string, McpServer])[] => [
  ...(mcp ? [['fleet', mcp] as const] : []),
  ...Object.entries(servers ?? {}),
];

/** Directories outside the workspace that the prompt names, so the agent's file tools must reach them. */
export const extraDirectories = ({ runDirectory, notesDirectory }: Job): readonly string[] =>
  notesDirectory === undefined ? [runDirectory] : [runDirectory, notesDirectory];

/** How to start the program: arguments and names, never a shell line, never a provider's key. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  /** Files that its command runs in turn, by path; they can be read in a sandbox, like the command itself. */
  readonly programs?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Files the program needs in its run directory, by plain name. */
  readonly files: readonly { readonly name: string; readonly text: string }[];
  /** `oneway`: stdin is empty. `twoway`: the program reads lines that Fleet sends. */
  readonly mode: 'oneway' | 'twoway';
}

/** How to start the program for a person in a terminal. */
export type Interactive = Omit<Launch, 'mode'>;

/** The conversation that a person resumes by hand. */
export interface Conversation {
  readonly session: string;
  /** The work directory holds settings of the program that the user did not write: see `Program.placeSettings`. */
  readonly hasPlaceSettings: boolean;
}

/** The events every executor translates its program's lines into. No executor adds types of its own. */
export type AgentEvent =
  | { readonly type: 'opened'; readonly session: string }
  | { readonly type: 'said'; readonly text: string }
  | { readonly type: 'thought'; readonly text: string }
  | { readonly type: 'tool'; readonly id: string; readonly name: string; readonly detail?: string }
  | { readonly type: 'tool-done'; readonly id: string; readonly ok: boolean }
  | {
      readonly type: 'spent';
      /** Tokens not read from a cache, those written into one included; tokens read from a cache are in `cachedTokens`. */
      readonly inputTokens: number;
      readonly outputTokens: number;
      readonly cachedTokens?: number;
      /** The cost as the program states it; without it the price table gives the price of `model`. */
      readonly costUsd?: number;
      readonly model?: string;
    }
  /** How full the model's window is now. */
  | { readonly type: 'context'; readonly tokens: number; readonly limit?: number }
  /** The provider refuses more work, by structured signals of this run alone. The program has given up, or would retry too long. */
  | { readonly type: 'limited'; readonly until?: string; readonly why?: string }
  /** The used share of a quota window of the account, from 0 to 1, and when that window begins again. */
  | { readonly type: 'quota'; readonly window: string; readonly used: number; readonly resets?: string }
  | {
      readonly type: 'asked';
      readonly request: string;
      readonly kind: 'question' | 'permission';
      readonly text: string;
      readonly options: readonly string[];
    }
  /** The agent confirmed that it received message n. */
  | { readonly type: 'heard'; readonly n: number }
  | { readonly type: 'reported'; readonly report: unknown }
  | {
      readonly type: 'ended';
      readonly verdict: Verdict;
      readonly summary: string;
    };

/**
 * How a run went, as the program itself reports it in structured form. `errored` is an accident worth another attempt; `refused`
 * would happen again (an unknown model, a bad request, a refusal of the model).
 */
export const VERDICTS = ['succeeded', 'blocked', 'refused', 'errored', 'auth_required', 'context_full', 'over_budget'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** The result of reducing one line: the next state, the events, and lines to send in return. The state is JSON. */
export interface Step {
  readonly state: unknown;
  readonly events: readonly AgentEvent[];
  readonly send: readonly string[];
  /** The executor does not know this kind of line. Such lines are counted: many of them mean that the program has changed. */
  readonly unknown?: true;
  /** How the executor itself failed. Nothing more can be known of the run, so the run is ended. */
  readonly failed?: string;
}

/** The program behind an executor: how Fleet finds and queries it, and what a person types to repair it. */
export interface Program {
  /** Its command name. */
  readonly command: string;
  /** Arguments that print the version (none: the program is never started for that), and the newest version proved with this executor. */
  readonly versionArgs: readonly string[];
  readonly proved: string;
  /** Commands a person types to install the program and to sign in. */
  readonly install: string;
  readonly login: string;
  /** Environment variables, and files under the home directory, that sign the program in: one of them is enough. */
  readonly keys: readonly string[];
  readonly credentials: readonly string[];
  /** A variable that moves the directory of those files, as `CODEX_HOME` moves `.codex`. */
  readonly moved?: { readonly variable: string; readonly directory: string };
  /** All variables of the program and its providers (`ANTHROPIC_*`): they reach this agent and no other. */
  readonly variables: readonly string[];
  /** A folder of the work directory whose settings may run code. The program reads it unless a person declines. */
  readonly placeSettings?: string;
  /** Paths of the native program for a wrapper at this resolved path, best first: killing a wrapper would leave the program running. */
  native?(wrapper: string): readonly string[];
}

/** What an executor can do. A request that needs more is refused before anything starts. */
export interface Abilities {
  /** Resumes a conversation of its own. */
  readonly resume: boolean;
  /** Resumes a copy of a conversation. */
  readonly fork: boolean;
  /** Takes a message while the agent runs. */
  readonly steer: boolean;
  /** Can ask people questions or for permission. */
  readonly ask: boolean;
  /** Reports the tokens it used. */
  readonly usage: boolean;
  /** Reports how full the window is. */
  readonly context: boolean;
  /** Takes Fleet's MCP server. */
  readonly mcp: boolean;
  /** Enforces a restriction of tools. */
  readonly tools: boolean;
}

/**
 * The adapter to one coding-agent program: pure functions and a table of abilities. A line without meaning leaves the state
 * unchanged and yields no events; no output of a program makes the executor throw.
 */
export interface Executor {
  readonly name: string;
  readonly can: Abilities;
  /** Absent if the program is Fleet's own. */
  readonly program?: Program;
  /** Arguments that only print the program's version, for an executor without `program`. */
  readonly versionArgs?: readonly string[];
  /** Variables of providers that reach the agent, for an executor without `program`. */
  readonly variables?: readonly string[];
  /** The lines are plain text for people, so decoding them gains nothing. */
  readonly prints?: 'text';
  /** Size of the model's window if the program does not report it. */
  readonly contextLimit?: number;
  launch(job: Job): Launch;
  /**
   * The same program for a person who resumes one of its conversations; the program must ask nothing before it opens it. Absent
   * if there is no such mode. Its files go into the run directory of the job; no prompt is given, and Fleet's server is not attached.
   */
  interactive?(job: Job, conversation: Conversation): Interactive;
  /** The state before the first line of output, and the lines that open the conversation. */
  begin(job: Job): Step;
  step(state: unknown, line: string): Step;
  /** Sends a message to the running agent; undefined if the agent cannot take one. */
  say(state: unknown, message: { readonly n: number; readonly text: string }): Step | undefined;
  /** Sends the answer to a request of the agent. */
  answer(state: unknown, request: string, text: string): Step | undefined;
  /** Events that follow from the exit code alone: for a program that only prints text, the code says how it went. */
  exit(state: unknown, code: number): readonly AgentEvent[];
}
