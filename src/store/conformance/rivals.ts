import { describe, expect, it } from 'vitest';
import type { Store } from '../port.ts';
import { at, keyOf, put } from './notes.ts';
import type { MakeStorage } from './storage.ts';

export const rivalsConformance = (make: MakeStorage) =>
  describe('rivals', () => {
    it('lets exactly one of many win', async () => {
      await using storage = await make();
      const store = await storage.open();
      const seen = await store.commit([put('a', 'absent')]);
      const rivals = await Promise.allSettled(Array.from({ length: 50 }, (_, n) => store.commit([put('a', seen, { n })])));
      expect(rivals.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    });

    it('loses no increment between handles that race', async () => {
      await using storage = await make();
      const handles = [await storage.open(), await storage.open(), await storage.open()];
      await handles[0]?.commit([put('count', 'absent', 0)]);
      await Promise.all(handles.flatMap((store) => [increment(store, 20), increment(store, 20)]));
      for (const store of handles) expect((await store.get(keyOf('count')))?.body).toBe(120);
    });

    it('shows a commit that has ended to every other handle', async () => {
      await using storage = await make();
      const [one, other] = [await storage.open(), await storage.open()];
      for (let n = 0; n < 20; n += 1) {
        const version = await one.commit([put(`n${n}`, 'absent', n, [at(`n${n}`)])]);
        expect(await other.get(keyOf(`n${n}`))).toMatchObject({ version, body: n });
      }
      expect(await other.scan({ index: 'note.by', limit: 100 })).toHaveLength(20);
    });

    it('never gives two handles the same version', async () => {
      await using storage = await make();
      const handles = [await storage.open(), await storage.open()];
      const versions = await Promise.all(
        handles.flatMap((store, h) => Array.from({ length: 40 }, (_, n) => store.commit([put(`${h}/${n}`, 'absent')]))),
      );
      expect(new Set(versions).size).toBe(80);
    });

    it('goes on where a closed handle stopped', async () => {
      await using storage = await make();
      const first = await storage.open();
      const seen = await first.commit([put('a', 'absent')]);
      await first.close();
      const second = await storage.open();
      const next = await second.commit([put('a', seen)]);
      expect(next).not.toBe(seen);
      expect((await second.get(keyOf('a')))?.version).toBe(next);
    });
  });

async function increment(store: Store, times: number): Promise<void> {
  for (let done = 0; done < times; ) {
    const row = await store.get(keyOf('count'));
    if (row === undefined) throw new Error('the counter is not there');
    done += await store.commit([put('count', row.version, Number(row.body) + 1)]).then(
      () => 1,
      () => 0,
    );
  }
}
