import type { Call, CallOptions } from '../../contract/call.ts';
import type { OperationName } from '../../contract/index.ts';
import type { Command } from './command.ts';
import type { CliDeps, Io } from './deps.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { view } from './views/views.ts';

/** One command with its values, ready to be carried out. */
export interface Order {
  readonly command: Command;
  readonly input: Readonly<Record<string, unknown>>;
  readonly local: Readonly<Record<string, unknown>>;
  readonly json: boolean;
  readonly key: string | undefined;
  readonly io: Io;
  readonly call: Call;
  /** Starts the engine when none runs; says that it did. */
  ensureEngine?(): Promise<string | undefined>;
  /** Starts a program in this terminal and waits for it; answers its exit code. */
  inTerminal?: CliDeps['inTerminal'];
}

/**
 * What is left to print, and how the program ends when not well. `written`: the flow has printed it already. `handed-over`:
 * another program has the terminal from now on, and nothing of the house is held open meanwhile.
 */
export type Result = { readonly code?: number } & (
  | { readonly kind: 'answer'; readonly value: unknown; text(): string }
  | { readonly kind: 'written' }
  | { readonly kind: 'handed-over'; start(): Promise<number> }
);

export const answered = (order: Order, operation: OperationName, value: unknown): Result => ({
  kind: 'answer',
  ...(isBadNews(operation, value) ? { code: EXIT_CODES.unavailable } : {}),
  value,
  text: () => view(operation, value, { ...order.io, input: order.input }),
});

/** The input was put together from the table; `call` is the one that checks it against the schema. */
export function ask(order: Order, operation: OperationName, input: Readonly<Record<string, unknown>>): Promise<unknown> {
  const call = order.call as (name: OperationName, input: unknown, options?: CallOptions) => Promise<unknown>;
  return call(operation, input, order.key === undefined ? {} : { key: order.key });
}

/** An answer that says something is broken: whoever goes by the exit code alone must not take it for well. */
const isBadNews = (operation: OperationName, value: unknown): boolean =>
  operation === 'db.check' && (value as { readonly ok?: unknown }).ok === false;
