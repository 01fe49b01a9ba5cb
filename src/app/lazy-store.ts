import type { Store, StoreLimits } from '../store/port.ts';

/**
 * A store that is opened when it is first needed: commands that care for the database itself must work on one that
 * cannot be opened.
 */
export function lazyStore(limits: StoreLimits, open: () => Promise<Store>): Store & { readonly opened: () => Promise<Store> } {
  let opening: Promise<Store> | undefined;
  const opened = () => {
    opening ??= open();
    return opening;
  };
  return {
    limits,
    opened,
    get: async (key) => (await opened()).get(key),
    scan: async (query) => (await opened()).scan(query),
    commit: async (writes, options) => (await opened()).commit(writes, options),
    async *watch(signal, options) {
      yield* (await opened()).watch(signal, options);
    },
    close: async () => {
      // One that could not be opened has nothing to close; whoever needed it was told.
      const store = await opening?.catch(() => undefined);
      await store?.close();
    },
  };
}
