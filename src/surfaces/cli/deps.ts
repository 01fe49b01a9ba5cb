import type { Call, OutputOf } from '../../contract/call.ts';
import type { CommandTable } from './command.ts';

/** What the command line may touch of the world. */
export interface Io {
  /** Resolves when the text is on its way; rejects with EPIPE when the reader has gone. */
  out(text: string): void | Promise<void>;
  err(text: string): void | Promise<void>;
  stdin(): AsyncIterable<Uint8Array | string>;
  /** Whether a person looks at standard output. */
  readonly isTty: boolean;
  /** Whether a person types on standard input. */
  readonly isTyped: boolean;
  readonly colour: boolean;
  /** Width to keep to; Infinity when nobody looks. */
  readonly columns: number;
  /** Lines that can be drawn over; Infinity when nobody looks. */
  readonly rows: number;
  readonly cwd: string;
  /** The directory of the caller was deleted: `cwd` is the name it had. */
  readonly cwdIsGone?: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds on a clock that never jumps. */
  elapsed(): number;
  pause(ms: number): Promise<void>;
}

export type CliEnv = Io['env'];

export interface CliConnection {
  readonly call: Call;
  close(): Promise<void>;
}

/** A command that is no operation, like `fleet up`. */
export interface CliProgram {
  readonly summary: string;
  /** What follows its name, like `[--port N]`. */
  readonly usage: string;
  readonly examples?: readonly string[];
  run(args: readonly string[], io: Io): Promise<number>;
}

export interface CliDeps {
  readonly table: CommandTable;
  readonly version: string;
  /** Opens the way to the operations. The environment already carries `--home` as FLEET_HOME. */
  open(env: CliEnv): Promise<CliConnection>;
  /** Starts the engine of the home when none runs; says in a few words that it did. */
  ensureEngine?(env: CliEnv): Promise<string | undefined>;
  /** Starts the program of an agent in this terminal and waits for it; answers its exit code. */
  inTerminal?(start: OutputOf<'task.open'>, env: CliEnv): Promise<number>;
  /** What `fleet` says without a word: what is here, and what to type next. Help, where it is not given. */
  here?(io: Io, json: boolean): Promise<number>;
  readonly programs: Readonly<Record<string, CliProgram>>;
  readonly io: Io;
}
