import { rm, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { put } from '../conformance/notes.ts';
import { temporaryStorage } from './fixtures/temporary-storage.ts';
import { highWaterFile, lossOf, readHighWater } from './high-water.ts';

const high = (counter: number, flushed: number, boot: string) => ({ counter, flushed, boot, at: '2030-01-01T00:00:00.000Z' });

describe('the last confirmed commit', () => {
  it('is noted beside the database with each commit, flushed or not [STORE-05]', async () => {
    await using storage = await temporaryStorage();
    const store = await storage.open();
    expect(readHighWater(storage.file)).toMatchObject({ counter: 0, flushed: 0 });
    await store.commit([put('a', 'absent')], { flush: true });
    await store.commit([put('b', 'absent')]);
    expect(readHighWater(storage.file)).toMatchObject({ counter: 2, flushed: 1 });
    await expect(store.commit([put('b', 'absent')])).rejects.toMatchObject({ code: 'conflict' });
    expect(readHighWater(storage.file)).toMatchObject({ counter: 2 });
    await store.close();
    await (await storage.open()).close();
  });

  it('is no reason to refuse what a loss of power may take [STORE-05]', () => {
    const boot = 'another boot';
    expect(lossOf('/f', high(9, 5, boot), 5)).toBeUndefined();
    expect(lossOf('/f', high(9, 5, boot), 4)?.message).toContain('commit 5 was confirmed');
    expect(lossOf('/f', undefined, 0)).toBeUndefined();
    expect(lossOf('/f', high(0, 0, boot), undefined)?.message).toContain('empty or gone');
  });

  it('that cannot be read or noted stops nothing [STORE-05]', async () => {
    await using storage = await temporaryStorage();
    const first = await storage.open();
    await first.commit([put('a', 'absent')]);
    await first.close();
    await writeFile(highWaterFile(storage.file), 'half');
    const second = await storage.open();
    await second.commit([put('b', 'absent')]);
    await second.close();
    expect(readHighWater(storage.file)).toMatchObject({ counter: 2 });
    await rm(highWaterFile(storage.file));
    await (await storage.open()).close();
    expect(readHighWater(storage.file)).toMatchObject({ counter: 2 });
  });
});
