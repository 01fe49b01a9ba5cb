import type { Hit, Query, Store } from '../port.ts';

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

type Range = Pick<Query, 'from' | 'to' | 'reverse'>;

/** Every row of an index or of a range of it, in order, a page at a time. Rows that move meanwhile may be missed or met twice. */
export async function* everyHit(
  store: Pick<Store, 'scan' | 'limits'>,
  index: string,
  { from, to, reverse }: Range = {},
): AsyncGenerator<Hit> {
  const limit = store.limits.rowsPerScan;
  let [first, end] = [from, to];
  for (;;) {
    const hits = await store.scan({
      ...{ index, limit },
      ...(reverse ? { reverse } : {}),
      ...(first === undefined ? {} : { from: first }),
      ...(end === undefined ? {} : { to: end }),
    });
    yield* hits;
    const last = hits.at(-1);
    if (!last || hits.length < limit) return;
    if (reverse) end = last.sort;
    // Nothing sorts between a string and itself followed by the lowest printable character.
    else first = `${last.sort} `;
  }
}

/** The same at once, for what has to be seen as a whole: the rows of one host, all projects, all pauses. */
export async function allHits(store: Pick<Store, 'scan' | 'limits'>, index: string, range: Range = {}): Promise<readonly Hit[]> {
  const found: Hit[] = [];
  for await (const hit of everyHit(store, index, range)) found.push(hit);
  return found;
}

/** The row whose id ends so, newest first, however many there are; `two` where more than one does. */
export async function endingWith(
  store: Pick<Store, 'scan' | 'limits'>,
  index: string,
  tail: string,
): Promise<Hit | 'two' | undefined> {
  let found: Hit | undefined;
  for await (const hit of everyHit(store, index, { reverse: true })) {
    if (!hit.key.id.endsWith(tail)) continue;
    if (found) return 'two';
    found = hit;
  }
  return found;
}
