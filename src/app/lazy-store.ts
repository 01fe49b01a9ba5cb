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
    get: (key) => store?.get(key) ?? opened().then((made) => made.get(key)),
    scan: (query) => store?.scan(query) ?? opened().then((made) => made.scan(query)),
    count: (query) => store?.count(query) ?? opened().then((made) => made.count(query)),
    commit: (writes, options) => store?.commit(writes, options) ?? opened().then((made) => made.commit(writes, options)),
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
