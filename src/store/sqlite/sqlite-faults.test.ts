import { writeFileSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keyOf, put } from '../conformance/notes.ts';
import { openDatabase } from './database.ts';
import { start, together } from './fixtures/programs.ts';
import { temporaryStorage } from './fixtures/temporary-storage.ts';
import { openSqliteStore } from './open.ts';
import { SCHEMA } from './schema.ts';

const unavailable = (...parts: string[]) => ({
  code: 'unavailable',
  message: expect.stringMatching(parts.map((part) => `(?=.*${part})`).join('')),
});

describe('opening', () => {
  it('makes the file and its directory for their owner alone', async () => {
    await using storage = await temporaryStorage();
    const file = join(storage.directory, 'home', 'fleet.db');
    const store = await openSqliteStore({ file });
    await store.commit([put('a', 'absent')]);
    expect((await stat(join(storage.directory, 'home'))).mode & 0o777).toBe(0o700);
    for (const suffix of ['', '-wal', '-shm']) expect((await stat(`${file}${suffix}`)).mode & 0o777).toBe(0o600);
    await store.close();
  });

  it('says what is wrong with the path', async () => {
    await using storage = await temporaryStorage();
    const { directory } = storage;
    writeFileSync(join(directory, 'plain'), '');
    await mkdir(join(directory, 'folder'));
    await expect(openSqliteStore({ file: join(directory, 'a/b/fleet.db') })).rejects.toMatchObject(
      unavailable('a/b', 'does not exist', 'FLEET_HOME'),
    );
    await expect(openSqliteStore({ file: join(directory, 'plain/fleet.db') })).rejects.toMatchObject(
      unavailable('plain', 'not a directory'),
    );
    await expect(openSqliteStore({ file: join(directory, 'folder') })).rejects.toMatchObject(
      unavailable('folder', 'is a directory'),
    );
    expect(await readdir(directory)).toEqual(['folder', 'plain']);
  });

  it.skipIf(process.getuid?.() !== 0)('says that it may not write', async () => {
    await using storage = await temporaryStorage();
    await chmod(storage.directory, 0o755);
    await using program = start('opener', [storage.file, 'a'], { uid: 65_534, gid: 65_534 });
    expect(await program.line()).toMatch(`refused unavailable ${storage.directory} cannot be read and written`);
    expect(await readdir(storage.directory)).toEqual([]);
  });

  it('refuses a database of a newer Fleet and leaves it as it is [STORE-04]', async () => {
    await using storage = await temporaryStorage();
    await (await storage.open()).close();
    const db = openDatabase(storage.file);
    db.exec(`PRAGMA user_version = ${SCHEMA + 4}; PRAGMA wal_checkpoint(TRUNCATE)`);
    db.close();
    const before = await readFile(storage.file);
    await expect(storage.open()).rejects.toMatchObject(
      unavailable(storage.file, `newer Fleet \\(schema ${SCHEMA + 4}, this program knows ${SCHEMA}\\); upgrade fleet`),
    );
    expect((await readFile(storage.file)).equals(before)).toBe(true);
  });

  it('stops writing as soon as a newer Fleet has changed the schema under it [STORE-04]', async () => {
    await using storage = await temporaryStorage();
    const store = await storage.open();
    const db = openDatabase(storage.file);
    db.exec(`UPDATE meta SET schema = ${SCHEMA + 1}`);
    db.close();
    await expect(store.commit([put('a', 'absent')])).rejects.toMatchObject(unavailable('newer Fleet'));
  });

  it('refuses what is not its database and writes nothing [R45]', async () => {
    await using storage = await temporaryStorage();
    const foreign = join(storage.directory, 'foreign.db');
    const db = openDatabase(foreign);
    db.exec('PRAGMA journal_mode = DELETE; CREATE TABLE t (a); INSERT INTO t VALUES (1)');
    db.close();
    writeFileSync(join(storage.directory, 'text.db'), 'this is a letter, not a database\n'.repeat(200));
    writeFileSync(join(storage.directory, 'short.db'), 'SQLite');
    for (const name of ['foreign.db', 'text.db', 'short.db']) {
      const file = join(storage.directory, name);
      const before = await readFile(file);
      await expect(openSqliteStore({ file })).rejects.toMatchObject(unavailable(name, 'fleet db check', 'fleet db restore FILE'));
      expect((await readFile(file)).equals(before)).toBe(true);
    }
  });

  it('is safe when 20 processes do it at once on an absent file [STORE-04]', async () => {
    await using storage = await temporaryStorage();
    await using crowd = together(Array.from({ length: 20 }, (_, n) => start('opener', [storage.file, `p${n}`])));
    for (const program of crowd.programs) expect(await program.rest()).toEqual(['opened']);
    const store = await storage.open();
    for (let n = 0; n < 20; n += 1) expect(await store.get(keyOf(`p${n}`))).toBeDefined();
  });
});

describe('a lock held by another process', () => {
  it('delays a commit, and leaves reads served [STORE-05]', async () => {
    await using storage = await temporaryStorage();
    const store = await storage.open();
    await store.commit([put('a', 'absent')]);
    await using holder = start('holder', [storage.file, 'write']);
    expect(await holder.line()).toBe('held');
    let committed = false;
    const commit = store.commit([put('b', 'absent')]).then(() => (committed = true));
    for (let n = 0; n < 200; n += 1) {
      expect(await store.get(keyOf('a'))).toBeDefined();
      expect(committed).toBe(false);
    }
    holder.child.stdin?.end();
    await commit;
    expect(await store.get(keyOf('b'))).toBeDefined();
  });

  it('is named when it was waited for in vain, and nothing was written [STORE-05]', async () => {
    await using storage = await temporaryStorage();
    const store = await openSqliteStore({ file: storage.file, lockWaitMs: 150 });
    await using holder = start('holder', [storage.file, 'write']);
    expect(await holder.line()).toBe('held');
    await expect(store.commit([put('a', 'absent')])).rejects.toMatchObject(unavailable('another process', storage.file));
    holder.child.stdin?.end();
    await holder.rest();
    expect(await store.get(keyOf('a'))).toBeUndefined();
    await store.commit([put('a', 'absent')]);
    await store.close();
  });
});
