import type { Abilities, Launch, Program } from '../../domain/agent/executor.ts';
import type { Job } from '../executor.ts';
import type { State } from './state.ts';
import type { Next } from './updates.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What one program that speaks the protocol has of its own. */
export interface AcpAgent {
  readonly name: string;
  readonly can: Abilities;
  readonly program?: Program;
  readonly versionArgs?: readonly string[];
  readonly contextLimit?: number;
  /** What a person types to sign in. */
  readonly login: string;
  /** Messages are lines on its standard input and output: nothing else is said of the mode. */
  launch(job: Job): Omit<Launch, 'mode'>;
  /** Its model is chosen by its command line; otherwise it is asked for in the conversation. */
  readonly modelAtLaunch: boolean;
  /** Fleet's server is named by its command line; otherwise it is named when the conversation is opened. */
  readonly mcpAtLaunch?: boolean;
  /** It tells the past of a loaded conversation after it has said that it is loaded: a prompt that it answers by itself, and after the past. */
  readonly afterPast?: string;
  /** The tool of an MCP server that it asks leave for, as `mcp__SERVER__TOOL`; undefined when it is no such call. */
  serverToolIn?(call: Fields): string | undefined;
  /** The command it asks leave for, where it stands in no field of its own. */
  commandIn?(call: Fields): string | undefined;
  /** A choice of no ends its turn, whatever it says after it. */
  readonly endsAtNo?: boolean;
  /** It says of every turn what it took, but for one that failed. */
  readonly failsWithoutUsage?: boolean;
  /** Where it has put the status of its provider, when that stands in no field of its own. */
  statusIn?(error: Fields): number | undefined;
  /** How it tells what a turn took, where the protocol has no field for it. */
  usageIn?(result: Fields): Usage | undefined;
  /** What its own notices mean, by method. */
  readonly notices?: Readonly<Record<string, (state: State, params: Fields) => Next>>;
  /** What it took is told by its notices, of each time that it goes back to its model. */
  readonly tellsSteps?: boolean;
}

export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens?: number;
  readonly model?: string;
}
