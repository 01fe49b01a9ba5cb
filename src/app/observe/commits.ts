import type { Store, Write } from '../../store/port.ts';

type Reader = (writes: readonly Write[]) => void;

/** Tells what this process has committed, after it was: whoever counts or traces is never in the way of who writes. */
export class Commits {
  readonly #readers = new Map<Reader, (error: unknown) => void>();

  /** Whatever the reader throws goes to `onError`: a commit that has happened cannot fail any more. */
  tell(reader: Reader, onError: (error: unknown) => void): () => void {
    this.#readers.set(reader, onError);
    return () => void this.#readers.delete(reader);
  }

  heard(store: Store): Store {
    return {
      limits: store.limits,
      get: (key) => store.get(key),
      scan: (query) => store.scan(query),
      count: (query) => store.count(query),
      commit: async (writes, options) => {
        const version = await store.commit(writes, options);
        for (const [reader, onError] of this.#readers)
          try {
            reader(writes);
          } catch (error) {
            onError(error);
          }
        return version;
      },
      watch: (signal, options) => store.watch(signal, options),
      revision: () => store.revision?.(),
      close: () => store.close(),
    };
  }
}
