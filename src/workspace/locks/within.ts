import { AsyncLocalStorage } from 'node:async_hooks';

const current = new AsyncLocalStorage<AbortSignal>();

/**
 * Work of this room that ends when the signal is aborted: every git it has started is ended, none is started any more, and
 * it fails with the reason of the signal. What it does besides git is short.
 */
export const within = <Answer>(signal: AbortSignal, work: () => Promise<Answer>): Promise<Answer> => current.run(signal, work);

/** That of the work this is a part of. */
export const signalHere = (): AbortSignal | undefined => current.getStore();
