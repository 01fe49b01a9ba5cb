import { describe, expect, it } from 'vitest';
import type { Key, Write } from '../port.ts';
import { at, keyOf, put } from './notes.ts';
import type { MakeStorage } from './storage.ts';

const limit = { code: 'limit' };
const invalid = { code: 'invalid' };
const times = (n: number) => Array.from({ length: n }, (_, k) => String(k));
const putAt = (key: Key): Write => ({ op: 'put', key, expect: 'absent', body: 1, entries: [] });

export const limitsConformance = (make: MakeStorage) =>
  describe('limits', () => {
    it('takes a commit as large as it promises, and refuses a larger one', async () => {
      await using storage = await make();
      const store = await storage.open();
      const { writesPerCommit } = store.limits;
      await store.commit(times(writesPerCommit).map((id) => put(id, 'absent')));
      await expect(store.commit(times(writesPerCommit + 1).map((id) => put(`x${id}`, 'absent')))).rejects.toMatchObject(limit);
      expect(await store.get(keyOf('x0'))).toBeUndefined();
    });

    it('refuses two writes of one key, and none at all', async () => {
      await using storage = await make();
      const store = await storage.open();
      await expect(store.commit([put('a', 'absent', 1), put('a', 'absent', 2)])).rejects.toMatchObject(limit);
      await expect(store.commit([])).rejects.toMatchObject(invalid);
    });

    it('takes a row as large as it promises, counted in bytes', async () => {
      await using storage = await make();
      const store = await storage.open();
      const most = 'ü'.repeat((store.limits.bytesPerRow - 2) / 2);
      await store.commit([put('a', 'absent', most)]);
      expect((await store.get(keyOf('a')))?.body).toBe(most);
      await expect(store.commit([put('b', 'absent', `${most}x`)])).rejects.toMatchObject(limit);
    });

    it('takes as many entries as it promises', async () => {
      await using storage = await make();
      const store = await storage.open();
      const { entriesPerRow } = store.limits;
      await store.commit([
        put(
          'a',
          'absent',
          1,
          times(entriesPerRow).map((sort) => at(sort)),
        ),
      ]);
      await expect(
        store.commit([
          put(
            'b',
            'absent',
            1,
            times(entriesPerRow + 1).map((sort) => at(sort)),
          ),
        ]),
      ).rejects.toMatchObject(limit);
    });

    it('refuses a scan of none, of half a row and of more than it promises', async () => {
      await using storage = await make();
      const store = await storage.open();
      const { rowsPerScan } = store.limits;
      await store.scan({ index: 'note.by', limit: rowsPerScan });
      await expect(store.scan({ index: 'note.by', limit: rowsPerScan + 1 })).rejects.toMatchObject(limit);
      for (const n of [0, -1, 1.5, Number.NaN])
        await expect(store.scan({ index: 'note.by', limit: n })).rejects.toMatchObject(invalid);
    });

    it('refuses index text that backends would sort differently', async () => {
      await using storage = await make();
      const store = await storage.open();
      for (const text of ['', 'ü', 'a\nb', '\x7f', '\0', '🚀']) {
        await expect(store.commit([put('a', 'absent', 1, [at(text)])])).rejects.toMatchObject(invalid);
        await expect(store.commit([put('a', 'absent', 1, [at('x', text)])])).rejects.toMatchObject(invalid);
      }
      await expect(store.commit([put('a', 'absent', 1, [at('x'), at('x')])])).rejects.toMatchObject(invalid);
      await expect(store.scan({ index: 'note.by', from: 'ü', limit: 1 })).rejects.toMatchObject(invalid);
    });

    it('refuses keys that are empty or not text', async () => {
      await using storage = await make();
      const store = await storage.open();
      for (const text of ['', 'a\0b', '\ud800', 'x\udc00y']) {
        await expect(store.commit([putAt({ kind: text, id: 'a' })])).rejects.toMatchObject(invalid);
        await expect(store.commit([putAt({ kind: 'note', id: text })])).rejects.toMatchObject(invalid);
        await expect(store.get(keyOf(text))).rejects.toMatchObject(invalid);
      }
    });

    it('refuses a body that is not json', async () => {
      await using storage = await make();
      const store = await storage.open();
      const loop: Record<string, unknown> = {};
      loop['self'] = loop;
      for (const body of [undefined, () => 1, Symbol('x'), 1n, loop]) {
        await expect(store.commit([{ ...putAt(keyOf('a')), body } as Write])).rejects.toMatchObject(invalid);
      }
    });
  });
