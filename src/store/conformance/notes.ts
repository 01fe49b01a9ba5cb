import type { IndexEntry, Key, Store, Version, Write } from '../port.ts';

export const keyOf = (id: string): Key => ({ kind: 'note', id });

export const put = (
  id: string,
  expect: Version | 'absent',
  body: unknown = { id },
  entries: readonly IndexEntry[] = [],
): Write => ({
  op: 'put',
  key: keyOf(id),
  expect,
  body,
  entries,
});

export const at = (sort: string, index = 'note.by'): IndexEntry => ({ index, sort });

/** Puts a note into index `note.by` under each sort; the id is the sort. */
export async function fill(store: Store, sorts: readonly string[]): Promise<void> {
  for (const sort of sorts) await store.commit([put(sort, 'absent', { sort }, [at(sort)])]);
}
