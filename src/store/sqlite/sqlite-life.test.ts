import { readdirSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { at, keyOf, put } from '../conformance/notes.ts';
import { openDatabase } from './database.ts';
import { start } from './fixtures/programs.ts';
import { temporaryStorage } from './fixtures/temporary-storage.ts';
import { openSqliteStore } from './open.ts';
import { VIEWS } from './views.ts';

describe('sqlite store', () => {
  it('hints within a moment at a commit of another process', async () => {
    await using storage = await temporaryStorage();
    const store = await storage.open();
    const control = new AbortController();
    const watched = store.watch(control.signal)[Symbol.asyncIterator]();
    await watched.next();
    await using program = start('opener', [storage.file, 'theirs']);
    while ((await store.get(keyOf('theirs'))) === undefined) await watched.next();
    control.abort();
    expect(await program.rest()).toEqual(['opened']);
  });

  it('never gives a version twice, also after a restart', async () => {
    await using storage = await temporaryStorage();
    const versions: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      const store = await storage.open();
      const made = await store.commit([put('a', 'absent')]);
      versions.push(made, await store.commit([{ op: 'delete', key: keyOf('a'), expect: made }]));
      await store.close();
    }
    expect(new Set(versions).size).toBe(6);
  });

  it('leaves no thread, file or timer behind', async () => {
    await using storage = await temporaryStorage();
    await (await storage.open()).close();
    const before = { files: readdirSync('/proc/self/fd').length, resources: process.getActiveResourcesInfo() };
    for (let round = 0; round < 5; round += 1) {
      const store = await openSqliteStore({ file: storage.file });
      store.watch(new AbortController().signal);
      await store.commit([put(`n${round}`, 'absent')]);
      await store.close();
    }
    // Pipes of the test before may still be closing: there may be less than at the beginning, never more.
    // Not by a poll of the test runner, whose own timer would be one more.
    const more = () => added(process.getActiveResourcesInfo(), before.resources);
    for (const until = performance.now() + 120_000; more().length > 0 && performance.now() < until; ) await sleep(20);
    expect(more()).toEqual([]);
    expect(readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(before.files);
    expect(statSync(`${storage.file}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
  });

  it('lets a program end that forgot to close it', async () => {
    await using storage = await temporaryStorage();
    await using program = start('opener', [storage.file, 'a', 'forgetful']);
    expect(await program.rest()).toEqual(['opened']);
    expect(program.child.exitCode).toBe(0);
  });

  it('never confirms a commit whose thread died before it answered [STORE-05]', async () => {
    await using storage = await temporaryStorage();
    const workerUrl = pathToFileURL(join(storage.directory, 'dies.mjs'));
    const program = `import { parentPort } from 'node:worker_threads';
      parentPort.on('message', () => process.exit(1));
      parentPort.postMessage({ opened: true });`;
    await writeFile(workerUrl, program);
    const store = await openSqliteStore({ file: storage.file, workerUrl });
    const unknown = { code: 'unavailable', message: expect.stringContaining('outcome is unknown') };
    await expect(store.commit([put('a', 'absent')])).rejects.toMatchObject(unknown);
    await expect(store.get(keyOf('a'))).rejects.toMatchObject({ code: 'unavailable' });
    await store.close();
  });

  it('writes only the index entries that changed', async () => {
    await using storage = await temporaryStorage();
    const store = await storage.open();
    const first = await store.commit([put('a', 'absent', 1, [at('x'), at('y')])]);
    const db = openDatabase(storage.file);
    db.exec(`CREATE TABLE touched (sort TEXT);
      CREATE TRIGGER entered AFTER INSERT ON entries BEGIN INSERT INTO touched VALUES ('+' || new.sort); END;
      CREATE TRIGGER gone AFTER DELETE ON entries BEGIN INSERT INTO touched VALUES ('-' || old.sort); END;`);
    await store.commit([put('a', first, 2, [at('y'), at('z')])]);
    expect(
      db
        .prepare('SELECT sort FROM touched')
        .all()
        .map(({ sort }) => sort),
    ).toEqual(['-x', '+z']);
    db.close();
  });

  it('shows people readable views [STORE-06]', async () => {
    await using storage = await temporaryStorage();
    const store = await storage.open();
    const body = {
      id: 'task_1',
      title: 'fix it',
      phase: { state: 'queued' },
      projectId: 'p',
      priority: 2,
      createdAt: 1,
      updatedAt: 2,
    };
    await store.commit([{ op: 'put', key: { kind: 'task', id: 'task_1' }, expect: 'absent', body, entries: [] }]);
    const db = openDatabase(storage.file, { readOnly: true });
    for (const view of Object.keys(VIEWS)) db.prepare(`SELECT * FROM ${view}`).all();
    expect(db.prepare('SELECT id, title, state, project, priority FROM tasks').all()).toEqual([
      { id: 'task_1', title: 'fix it', state: 'queued', project: 'p', priority: 2 },
    ]);
    db.close();
  });
});

/** What is there now and was not before; of several alike, those that came to them. */
function added(now: readonly string[], before: readonly string[]): string[] {
  const left = [...before];
  return now.filter((resource) => {
    const n = left.indexOf(resource);
    if (n >= 0) left.splice(n, 1);
    return n < 0;
  });
}
