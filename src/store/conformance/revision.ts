import { describe, expect, it } from 'vitest';
import { keyOf, put } from './notes.ts';
import type { MakeStorage } from './storage.ts';

/** Only for drivers that have one. */
export const revisionConformance = (make: MakeStorage) =>
  describe('revision', () => {
    it('is another after every commit, of its own and of others', async () => {
      await using storage = await make();
      const [one, other] = [await storage.open(), await storage.open()];
      const seen = new Set([one.revision?.()]);
      for (let n = 0; n < 20; n += 1) {
        await (n % 2 === 0 ? one : other).commit([put(`n${n}`, 'absent')]);
        seen.add(one.revision?.());
      }
      expect(seen.has(undefined)).toBe(false);
      expect(seen.size).toBe(21);
    });

    it('stays the same while nobody commits', async () => {
      await using storage = await make();
      const store = await storage.open();
      const version = await store.commit([put('a', 'absent')]);
      const before = store.revision?.();
      await store.get(keyOf('a'));
      await store.scan({ index: 'note.by', limit: 10 });
      await expect(store.commit([put('a', 'absent')])).rejects.toMatchObject({ code: 'conflict' });
      expect(store.revision?.()).toBe(before);
      await store.commit([put('a', version, { id: 'a' })]);
      expect(store.revision?.()).not.toBe(before);
    });

    it('is refused after close', async () => {
      await using storage = await make();
      const store = await storage.open();
      store.revision?.();
      await store.close();
      expect(() => store.revision?.()).toThrow(expect.objectContaining({ code: 'unavailable' }));
    });
  });
