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

  /** Somebody else committed. */
  hint(): void {
    for (const watcher of this.#watchers) watcher.hint();
  }

  /** A commit went through this store; `by`: the one who made it, if it said so. */
  hintOwn(by: object | undefined): void {
    for (const watcher of this.#watchers)
      if (!watcher.wish.outside && (by === undefined || watcher.wish.except !== by)) watcher.hint();
  }

  watch(signal: AbortSignal, wish: WatchOptions = {}): AsyncIterable<void> {
    if (this.#closed) throw closed();
    const watcher = new Watcher(wish, () => {
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
  readonly wish: WatchOptions;
  readonly #left: () => void;
  #hinted = false;
  #ended = false;
  #waiting: (() => void)[] = [];

  constructor(wish: WatchOptions, left: () => void) {
    this.wish = wish;
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
