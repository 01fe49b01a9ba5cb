import { randomInt } from 'node:crypto';
import { statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { put } from '../conformance/notes.ts';
import type { Store } from '../port.ts';
import { start, together } from './fixtures/programs.ts';
import { temporaryStorage } from './fixtures/temporary-storage.ts';
import { check } from './upkeep/check.ts';

const FULL = process.env['FLEET_TEST_FULL'] !== undefined;
const MB = 1024 * 1024;

async function idsIn(store: Store): Promise<Set<string>> {
  const ids = new Set<string>();
  for (let from = ''; ; ) {
    const page = await store.scan({ index: 'note.all', from, limit: 1_000 });
    for (const { key } of page) ids.add(key.id);
    if (page.length < 1_000) return ids;
    from = `${page.at(-1)?.sort} `;
  }
}

describe('many processes', () => {
  it('commit side by side, and nobody is ever told that the database is busy [R15]', async () => {
    await using storage = await temporaryStorage();
    await using crowd = together(Array.from({ length: 8 }, (_, n) => start('committer', [storage.file, `p${n}`, '300'])));
    const said = await Promise.all(crowd.programs.map((program) => program.rest()));
    expect(said.flat().filter((line) => line.startsWith('refused'))).toEqual([]);
    expect(said.map((lines) => lines.length)).toEqual(Array.from({ length: 8 }, () => 301));
    expect((await idsIn(await storage.open())).size).toBe(2_400);
  });
});

describe('kill -9', () => {
  it('loses no acknowledged commit, whenever it comes [STORE-05]', async () => {
    await using storage = await temporaryStorage();
    const acknowledged: string[] = [];
    const total = FULL ? 100_000 : 10_000;
    for (let round = 0; acknowledged.length < total; round += 1) {
      await using program = start('committer', [storage.file, `r${round}`, '100000', String(randomInt(1, 33)), '200']);
      const until = randomInt(1, total / 5);
      let seen = 0;
      for (let line = await program.line(); line !== undefined; line = await program.line()) {
        acknowledged.push(line);
        seen += 1;
        if (seen === until) program.child.kill('SIGKILL');
      }
      expect(seen).toBeGreaterThanOrEqual(until);
    }
    expect(await check(storage.file)).toEqual([]);
    const kept = await idsIn(await storage.open());
    expect(acknowledged.filter((id) => !kept.has(id))).toEqual([]);
  });
});

describe('the write-ahead log', () => {
  const walBytes = (file: string): number => statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;

  async function write(store: Store, count: number, looked: () => void = () => {}): Promise<void> {
    let next = 0;
    const caller = async (): Promise<void> => {
      while (next < count) {
        const id = `w${next++}`;
        await store.commit([put(id, 'absent', { id, text: 'x'.repeat(2_000) }, [{ index: 'note.all', sort: id }])]);
        looked();
      }
    };
    await Promise.all(Array.from({ length: 32 }, caller));
  }

  it('stays within 16 MB over 15,000 writes and is empty after closing [R16]', async () => {
    await using storage = await temporaryStorage();
    const store = await storage.open();
    let most = 0;
    await write(store, 15_000, () => (most = Math.max(most, walBytes(storage.file))));
    expect(most).toBeLessThanOrEqual(16 * MB);
    await store.close();
    expect(walBytes(storage.file)).toBe(0);
  });

  // SQLite cannot copy pages back past a snapshot that a foreign program holds: meanwhile the log grows, whoever writes it.
  it('is back within 16 MB by itself soon after a foreign reader lets go, and empty after closing [R16]', async () => {
    await using storage = await temporaryStorage();
    const store = await storage.open();
    await using reader = start('holder', [storage.file, 'read']);
    expect(await reader.line()).toBe('held');
    await write(store, 15_000);
    expect(walBytes(storage.file)).toBeGreaterThan(16 * MB);
    reader.child.stdin?.end();
    await reader.rest();
    await expect.poll(() => walBytes(storage.file), { timeout: 5_000, interval: 50 }).toBeLessThanOrEqual(16 * MB);
    await store.close();
    expect(walBytes(storage.file)).toBe(0);
  });
});
