/** A program that speaks MCP on its standard input and output. No secret is in it. */
export interface McpServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

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
  /** The same server, for programs that are told on their command line or in the conversation. */
  readonly mcp?: McpServer | undefined;
  /** Servers of the project, by plain names, that it gets besides and may use whatever its tools are. They are in `mcpConfig` too. */
  readonly servers?: Readonly<Record<string, McpServer>> | undefined;
  /** Directory of the run: files of the launch lie there. Nothing in it is kept for longer than the run's output. */
  readonly runDirectory: string;
  /** Where it finds and leaves notes for whoever works on the task after it. */
  readonly notesDirectory?: string | undefined;
  readonly workDirectory: string;
  readonly model?: string | undefined;
  readonly effort?: string | undefined;
  readonly systemPrompt?: string | undefined;
  /** What it may use, in the words of `tools.ts`; absent: everything. */
  readonly tools?: readonly string[] | undefined;
  /** It runs in a sandbox of Fleet's, in which no program can make another one. */
  readonly sandboxed?: boolean | undefined;
  /** How often it may go back to its model, and what it may spend in this run. */
  readonly maxTurns?: number | undefined;
  readonly maxBudgetUsd?: number | undefined;
  readonly extraArgs: readonly string[];
  /** The agent's own conversation to go on with, when it said one and the executor can. */
  readonly resume?: string | undefined;
  /** Go on with a copy of that conversation: it belongs to another task, and stays as it is. */
  readonly fork: boolean;
}

/** Every server of the job under its name. */
export const serversOf = ({ mcp, servers }: Pick<Job, 'mcp' | 'servers'>): readonly (readonly [string, McpServer])[] => [
  ...(mcp ? [['fleet', mcp] as const] : []),
  ...Object.entries(servers ?? {}),
];

/** Outside of its workspace, what it is told about and must reach with whatever it reads and writes files by. */
export const placesBeside = ({ runDirectory, notesDirectory }: Job): readonly string[] =>
  notesDirectory === undefined ? [runDirectory] : [runDirectory, notesDirectory];

/** How to start the program: arguments and names, never a shell line, never a provider's key. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  /** Files that its command runs in turn, by path; they can be read in a sandbox, like the command itself. */
  readonly programs?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Files it needs inside its run directory, by plain name. */
  readonly files: readonly { readonly name: string; readonly text: string }[];
  /** `oneway`: stdin is empty. `twoway`: it reads the lines Fleet sends. */
  readonly mode: 'oneway' | 'twoway';
}

/** The program as a person uses it, in a terminal. */
export type Interactive = Omit<Launch, 'mode'>;

/** What a person goes on with, by hand. */
export interface Conversation {
  readonly session: string;
  /** The place of work holds settings for the program that are not the user's: see `Program.placeSettings`. */
  readonly hasPlaceSettings: boolean;
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
      /** Read anew, what was written into a cache included; what was read from a cache is `cachedTokens`, besides. */
      readonly inputTokens: number;
      readonly outputTokens: number;
      readonly cachedTokens?: number;
      /** What the program itself says it cost; without it the price table is asked about `model`. */
      readonly costUsd?: number;
      readonly model?: string;
    }
  /** How full its window is now. */
  | { readonly type: 'context'; readonly tokens: number; readonly limit?: number }
  /** Its provider refuses more work, from structured signals of this run alone. The program has given up, or will not in time. */
  | { readonly type: 'limited'; readonly until?: string; readonly why?: string }
  /** Which share of a window of its account is used, from 0 to 1, and when that window begins again. */
  | { readonly type: 'quota'; readonly window: string; readonly used: number; readonly resets?: string }
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
      readonly verdict: Verdict;
      readonly summary: string;
    };

/**
 * How a run went, by the program's own structured word. `errored` is an accident worth another attempt; `refused` will be
 * the same again (an unknown model, a bad request, a refusal of the model).
 */
export const VERDICTS = ['succeeded', 'blocked', 'refused', 'errored', 'auth_required', 'context_full', 'over_budget'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** What follows from one line: the next state, what happened, and lines to send in return. The state is JSON. */
export interface Step {
  readonly state: unknown;
  readonly events: readonly AgentEvent[];
  readonly send: readonly string[];
  /** The executor has never heard of such a line: such lines are counted, because they tell that the program has changed. */
  readonly unknown?: true;
  /** The executor itself has failed, and how: nothing can be known of this run any more, and it is ended. */
  readonly failed?: string;
}

/** The program behind an executor: how it is found and asked, and what a person does when something is amiss. */
export interface Program {
  /** As it is called on the command line. */
  readonly command: string;
  /** What it prints its version for (none: it is never started to be asked), and the newest one that was proved with this executor. */
  readonly versionArgs: readonly string[];
  readonly proved: string;
  /** Commands for a person. */
  readonly install: string;
  readonly login: string;
  /** Environment variables that sign it in, and files under the home directory that do: one of them is enough. */
  readonly keys: readonly string[];
  readonly credentials: readonly string[];
  /** A variable that moves the directory under the home in which it keeps those files, as `CODEX_HOME` moves `.codex`. */
  readonly moved?: { readonly variable: string; readonly directory: string };
  /** All variables that belong to it and its providers (`ANTHROPIC_*`): they reach it and no other agent. */
  readonly variables: readonly string[];
  /** A folder in a place of work whose settings may run code, and which it cannot be told to leave alone unless a person says so. */
  readonly placeSettings?: string;
  /** Where the native program lies beside the wrapper of this path (resolved), best first: a wrapper that is killed leaves it running. */
  native?(wrapper: string): readonly string[];
}

/** What an executor can do. Whoever asks for more is told before anything starts. */
export interface Abilities {
  /** Goes on with a conversation of its own. */
  readonly resume: boolean;
  /** Goes on with a copy of one. */
  readonly fork: boolean;
  /** Takes a message while it runs. */
  readonly steer: boolean;
  /** Asks people: questions, or for permission. */
  readonly ask: boolean;
  /** Says what it spent. */
  readonly usage: boolean;
  /** Says how full its window is. */
  readonly context: boolean;
  /** Takes Fleet's MCP server. */
  readonly mcp: boolean;
  /** A restriction of tools is a restriction. */
  readonly tools: boolean;
}

/**
 * Our adapter to one coding-agent program: three pure functions and a table. A line that means nothing to it yields an
 * unchanged state and no events; nothing a program prints makes it throw.
 */
export interface Executor {
  readonly name: string;
  readonly can: Abilities;
  /** Absent where the program is Fleet's own. */
  readonly program?: Program;
  /** Arguments its program prints its version for and does nothing else, where it has no `program` to say so. */
  readonly versionArgs?: readonly string[];
  /** Variables of providers that reach it, where it has no `program` to say so. */
  readonly variables?: readonly string[];
  /** Its lines are words for people, and all it says: nothing is gained by decoding them. */
  readonly prints?: 'text';
  /** Size of the model's window where the program does not say. */
  readonly contextLimit?: number;
  launch(job: Job): Launch;
  /**
   * The same program for a person who goes on with one of its conversations: nothing asks before it is there. Absent where it
   * has no such form. Files of it lie in the run directory of the job; no prompt is given, and Fleet's server is not attached.
   */
  interactive?(job: Job, conversation: Conversation): Interactive;
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
