import { describe, expect, it } from 'vitest';
import { keyOf, put } from './notes.ts';
import type { MakeStorage } from './storage.ts';

const conflict = { code: 'conflict' };

export const commitConformance = (make: MakeStorage) =>
  describe('commit', () => {
    it('keeps what it was given, under the version it returns', async () => {
      await using storage = await make();
      const store = await storage.open();
      const body = { text: 'grüße \u0000 "\' 🚀', nested: { list: [1, null, true, { deep: -0.5 }] }, __proto__x: 1 };
      const version = await store.commit([put('a', 'absent', body)]);
      expect(await store.get(keyOf('a'))).toEqual({ key: keyOf('a'), version, body });
      expect(await store.get(keyOf('b'))).toBeUndefined();
    });

    it('gives every row of one commit the same version', async () => {
      await using storage = await make();
      const store = await storage.open();
      const version = await store.commit([put('a', 'absent'), put('b', 'absent')]);
      expect([(await store.get(keyOf('a')))?.version, (await store.get(keyOf('b')))?.version]).toEqual([version, version]);
    });

    it('applies all writes or none', async () => {
      await using storage = await make();
      const store = await storage.open();
      const seen = await store.commit([put('a', 'absent')]);
      await expect(store.commit([put('b', 'absent'), put('a', 'absent')])).rejects.toMatchObject(conflict);
      expect(await store.get(keyOf('b'))).toBeUndefined();
      expect((await store.get(keyOf('a')))?.version).toBe(seen);
    });

    it('names the key whose belief was false', async () => {
      await using storage = await make();
      const store = await storage.open();
      await expect(store.commit([put('a', 'nothing')])).rejects.toMatchObject({ ...conflict, details: { key: keyOf('a') } });
    });

    it('leaves the others of a crowd alone when one belief is false', async () => {
      await using storage = await make();
      const store = await storage.open();
      await store.commit([put('a', 'absent')]);
      const crowd = ['b', 'a', 'c', 'a', 'd'].map((id) => store.commit([put(`${id}1`, 'absent'), put(id, 'absent')]));
      expect((await Promise.allSettled(crowd)).map(({ status }) => status)).toEqual([
        'fulfilled',
        'rejected',
        'fulfilled',
        'rejected',
        'fulfilled',
      ]);
      expect(await store.get(keyOf('a1'))).toBeUndefined();
      expect(await store.get(keyOf('d1'))).toBeDefined();
    });

    it('refuses to delete or check on a false belief', async () => {
      await using storage = await make();
      const store = await storage.open();
      const first = await store.commit([put('a', 'absent')]);
      const second = await store.commit([put('a', first)]);
      await expect(store.commit([{ op: 'delete', key: keyOf('a'), expect: first }])).rejects.toMatchObject(conflict);
      await expect(store.commit([{ op: 'check', key: keyOf('a'), expect: 'absent' }])).rejects.toMatchObject(conflict);
      await store.commit([
        { op: 'check', key: keyOf('a'), expect: second },
        { op: 'check', key: keyOf('b'), expect: 'absent' },
      ]);
      await store.commit([{ op: 'delete', key: keyOf('a'), expect: second }]);
      expect(await store.get(keyOf('a'))).toBeUndefined();
    });

    it('never shows a version twice, even after a delete', async () => {
      await using storage = await make();
      const store = await storage.open();
      const seen = new Set<string>();
      for (let round = 0; round < 5; round += 1) {
        const made = await store.commit([put('a', 'absent')]);
        const changed = await store.commit([put('a', made)]);
        const gone = await store.commit([{ op: 'delete', key: keyOf('a'), expect: changed }]);
        for (const version of [made, changed, gone]) seen.add(version);
      }
      expect(seen.size).toBe(15);
    });

    it('keeps its own copy of a body', async () => {
      await using storage = await make();
      const store = await storage.open();
      const body = { list: ['first'] };
      const committed = store.commit([put('a', 'absent', body)]);
      body.list.push('later');
      await committed;
      body.list.push('later still');
      const row = await store.get(keyOf('a'));
      try {
        if (row !== undefined) (row.body as { list: string[] }).list.push('by a reader');
      } catch (error) {
        expect(error).toBeInstanceOf(TypeError);
      }
      expect((await store.get(keyOf('a')))?.body).toEqual({ list: ['first'] });
    });

    it('tells keys apart whatever letters they are made of', async () => {
      await using storage = await make();
      const store = await storage.open();
      const keys = [
        ['a', 'b/c'],
        ['a/b', 'c'],
        ['A', 'b/c'],
        ['a', 'B/c'],
        ['ä', 'b/c'],
        ['a', 'b/c '],
        ['a', "b'c"],
        ['a', '%_*'],
      ];
      for (const [kind, id] of keys) {
        await store.commit([
          { op: 'put', key: { kind: kind ?? '', id: id ?? '' }, expect: 'absent', body: [kind, id], entries: [] },
        ]);
      }
      for (const [kind, id] of keys) expect((await store.get({ kind: kind ?? '', id: id ?? '' }))?.body).toEqual([kind, id]);
    });

    it('takes a commit that must survive the loss of power', async () => {
      await using storage = await make();
      const store = await storage.open();
      const both = await Promise.all([store.commit([put('a', 'absent')], { flush: true }), store.commit([put('b', 'absent')])]);
      expect((await store.get(keyOf('a')))?.version).toBe(both[0]);
      expect((await store.get(keyOf('b')))?.version).toBe(both[1]);
    });
  });
