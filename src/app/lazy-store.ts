import type { Store, StoreLimits } from '../store/port.ts';

/**
 * A store that is opened when it is first needed: commands that care for the database itself must work on one that
 * cannot be opened.
 */
export function lazyStore(limits: StoreLimits, open: () => Promise<Store>): Store & { readonly opened: () => Promise<Store> } {
  let opening: Promise<Store> | undefined;
  let store: Store | undefined;
  const opened = () => {
    opening ??= open().then((made) => {
      store = made;
      return made;
    });
    return opening;
  };
  return {
    limits,
    opened,
    get: async (key) => (await opened()).get(key),
    scan: async (query) => (await opened()).scan(query),
    count: async (query) => (await opened()).count(query),
    commit: async (writes, options) => (await opened()).commit(writes, options),
    async *watch(signal, options) {
      yield* (await opened()).watch(signal, options);
    },
    revision: () => store?.revision?.(),
    close: async () => {
      // One that could not be opened has nothing to close; whoever needed it was told.
      await (await opening?.catch(() => undefined))?.close();
    },
  };
}
