import { randomInt } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../../domain/fault.ts';
import { at, keyOf, put } from '../../conformance/notes.ts';
import type { Store } from '../../port.ts';
import { openDatabase } from '../database.ts';
import { start } from '../fixtures/programs.ts';
import { shelfOf } from '../fixtures/shelf.ts';
import { temporaryStorage } from '../fixtures/temporary-storage.ts';
import { backup } from './backup.ts';
import { check } from './check.ts';
import { exportRows } from './export-rows.ts';
import { restore } from './restore.ts';

const count = async (store: Store): Promise<number> => (await store.scan({ index: 'note.by', limit: 1_000 })).length;

async function filled(store: Store, ids: readonly string[]): Promise<void> {
  for (const id of ids) await store.commit([put(id, 'absent', { id, text: 'x'.repeat(300) }, [at(id)])]);
}

describe('check', () => {
  it('finds nothing wrong with a good database and what is wrong with a bad one [STORE-06]', async () => {
    await using storage = await temporaryStorage();
    const store = await storage.open();
    await filled(store, ['a', 'b', 'c', 'd']);
    expect(await check(storage.file)).toEqual([]);
    const db = openDatabase(storage.file);
    db.exec(
      `DELETE FROM entries WHERE sort = 'a'; UPDATE rows SET body = '{' WHERE id = 'b'; UPDATE rows SET version = '9.9' WHERE id = 'c'`,
    );
    db.close();
    const findings = (await check(storage.file)).join('\n');
    for (const part of [
      'note/a) is missing from index note.by at a',
      'the body of row 2 (note/b) is not json',
      'note/c) does not match',
      '3 entries, the rows speak of 4',
    ]) {
      expect(findings).toContain(part);
    }
    expect(await check(join(storage.directory, 'absent.db'))).toEqual([expect.stringContaining('does not exist')]);
    expect(existsSync(join(storage.directory, 'absent.db'))).toBe(false);
  });
});

describe('backup', () => {
  it('is one private, consistent file with the blobs, made while others write [STORE-06]', async () => {
    await using storage = await temporaryStorage();
    const store = await storage.open();
    await filled(store, ['a', 'b']);
    const shelf = shelfOf('long prompt', 'grüße \0 🚀');
    await using writer = start('committer', [storage.file, 'w', '100000', '8']);
    await writer.line();
    const target = join(storage.directory, 'copies', 'one.db');
    const report = await backup(storage.file, target, shelf);
    expect(report).toMatchObject({ target, blobs: 2, lost: [] });
    expect(readdirSync(join(storage.directory, 'copies'))).toEqual(['one.db']);
    expect(statSync(target).mode & 0o777).toBe(0o600);
    expect(await check(target)).toEqual([]);
  });

  it('never replaces a file unless told to', async () => {
    await using storage = await temporaryStorage();
    await filled(await storage.open(), ['a']);
    const target = join(storage.directory, 'precious');
    writeFileSync(target, 'letter');
    await expect(backup(storage.file, target, shelfOf())).rejects.toMatchObject({ code: 'conflict' });
    expect(readFileSync(target, 'utf8')).toBe('letter');
    await backup(storage.file, target, shelfOf(), { overwrite: true });
    expect(await check(target)).toEqual([]);
  });

  it('names the blobs it could not read and keeps the rest', async () => {
    await using storage = await temporaryStorage();
    await filled(await storage.open(), ['a']);
    const shelf = shelfOf('good');
    const broken = {
      ...shelf,
      listBlobs: async function* () {
        yield 'gone';
        yield* shelf.listBlobs();
      },
      getBlob: async (name: string) =>
        name === 'gone' ? Promise.reject(new Fault('unavailable', 'damaged')) : shelf.getBlob(name),
    };
    expect(await backup(storage.file, join(storage.directory, 'copy.db'), broken)).toMatchObject({ blobs: 1, lost: ['gone'] });
  });
});

describe('restore', () => {
  it('brings back rows and blobs under a running program, and never a version [STORE-06]', async () => {
    await using storage = await temporaryStorage();
    const store = await storage.open();
    await filled(store, ['a', 'b']);
    const shelf = shelfOf('long prompt');
    const copy = join(storage.directory, 'copy.db');
    await backup(storage.file, copy, shelf);
    const kept = await store.get(keyOf('a'));
    const later = await store.commit([put('a', kept?.version ?? '', 'changed'), put('c', 'absent', 'new', [at('c')])]);
    const empty = shelfOf();
    const report = await restore(storage.file, copy, empty);
    expect(report).toMatchObject({ rows: 2, blobs: 1 });
    expect(empty.texts()).toEqual(['long prompt']);
    expect(await store.get(keyOf('a'))).toEqual(kept);
    expect(await store.get(keyOf('c'))).toBeUndefined();
    expect(await count(store)).toBe(2);
    const versions = [await store.commit([put('d', 'absent')]), await store.commit([put('e', 'absent')])];
    expect(versions).not.toContain(later);
    expect(await check(storage.file)).toEqual([]);
    expect(await check(report.before ?? '')).toEqual([]);
    expect(readdirSync(storage.directory).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('moves a damaged database aside and puts the copy in its place [R45]', async () => {
    await using storage = await temporaryStorage();
    const first = await storage.open();
    await filled(first, ['a', 'b']);
    const copy = join(storage.directory, 'copy.db');
    await backup(storage.file, copy, shelfOf());
    const lost = await first.commit([put('c', 'absent')]);
    await first.close();
    writeFileSync(storage.file, 'rubbish');
    const report = await restore(storage.file, copy, shelfOf());
    expect(readFileSync(report.before ?? '', 'utf8')).toBe('rubbish');
    expect(report.before).toMatch(/fleet\.db\.corrupt-\d{8}T\d+Z$/);
    const store = await storage.open();
    expect(await count(store)).toBe(2);
    expect(await store.commit([put('c', 'absent')])).not.toBe(lost);
  });

  it('works where there is no database yet', async () => {
    await using storage = await temporaryStorage();
    await filled(await storage.open(), ['a']);
    const copy = join(storage.directory, 'copy.db');
    await backup(storage.file, copy, shelfOf());
    const file = join(storage.directory, 'other.db');
    expect(await restore(file, copy, shelfOf())).toMatchObject({ rows: 1, before: undefined });
    expect(await check(file)).toEqual([]);
  });

  it('touches nothing when the source is not good', async () => {
    await using storage = await temporaryStorage();
    const store = await storage.open();
    await filled(store, ['a']);
    const source = join(storage.directory, 'copy.db');
    await backup(storage.file, source, shelfOf());
    const bytes = readFileSync(source);
    bytes.fill(0xff, bytes.length - 4096, bytes.length - 4000);
    writeFileSync(source, bytes);
    for (const path of [source, join(storage.directory, 'absent')]) {
      await expect(restore(storage.file, path, shelfOf())).rejects.toMatchObject({ code: 'invalid' });
    }
    expect(await count(store)).toBe(1);
    expect(existsSync(join(storage.directory, 'backups'))).toBe(false);
  });

  it('killed at any moment leaves the old rows or the new, whole [STORE-06]', async () => {
    await using storage = await temporaryStorage();
    const store = await storage.open();
    await filled(store, ['a', 'b', 'c']);
    const copy = join(storage.directory, 'copy.db');
    await backup(storage.file, copy, shelfOf());
    await store.commit([put('d', 'absent', 1, [at('d')])]);
    for (let round = 0; round < 10; round += 1) {
      await using program = start('restorer', [storage.file, copy]);
      expect(await program.line()).toBe('begun');
      await Promise.race([pause(randomInt(0, 60)), program.rest()]);
      program.child.kill('SIGKILL');
      await program.rest();
      expect([3, 4]).toContain(await count(store));
      expect(await check(storage.file)).toEqual([]);
      const seen = (await store.get(keyOf('d')))?.version ?? 'absent';
      await store.commit([put('d', seen, round, [at('d')])]);
    }
  });
});

describe('export', () => {
  it('gives every row as one line of json [STORE-06]', async () => {
    await using storage = await temporaryStorage();
    const store = await storage.open();
    await filled(
      store,
      Array.from({ length: 700 }, (_, n) => `n${n}`),
    );
    const lines: string[] = [];
    for await (const line of exportRows(storage.file)) lines.push(line);
    expect(lines).toHaveLength(700);
    const row = await store.get(keyOf('n0'));
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      kind: 'note',
      id: 'n0',
      version: row?.version,
      body: row?.body,
      entries: [at('n0')],
    });
    expect(readdirSync(storage.directory).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});
