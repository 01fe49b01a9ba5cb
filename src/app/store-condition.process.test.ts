import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it, vi } from 'vitest';
import { type Instant, instantOf } from '../domain/values.ts';
import { at, put } from '../store/conformance/notes.ts';
import { temporaryStorage } from '../store/sqlite/fixtures/temporary-storage.ts';
import { assertSound, lookThrough, StoreCondition } from './store-condition.ts';

const NOW: Instant = instantOf(Date.UTC(2026, 0, 1));
const PAGE = 4_096;

/** A closed database of a hundred rows, of which all pages but the first few are spoilt. */
async function spoilt(storage: Awaited<ReturnType<typeof temporaryStorage>>): Promise<Buffer> {
  const store = await storage.open();
  for (let n = 0; n < 100; n += 1) await store.commit([put(`n${n}`, 'absent', 'x'.repeat(500), [at(`n${n}`)])]);
  await store.close();
  const bytes = await readFile(storage.file);
  for (let page = PAGE * 3; page < bytes.length; page += PAGE) bytes.fill(0xff, page, page + 64);
  await writeFile(storage.file, bytes);
  return bytes;
}

describe('the condition of a store', () => {
  it('that is damaged stops every write from the first read that meets it, and is told with the time [STORE-05] [R45]', async () => {
    await using storage = await temporaryStorage();
    const bytes = await spoilt(storage);
    const condition = new StoreCondition(() => NOW);
    const store = condition.watched(await storage.open());
    expect(condition.current()).toBeUndefined();
    await expect(store.scan({ index: 'note.by', limit: 1_000 })).rejects.toMatchObject({ code: 'unavailable' });
    const found = { ailment: 'store_damaged', since: NOW, says: expect.stringContaining('nothing more is written to it') };
    expect(condition.current()).toEqual(found);
    await expect(store.commit([put('after', 'absent')])).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('is damaged'),
      details: { damaged: true },
    });
    expect(condition.current()).toEqual(found);
    await store.close();
    expect((await readFile(storage.file)).equals(bytes)).toBe(true);
  });

  it('is found beside the start where the database is too large to be read before it, and stops every write [STORE-05] [R45]', async () => {
    await using storage = await temporaryStorage();
    await spoilt(storage);
    const condition = new StoreCondition(() => NOW);
    await expect(assertSound(storage.file)).rejects.toMatchObject({
      code: 'unavailable',
      details: { damaged: true, hint: expect.stringContaining('nothing was started') },
    });
    expect(await assertSound(storage.file, 0)).toBe(false);
    const told: string[] = [];
    lookThrough(storage.file, condition, (says) => void told.push(says));
    await vi.waitFor(
      () =>
        expect(condition.current()).toEqual({
          ailment: 'store_damaged',
          since: NOW,
          says: expect.stringMatching(/is damaged.*nothing more is written to it.*fleet db restore/s),
        }),
      20_000,
    );
    expect(told).toEqual([condition.current()?.says]);
    // No read of this store has met a page that is spoilt: SQLite itself would still write.
    const bytes = await readFile(storage.file);
    const store = condition.watched(await storage.open());
    await expect(store.commit([put('after', 'absent')])).rejects.toMatchObject({
      code: 'unavailable',
      message: condition.current()?.says,
      details: { damaged: true },
    });
    await store.close();
    expect((await readFile(storage.file)).equals(bytes)).toBe(true);
  });
});
