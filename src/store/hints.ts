import { closed } from './assert-writes.ts';
import type { WatchOptions } from './port.ts';

/**
 * Hands one "look" to any number of watchers. Each has room for a single hint, so hints merge and nothing grows.
 *
 * A watcher listens from the moment `watch` is called, not from its first `next`: a commit in between is not lost.
 */
export class Hints {
  readonly #watchers = new Set<Watcher>();
  readonly #onCount: (count: number) => void;
  #closed = false;

  constructor(onCount: (count: number) => void = () => {}) {
    this.#onCount = onCount;
  }

  /** `by`: the one who committed, if it said so. */
  hint(by?: object): void {
    for (const watcher of this.#watchers) if (by === undefined || watcher.except !== by) watcher.hint();
  }

  watch(signal: AbortSignal, { except }: WatchOptions = {}): AsyncIterable<void> {
    if (this.#closed) throw closed();
    const watcher = new Watcher(except, () => {
      signal.removeEventListener('abort', watcher.end);
      if (this.#watchers.delete(watcher)) this.#onCount(this.#watchers.size);
    });
    if (signal.aborted) {
      watcher.end();
      return watcher;
    }
    this.#watchers.add(watcher);
    signal.addEventListener('abort', watcher.end, { once: true });
    this.#onCount(this.#watchers.size);
    return watcher;
  }

  close(): void {
    this.#closed = true;
    for (const watcher of this.#watchers) watcher.end();
  }
}

class Watcher implements AsyncIterableIterator<void> {
  readonly except: object | undefined;
  readonly #left: () => void;
  #hinted = false;
  #ended = false;
  #waiting: (() => void)[] = [];

  constructor(except: object | undefined, left: () => void) {
    this.except = except;
    this.#left = left;
  }

  hint(): void {
    this.#hinted = true;
    this.#wake();
  }

  readonly end = (): void => {
    if (this.#ended) return;
    this.#ended = true;
    this.#left();
    this.#wake();
  };

  async next(): Promise<IteratorResult<void>> {
    while (!this.#ended && !this.#hinted) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (this.#ended) return { done: true, value: undefined };
    this.#hinted = false;
    return { done: false, value: undefined };
  }

  async return(): Promise<IteratorResult<void>> {
    this.end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
