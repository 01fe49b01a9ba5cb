import { Worker } from 'node:worker_threads';
import { describe, expect, it, vi } from 'vitest';
import { at, keyOf, put } from '../conformance/notes.ts';
import { openDatabase } from './database.ts';
import { temporaryStorage } from './fixtures/temporary-storage.ts';

describe('rows of the sqlite store', () => {
  it('gives the very row again until somebody changes it, through whichever handle', async () => {
    await using storage = await temporaryStorage();
    const [store, other] = [await storage.open(), await storage.open()];
    const first = await store.commit([put('a', 'absent', { list: [1] })]);
    const row = await store.get(keyOf('a'));
    expect(await store.get(keyOf('a'))).toBe(row);
    const second = await other.commit([put('a', first, { list: [2] })]);
    expect(await store.get(keyOf('a'))).toMatchObject({ version: second, body: { list: [2] } });
    await other.commit([{ op: 'delete', key: keyOf('a'), expect: second }]);
    expect(await store.get(keyOf('a'))).toBeUndefined();
    const third = await other.commit([put('a', 'absent', { list: [3] })]);
    expect(await store.get(keyOf('a'))).toMatchObject({ version: third, body: { list: [3] } });
  });

  it('sees a row change, come and go while many read it, through whichever handle', async () => {
    await using storage = await temporaryStorage();
    const handles = [await storage.open(), await storage.open()];
    const first = await handles[0]?.commit([put('a', 'absent', 0)]);
    let seen = first ?? '';
    for (let n = 1; n <= 60; n += 1) {
      const writer = handles[n % 3 === 0 ? 1 : 0];
      // Asked for before, while and after it is written.
      const early = handles.map((store) => store.get(keyOf('a')));
      const written = n % 5 === 0 ? [{ op: 'delete' as const, key: keyOf('a'), expect: seen }] : [put('a', seen, n)];
      const commit = writer?.commit(written);
      const meanwhile = handles.map((store) => store.get(keyOf('a')));
      seen = (await commit) ?? '';
      await Promise.all([...early, ...meanwhile]);
      const rows = await Promise.all(handles.map((store) => store.get(keyOf('a'))));
      expect(rows.map((row) => row?.body)).toEqual(n % 5 === 0 ? [undefined, undefined] : [n, n]);
      if (n % 5 === 0) seen = 'absent';
    }
  });

  it('reads a row that it read long ago, and a long one, as they are now', async () => {
    await using storage = await temporaryStorage();
    const store = await storage.open();
    const names = Array.from({ length: 300 }, (_, n) => `n${n}`);
    await Promise.all(names.map((name) => store.commit([put(name, 'absent', name)])));
    const long = 'x'.repeat(10_000);
    const made = await store.commit([put('long', 'absent', long)]);
    for (let round = 0; round < 2; round += 1) {
      expect((await Promise.all(names.map((name) => store.get(keyOf(name))))).map((row) => row?.body)).toEqual(names);
      expect(await store.get(keyOf('long'))).toMatchObject({ version: made, body: long });
    }
  });

  it('refuses only the commit whose row is damaged, and writes nothing of it', async () => {
    await using storage = await temporaryStorage();
    const store = await storage.open();
    const damaged = await store.commit([put('damaged', 'absent', 1, [at('x')])]);
    const db = openDatabase(storage.file);
    db.exec(`UPDATE rows SET entries = '[' WHERE id = 'damaged'`);
    const [before, refused, after] = await Promise.allSettled([
      store.commit([put('before', 'absent')]),
      store.commit([put('half', 'absent'), put('damaged', damaged, 2, [at('y')])]),
      store.commit([put('after', 'absent')]),
    ]);
    expect([before, refused, after].map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await store.get(keyOf('half'))).toBeUndefined();
    expect(await store.get(keyOf('damaged'))).toMatchObject({ version: damaged });
    db.close();
  });

  it('asks the thread once for what is listed several times in one turn of the loop, and gives each rows of its own', async () => {
    await using storage = await temporaryStorage();
    const store = await storage.open();
    await store.commit([put('a', 'absent', { list: [1] }, [at('a', 'notes')])]);
    const posted = vi.spyOn(Worker.prototype, 'postMessage');
    try {
      const query = { index: 'notes', limit: 10 };
      const [one, two, other] = await Promise.all([store.scan(query), store.scan(query), store.scan({ ...query, limit: 9 })]);
      expect(posted.mock.calls.flatMap(([requests]) => requests as unknown[])).toHaveLength(2);
      expect(one).toEqual(two);
      expect(one).toEqual(other);
      expect(one?.[0]?.body).not.toBe(two?.[0]?.body);
      await store.scan(query);
      expect(posted.mock.calls.flatMap(([requests]) => requests as unknown[])).toHaveLength(3);
    } finally {
      posted.mockRestore();
    }
  });
});
