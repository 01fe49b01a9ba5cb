import { describe, expect, it } from 'vitest';
import { keyOf, put } from './notes.ts';
import type { MakeStorage } from './storage.ts';

const unavailable = { code: 'unavailable' };

export const closeConformance = (make: MakeStorage) =>
  describe('close', () => {
    it('refuses everything afterwards, and may be called again', async () => {
      await using storage = await make();
      const store = await storage.open();
      await store.close();
      await expect(store.get(keyOf('a'))).rejects.toMatchObject(unavailable);
      await expect(store.scan({ index: 'note.by', limit: 1 })).rejects.toMatchObject(unavailable);
      await expect(store.count({ index: 'note.by', limit: 1 })).rejects.toMatchObject(unavailable);
      await expect(store.commit([put('a', 'absent')])).rejects.toMatchObject(unavailable);
      expect(() => store.watch(new AbortController().signal)).toThrow(expect.objectContaining(unavailable));
      await store.close();
    });

    it('waits for commits that were accepted', async () => {
      await using storage = await make();
      const store = await storage.open();
      const accepted = Array.from({ length: 30 }, (_, n) => store.commit([put(`n${n}`, 'absent')]));
      await store.close();
      expect(await Promise.all(accepted)).toHaveLength(30);
      const again = await storage.open();
      expect(await again.get(keyOf('n29'))).toBeDefined();
    });

    it('leaves other handles open', async () => {
      await using storage = await make();
      const [one, other] = [await storage.open(), await storage.open()];
      await one.close();
      await other.commit([put('a', 'absent')]);
      expect(await other.get(keyOf('a'))).toBeDefined();
    });
  });
