import type { Abilities, Launch, Program } from '../../domain/agent/executor.ts';
import type { Job } from '../executor.ts';
import type { RpcId } from './rpc.ts';
import type { State } from './state.ts';
import type { Next } from './updates.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What one program that speaks the protocol has of its own. */
export interface AcpAgent {
  readonly name: string;
  readonly can: Abilities;
  readonly program?: Program;
  readonly contextLimit?: number;
  /** What a person types to sign in. */
  readonly login: string;
  /** Messages are lines on its standard input and output: nothing else is said of the mode. */
  launch(job: Job): Omit<Launch, 'mode'>;
  /** Its model is chosen by its command line; otherwise it is asked for in the conversation. */
  readonly modelAtLaunch: boolean;
  /** Whether a call, as it asks leave for it, is one of a tool of Fleet's own. */
  isFleetTool?(call: Fields): boolean;
  /** The command it asks leave for, where it stands in no field of its own. */
  commandIn?(call: Fields): string | undefined;
  /** How it tells what a turn took, where the protocol has no field for it. */
  usageIn?(result: Fields): Usage | undefined;
  /** Requests of its own that are answered, by method. */
  readonly answers?: Readonly<Record<string, (id: RpcId) => string>>;
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
