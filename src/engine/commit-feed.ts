import type { Store, Version, Write } from '../store/port.ts';

export interface CommitReader {
  /** The engine itself has committed these writes: every row they put has this version now. */
  own(writes: readonly Write[], version: Version): void;
  /** Anything may have changed: somebody else has written, or a commit of ours has failed. */
  other(): void;
}

/**
 * What happens to the store while an engine runs. Whoever keeps a picture of some rows learns here what to change in it,
 * and when to look again. A picture saves reads and decides nothing: every write still states what it believes.
 */
export class CommitFeed {
  readonly #readers = new Set<CommitReader>();

  subscribe(reader: CommitReader): void {
    this.#readers.add(reader);
  }

  own(writes: readonly Write[], version: Version): void {
    for (const reader of this.#readers) reader.own(writes, version);
  }

  readonly other = (): void => {
    for (const reader of this.#readers) reader.other();
  };
}

/**
 * The store as the engine uses it. Every write is conditional on its lease: an engine that was given up for dead cannot
 * act. What it writes is news to its own controllers at once, without a look.
 */
export function engineStore(store: Store, fence: () => Write, news: CommitFeed): Store {
  const commit: Store['commit'] = async (writes, options) => {
    try {
      const version = await store.commit([...writes, fence()], { ...options, by: news });
      news.own(writes, version);
      return version;
    } catch (error) {
      news.other();
      throw error;
    }
  };
  return {
    limits: store.limits,
    get: (key) => store.get(key),
    scan: (query) => store.scan(query),
    count: (query) => store.count(query),
    commit,
    watch: (signal) => store.watch(signal, { except: news }),
    close: () => store.close(),
  };
}
