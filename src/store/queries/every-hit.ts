import type { Hit, Store } from '../port.ts';

/** How many rows an index has, a page at a time. Rows that move meanwhile may be missed or counted twice. */
export async function countAll(store: Pick<Store, 'count' | 'limits'>, index: string): Promise<number> {
  const limit = store.limits.rowsPerCount;
  let [total, from] = [0, undefined as string | undefined];
  for (;;) {
    const { count, last } = await store.count({ index, limit, ...(from === undefined ? {} : { from }) });
    total += count;
    if (last === undefined || count < limit) return total;
    from = `${last} `;
  }
}

/** Every row of an index, in order, a page at a time. Rows that move meanwhile may be missed or met twice. */
export async function* everyHit(store: Pick<Store, 'scan' | 'limits'>, index: string): AsyncGenerator<Hit> {
  let from: string | undefined;
  for (;;) {
    const hits = await store.scan({ index, limit: store.limits.rowsPerScan, ...(from === undefined ? {} : { from }) });
    yield* hits;
    const last = hits.at(-1);
    if (!last || hits.length < store.limits.rowsPerScan) return;
    // Nothing sorts between a string and itself followed by the lowest printable character.
    from = `${last.sort} `;
  }
}
