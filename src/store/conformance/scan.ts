import { describe, expect, it } from 'vitest';
import type { Query, Store } from '../port.ts';
import { at, fill, keyOf, put } from './notes.ts';
import type { MakeStorage } from './storage.ts';

const sorts = ['a/1', 'a/2', 'b/1', 'b/2', 'c/1'];

const found = async (store: Store, query: Partial<Query> = {}): Promise<string[]> =>
  (await store.scan({ index: 'note.by', limit: 100, ...query })).map(({ sort }) => sort);

export const scanConformance = (make: MakeStorage) =>
  describe('scan', () => {
    it('returns rows in the order of their sort, with version and body', async () => {
      await using storage = await make();
      const store = await storage.open();
      await fill(store, sorts.toReversed());
      expect(await found(store)).toEqual(sorts);
      const [first] = await store.scan({ index: 'note.by', limit: 1 });
      expect(first).toEqual({ ...(await store.get(keyOf('a/1'))), sort: 'a/1' });
    });

    it('sorts by character code, not by any language', async () => {
      await using storage = await make();
      const store = await storage.open();
      const odd = [' ', '!', '/', '0', '10', '2', 'A', 'Z', '_', 'a', 'aa', '~'];
      await fill(store, odd.toReversed());
      expect(await found(store)).toEqual(odd);
      expect(await found(store, { reverse: true })).toEqual(odd.toReversed());
    });

    it('includes the lower bound and excludes the upper', async () => {
      await using storage = await make();
      const store = await storage.open();
      await fill(store, sorts);
      expect(await found(store, { from: 'a/2', to: 'b/2' })).toEqual(['a/2', 'b/1']);
      expect(await found(store, { from: 'a/2', to: 'b/2', reverse: true })).toEqual(['b/1', 'a/2']);
      expect(await found(store, { from: 'b/' })).toEqual(['b/1', 'b/2', 'c/1']);
      expect(await found(store, { to: 'b/' })).toEqual(['a/1', 'a/2']);
      expect(await found(store, { from: 'c', to: 'a' })).toEqual([]);
      expect(await found(store, { from: 'c', to: 'a', reverse: true })).toEqual([]);
    });

    it('pages up and down without loss or repetition', async () => {
      await using storage = await make();
      const store = await storage.open();
      const many = Array.from({ length: 23 }, (_, n) => `n/${String(n).padStart(3, '0')}`);
      await fill(store, many);
      expect(await pages(store, (last) => ({ from: `${last} ` }))).toEqual(many);
      expect(await pages(store, (last) => (last === '' ? { reverse: true } : { to: last, reverse: true }))).toEqual(
        many.toReversed(),
      );
    });

    it('counts what it would return, page by page, and says where it has come to', async () => {
      await using storage = await make();
      const store = await storage.open();
      await fill(store, sorts);
      const count = (query: Partial<Query> = {}) => store.count({ index: 'note.by', limit: 100, ...query });
      expect(await count()).toEqual({ count: 5, last: 'c/1' });
      expect(await count({ limit: 2 })).toEqual({ count: 2, last: 'a/2' });
      expect(await count({ from: 'a/2 ', limit: 2 })).toEqual({ count: 2, last: 'b/2' });
      expect(await count({ from: 'a/2', to: 'b/2' })).toEqual({ count: 2, last: 'b/1' });
      expect(await count({ from: 'd' })).toEqual({ count: 0 });
      expect(await store.count({ index: 'note.none', limit: 1 })).toEqual({ count: 0 });
      const most = store.limits.rowsPerCount;
      await expect(count({ limit: most + 1 })).rejects.toMatchObject({ code: 'limit' });
      await expect(count({ limit: 0 })).rejects.toMatchObject({ code: 'invalid' });
    });

    it('moves a row through the indexes as it changes, and out of them when it goes', async () => {
      await using storage = await make();
      const store = await storage.open();
      const first = await store.commit([put('a', 'absent', 1, [at('x'), at('z'), at('k', 'note.other')])]);
      expect(await found(store)).toEqual(['x', 'z']);
      const second = await store.commit([put('a', first, 2, [at('y'), at('z')])]);
      expect(await found(store)).toEqual(['y', 'z']);
      expect((await store.scan({ index: 'note.by', limit: 5 })).map(({ body }) => body)).toEqual([2, 2]);
      expect(await found(store, { index: 'note.other' })).toEqual([]);
      await store.commit([{ op: 'delete', key: keyOf('a'), expect: second }]);
      expect(await found(store)).toEqual([]);
      await store.commit([put('a', 'absent', 3, [at('z')])]);
      expect(await found(store)).toEqual(['z']);
    });

    it('lets several rows share one place', async () => {
      await using storage = await make();
      const store = await storage.open();
      for (const id of ['a', 'b', 'c']) await store.commit([put(id, 'absent', id, [at('same')])]);
      const bodies = (await store.scan({ index: 'note.by', limit: 5 })).map(({ body }) => body);
      expect(new Set(bodies)).toEqual(new Set(['a', 'b', 'c']));
    });
  });

async function pages(store: Store, next: (last: string) => Partial<Query>): Promise<string[]> {
  const seen: string[] = [];
  for (;;) {
    const page = await found(store, { limit: 5, ...next(seen.at(-1) ?? '') });
    if (page.length === 0) return seen;
    seen.push(...page);
  }
}
