import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NO_SMALL_DISK, smallDisk } from '../../../test/support/small-disk.ts';
import { at, keyOf, put } from '../conformance/notes.ts';
import { start } from './fixtures/programs.ts';
import { temporaryStorage } from './fixtures/temporary-storage.ts';
import { openSqliteStore } from './open.ts';
import { check } from './upkeep/check.ts';

const FULL = process.env['FLEET_TEST_FULL'] !== undefined;

describe('a full disk', () => {
  it('refuses clearly, loses nothing acknowledged, and goes on when there is space again [R17]', async ({ skip }) => {
    using disk = smallDisk('6m') ?? skip(NO_SMALL_DISK);
    const store = await openSqliteStore({ file: join(disk.directory, 'fleet.db') });
    const acknowledged: string[] = [];
    const fill = async (most: number): Promise<unknown> => {
      try {
        for (let n = acknowledged.length; n < most; n += 1) {
          await store.commit([put(`n${n}`, 'absent', { text: 'x'.repeat(3_000) }, [at(`n${n}`)])]);
          acknowledged.push(`n${n}`);
        }
      } catch (error) {
        return error;
      }
      return undefined;
    };
    expect(await fill(10_000)).toMatchObject({ code: 'unavailable', message: expect.stringContaining('no space left') });
    expect(await fill(10_000)).toMatchObject({ code: 'unavailable' });
    for (const id of acknowledged) expect(await store.get(keyOf(id))).toBeDefined();
    disk.grow('64m');
    expect(await fill(acknowledged.length + 500)).toBeUndefined();
    await store.close();
    expect(await check(join(disk.directory, 'fleet.db'))).toEqual([]);
    const again = await openSqliteStore({ file: join(disk.directory, 'fleet.db') });
    for (const id of acknowledged) expect(await again.get(keyOf(id))).toBeDefined();
    await again.close();
  });
});

describe('a flipped byte', () => {
  it('is refused or found, changes no row in silence, and never crashes or writes [R45]', async () => {
    await using storage = await temporaryStorage();
    const store = await storage.open();
    for (let n = 0; n < 150; n += 1) {
      const id = `n${String(n).padStart(4, '0')}`;
      await store.commit([put(id, 'absent', { id, text: `some words ${n} `.repeat(20) }, [{ index: 'note.all', sort: id }])]);
    }
    await store.close();
    const size = readFileSync(storage.file).length;
    const header = Array.from({ length: 100 }, (_, place) => place);
    const anywhere = Array.from({ length: FULL ? 5_000 : 250 }, () => randomInt(100, size));
    const verdicts: string[][] = [];
    const places = [...header, ...anywhere];
    // A process for each part: libsql keeps the files of closed connections open until they are garbage-collected.
    for (let done = 0; done < places.length; done += 500) {
      const part = JSON.stringify(places.slice(done, done + 500));
      await using flipper = start('flipper', [storage.file, join(storage.directory, 'flipped.db'), part]);
      verdicts.push(...(await flipper.rest()).map((line) => line.split(' ')));
      expect(flipper.child.exitCode).toBe(0);
    }
    expect(verdicts).toHaveLength(places.length);
    expect(verdicts.filter(([, verdict = '']) => !['refused', 'found', 'harmless'].includes(verdict))).toEqual([]);
    expect(new Set(verdicts.map(([, verdict]) => verdict))).toEqual(new Set(['refused', 'found', 'harmless']));
  });

  it('met while running is a clear refusal, and the thread lives on [R45]', async () => {
    await using storage = await temporaryStorage();
    const first = await storage.open();
    for (let n = 0; n < 100; n += 1) await first.commit([put(`n${n}`, 'absent', 'x'.repeat(500), [at(`n${n}`)])]);
    await first.close();
    const bytes = readFileSync(storage.file);
    for (let page = 4096 * 3; page < bytes.length; page += 4096) bytes.fill(0xff, page, page + 64);
    await writeFile(storage.file, bytes);
    const store = await storage.open();
    await expect(store.scan({ index: 'note.by', limit: 1_000 })).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('fleet db check'),
    });
    await expect(store.scan({ index: 'note.by', limit: 1_000 })).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('a database file that goes away while it is open', () => {
  it('takes no more commits [STORE-05]', async () => {
    await using storage = await temporaryStorage();
    const store = await storage.open();
    await store.commit([put('a', 'absent')]);
    await rename(storage.file, `${storage.file}.moved`);
    await expect(store.commit([put('b', 'absent')])).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('removed'),
    });
    await writeFile(storage.file, '');
    await expect(store.commit([put('b', 'absent')])).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('replaced'),
    });
    await rm(storage.file);
  });
});
