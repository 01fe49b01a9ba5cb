import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import { faultHouse } from '../fixtures/fault-house.ts';
import { type CliHouse, cliHouse } from '../support/cli-house.ts';

const PAGE = 4_096;
const databaseOf = (house: CliHouse) => join(house.home, 'fleet.db');

/** Drafts: nobody starts them. */
async function fill(house: CliHouse, count = 12): Promise<void> {
  const issue = (n: number) => ({
    id: `bd-${n}`,
    title: `task ${n}`,
    description: `words ${n} `.repeat(50),
    priority: 2,
    status: 'open',
  });
  const file = join(house.directory, 'tasks.jsonl');
  await writeFile(file, Array.from({ length: count }, (_, n) => `${JSON.stringify(issue(n))}\n`).join(''));
  await house.ok(['task', 'import', file, '--directory', house.directory]);
}

/** Overwrites the beginning of every second page after the first few: no header says so. */
async function damagePages(file: string): Promise<void> {
  const bytes = await readFile(file);
  for (let at = 4 * PAGE; at < bytes.length; at += 2 * PAGE) bytes.fill(0xff, at, at + 64);
  await writeFile(file, bytes);
}

const damageHeader = async (file: string) => {
  const bytes = await readFile(file);
  bytes.fill(0x21, 0, 40);
  await writeFile(file, bytes);
};

describe('a damaged database', () => {
  it('makes `fleet db check` end with a failing code, in words and as JSON [STORE-06] [R45]', async () => {
    await using house = await cliHouse();
    await fill(house);
    expect((await house.fleet(['db', 'check'])).code).toBe(0);
    await damagePages(databaseOf(house));
    const said = await house.fleet(['db', 'check']);
    expect({ code: said.code, says: said.out }).toEqual({ code: 7, says: expect.stringContaining('is damaged') });
    const told = await house.fleet(['db', 'check', '--json']);
    expect({ code: told.code, ...told.json() }).toMatchObject({ code: 7, ok: false });
  });

  it('is replaced by a backup after a kill -9 left `up.json` behind [STORE-06] [R45]', async () => {
    await using house = await faultHouse();
    await fill(house);
    const backup = join(house.directory, 'copy.db');
    await house.ok(['db', 'backup', backup]);
    const engine = await house.up();
    await vi.waitFor(() => readFile(join(house.home, 'up.json')), 20_000);
    await damageHeader(databaseOf(house));
    const early = await house.fleet(['db', 'restore', backup]);
    expect({ code: early.code, says: early.err }).toEqual({ code: 4, says: expect.stringContaining(`process ${engine.pid}`) });
    engine.process.kill('SIGKILL');
    await vi.waitFor(() => expect(engine.process.signalCode).toBe('SIGKILL'), 10_000);
    expect((await readdir(house.home)).includes('up.json')).toBe(true);
    await house.ok(['db', 'restore', backup]);
    expect((await house.ok(['task', 'list'])).out).toContain('task 11');
  });
});

describe('a database that cannot be read at all', () => {
  it('is called that by every command that meets it, and none of them changes it [STORE-05] [R45]', async () => {
    await using house = await cliHouse();
    await fill(house, 3);
    await damageHeader(databaseOf(house));
    const before = await readFile(databaseOf(house));
    for (const args of [['db', 'accept'], ['db', 'check'], ['task', 'list'], ['up'], ['doctor']]) {
      const { code, out, err } = await house.fleet(args);
      expect({ args, code, says: out + err }).toEqual({ args, code: 7, says: expect.stringMatching(/not a (fleet )?database/) });
    }
    expect((await readFile(databaseOf(house))).equals(before)).toBe(true);
    await rm(databaseOf(house));
    await mkdir(databaseOf(house));
    for (const args of [['db', 'accept'], ['db', 'check'], ['task', 'list'], ['up'], ['doctor']]) {
      const { code, out, err } = await house.fleet(args);
      expect({ args, code, says: out + err }).toEqual({ args, code: 7, says: expect.not.stringContaining('fault in Fleet') });
    }
  });
});

describe('damage in a large database', () => {
  it('is found beside the work, told by health and status, and ends all writing until it is restored [STORE-05] [R45]', async () => {
    await using house = await faultHouse();
    await fill(house, 3);
    const backup = join(house.directory, 'copy.db');
    await house.ok(['db', 'backup', backup]);
    // Pages of a table that Fleet never reads: nothing but a look through the whole file finds what is wrong with them.
    const db = openDatabase(databaseOf(house));
    db.exec('CREATE TABLE unread (bytes); CREATE INDEX unread_bytes ON unread (bytes)');
    db.exec(
      'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 72) INSERT INTO unread SELECT zeroblob(1000000) FROM n',
    );
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    db.close();
    const bytes = await readFile(databaseOf(house));
    bytes.fill(0xff, bytes.length - 100 * PAGE);
    await writeFile(databaseOf(house), bytes);
    const engine = await house.up();
    const { url } = await vi.waitFor(async () => JSON.parse(await readFile(join(house.home, 'up.json'), 'utf8')), 20_000);
    await vi.waitFor(async () => {
      const health = await fetch(`${url}/health`);
      expect({ code: health.status, ...((await health.json()) as object) }).toMatchObject({
        code: 503,
        reasons: ['store_damaged'],
      });
    }, 60_000);
    expect((await house.ok(['status'])).out).toContain('is damaged');
    const refused = await house.fleet(['task', 'create', '--directory', house.directory, '--prompt', 'more']);
    expect({ code: refused.code, says: refused.err }).toEqual({
      code: 7,
      says: expect.stringMatching(/is damaged.*nothing more is written to it.*fleet db restore/s),
    });
    expect((await house.ok(['task', 'list'])).out).toContain('task 2');
    expect(engine.process.exitCode).toBeNull();
    await house.ok(['up', '--stop']);
    await house.ok(['db', 'restore', backup]);
    await house.ok(['task', 'create', '--directory', house.directory, '--prompt', 'more', '--draft']);
    expect((await house.ok(['db', 'check'])).out).not.toContain('✗');
  });
});

describe('a start', () => {
  it('refuses a database with damaged pages, and doctor and check say so [STORE-05] [R45]', async () => {
    await using house = await cliHouse();
    await fill(house, 40);
    await house.ok(['db', 'backup']);
    await damagePages(databaseOf(house));
    const before = await readFile(databaseOf(house));
    for (const words of [['up'], ['run'], ['up', '--background']]) {
      const up = await house.fleet(words);
      expect({ code: up.code, says: up.err }).toEqual({ code: 7, says: expect.stringContaining('damaged') });
    }
    expect((await house.fleet(['up'])).err).toContain("fleet db restore '");
    expect((await readFile(databaseOf(house))).equals(before)).toBe(true);
    expect((await house.fleet(['doctor'])).code).toBe(7);
  });

  it('refuses an emptied or missing database, until a backup is restored or the loss is accepted [STORE-05] [STORE-06]', async () => {
    await using house = await cliHouse();
    await fill(house, 3);
    const backup = join(house.directory, 'copy.db');
    await house.ok(['db', 'backup', backup]);
    const nothing = await house.fleet(['db', 'accept']);
    expect({ code: nothing.code, says: nothing.err }).toEqual({
      code: 4,
      says: expect.stringContaining('nothing is known to be lost'),
    });
    const isRefused = async (...args: string[]) => {
      const { code, out, err } = await house.fleet(args);
      expect({ args, code, says: out + err }).toEqual({ args, code: 7, says: expect.stringContaining('is empty or gone') });
    };
    await writeFile(databaseOf(house), '');
    for (const args of [['up'], ['task', 'list'], ['db', 'check'], ['init']]) await isRefused(...args);
    expect(await readFile(databaseOf(house), 'utf8')).toBe('');
    await rm(databaseOf(house));
    for (const args of [['up'], ['task', 'list'], ['db', 'check'], ['doctor']]) await isRefused(...args);
    await house.ok(['db', 'restore', backup]);
    expect((await house.ok(['task', 'list'])).out).toContain('task 2');
    await rm(databaseOf(house));
    await house.ok(['db', 'accept']);
    expect((await house.ok(['task', 'list'])).out).toContain('No tasks');
    await house.ok(['db', 'check']);
  });

  it('refuses a database whose write-ahead log was removed while it was stopped [STORE-05]', async () => {
    await using house = await faultHouse();
    await fill(house, 3);
    const engine = await house.up();
    // A command that finds nobody there opens the database itself, and empties the log when it closes it.
    await vi.waitFor(() => readFile(join(house.home, 'up.json')), 20_000);
    await house.ok(['task', 'create', '--draft', '--prompt', 'accepted', '--title', 'accepted']);
    engine.process.kill('SIGKILL');
    await vi.waitFor(() => expect(engine.process.signalCode).toBe('SIGKILL'), 10_000);
    await house.ok(['db', 'check']);
    await rm(`${databaseOf(house)}-wal`);
    const check = await house.fleet(['db', 'check', '--json']);
    expect({ code: check.code, ...check.json() }).toMatchObject({
      code: 7,
      ok: false,
      findings: [expect.stringContaining('write-ahead log')],
    });
    for (const args of [['up'], ['task', 'list']]) {
      const { code, err } = await house.fleet(args);
      expect({ code, err }).toEqual({ code: 7, err: expect.stringContaining('write-ahead log') });
      expect(err).toContain('fleet db accept');
    }
    await house.ok(['db', 'accept']);
    expect((await house.ok(['task', 'list'])).out).toContain('task 2');
    await house.ok(['db', 'check']);
  });
});

describe('files of writers that were killed', () => {
  it('are swept at the next start [STORE-06]', async () => {
    await using house = await faultHouse();
    const left = (name: string) => join(house.home, `${name}.${randomUUID()}.tmp`);
    const [live, old, fresh] = [left('up.json'), left('runtime.toml'), left('runtime.toml')];
    for (const file of [live, old, fresh]) await writeFile(file, 'half');
    await utimes(old, new Date(0), new Date(0));
    await house.up();
    await vi.waitFor(() => readFile(join(house.home, 'up.json')), 20_000);
    const names = (await readdir(house.home)).filter((name) => name.endsWith('.tmp'));
    expect(names.map((name) => join(house.home, name))).toEqual([fresh]);
  });
});
