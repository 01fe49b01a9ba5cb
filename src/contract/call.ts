import type { z } from 'zod';
import type { Named, OperationName } from './index.ts';

export interface CallOptions {
  /** Idempotency key: a command with the same key and input is carried out once, and gets the same answer each time. */
  readonly key?: string;
}

export type Input<Name extends OperationName> = z.input<Named<Name>['input']>;
export type Output<Name extends OperationName> = z.output<Named<Name>['output']>;

/** Calls an operation, in process or over a wire. Refusals are thrown as Fault. */
export type Call = <Name extends OperationName>(name: Name, input: Input<Name>, options?: CallOptions) => Promise<Output<Name>>;
