import type { MessagePort } from 'node:worker_threads';

/** The start data of a module's thread. */
export interface ModuleThreadInput {
  /** URL of the module. */
  readonly url: string;
  readonly port: MessagePort;
  /** One number: 1 once a reply is ready. */
  readonly signal: Int32Array;
}

export interface ModuleCall {
  readonly name: string;
  readonly args: readonly unknown[];
}

/** The first reply describes the module itself. Values are JSON text, so only plain values come out of a module. */
export type ModuleReply = { readonly value: string | undefined } | { readonly problem: string };
