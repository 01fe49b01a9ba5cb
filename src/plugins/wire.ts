import type { MessagePort } from 'node:worker_threads';

/** What the thread of a module is given. */
export interface ModuleInput {
  /** The module, as an address. */
  readonly url: string;
  readonly port: MessagePort;
  /** One number: 1 when there is a reply to take. */
  readonly signal: Int32Array;
}

export interface Question {
  readonly name: string;
  readonly args: readonly unknown[];
}

/** The first reply is about the module itself. Values travel as JSON text: nothing but plain values comes out of a module. */
export type Reply = { readonly value: string | undefined } | { readonly problem: string };
