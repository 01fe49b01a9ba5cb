import type { z } from 'zod';
import type { OperationName, OperationOf } from './index.ts';

export interface CallOptions {
  /** Idempotency key: a command with the same key and input is carried out once, and gets the same answer each time. */
  readonly key?: string;
}

export type InputOf<Name extends OperationName> = z.input<OperationOf<Name>['input']>;
export type OutputOf<Name extends OperationName> = z.output<OperationOf<Name>['output']>;

/** Calls an operation, in process or over a wire. Refusals are thrown as Fault. */
export type Call = <Name extends OperationName>(
  name: Name,
  input: InputOf<Name>,
  options?: CallOptions,
) => Promise<OutputOf<Name>>;
