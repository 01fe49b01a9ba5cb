import { chmod, mkdir, open, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fullOnly } from '../full-only.ts';
import { type CliHouse, cliHouse } from '../support/cli-house.ts';

/** What a tired person reads: one line that names what was seen, and an exit code by fault. */
async function refuses(house: CliHouse, args: readonly string[], code: number, ...words: string[]): Promise<void> {
  const answer = await house.fleet(args);
  expect({ args, code: answer.code, out: answer.out }).toEqual({ args, code, out: '' });
  for (const word of words) expect(answer.err).toContain(word);
  expect(answer.err).not.toMatch(/\bat .*\.m?js:\d+/);
}

describe('bad input', () => {
  it('about places: not a repository, no commit, not there, a file', async () => {
    await using house = await cliHouse();
    const path = (name: string) => join(house.directory, name);
    await mkdir(path('plain'));
    await mkdir(path('empty'));
    await house.git(path('empty'), 'init', '-q');
    await writeFile(path('file'), '');
    await symlink(path('loop'), path('loop'));
    await refuses(house, ['project', 'add', path('plain')], 2, 'plain is not a git repository', 'git init', '--plain');
    await refuses(house, ['project', 'add', path('empty')], 2, 'has no commit yet');
    await refuses(house, ['project', 'add', path('nowhere')], 2, 'nowhere', 'no such directory');
    await refuses(house, ['project', 'add', path('file')], 2, 'it is a file');
    await refuses(house, ['project', 'add', path('loop')], 2, 'circle');
    await refuses(house, ['project', 'add'], 2, 'PATH');
    expect((await house.ok(['project', 'list', '--json'])).json()).toEqual({ items: [] });
  });

  fullOnly('about names: spaces and Unicode are fine, what could be taken for something else is not', async () => {
    await using house = await cliHouse();
    const repo = await house.repository('a $(touch pwned) repo');
    await house.ok(['project', 'add', repo, '--name', 'Größe und Maß']);
    await house.ok([
      'task',
      'create',
      '--project',
      'größe und maß',
      '--prompt',
      '$(touch pwned) `touch pwned`; "quoted" \'too\'',
    ]);
    await house.ok(['task', 'create', '--project', 'Größe und Maß', '--prompt=--help', '--title', '絵文字 🎉']);
    expect((await house.ok(['task', 'list'])).out).toContain('絵文字 🎉');
    for (const name of ['', ' ', '$(touch pwned)', 'a"b', 'a;b', '../up', 'a\nb', 'x'.repeat(65)])
      await refuses(house, ['project', 'add', repo, `--name=${name}`], 2, 'name');
    await refuses(house, ['project', 'add', repo, '--name=--verify'], 2, '--verify');
    await expect(readFile(join(house.directory, 'pwned'))).rejects.toThrow('ENOENT');
  });

  fullOnly(
    'about tasks: unknown project or executor, empty and over-long prompts, wrong numbers, unknown flags and commands',
    async () => {
      await using house = await cliHouse();
      await house.ok(['project', 'add', await house.repository(), '--name', 'shop']);
      const create = ['task', 'create', '--project', 'shop'];
      await refuses(house, ['task', 'create', '--project', 'shp', '--prompt', 'x'], 3, '"shp"', 'known are shop');
      await refuses(house, [...create, '--prompt', 'x', '--executor', 'cloude'], 2, '"cloude"', 'known are claude');
      await refuses(house, [...create, '--prompt', ''], 2, 'prompt', 'empty');
      await refuses(house, create, 2, 'prompt');
      await refuses(house, [...create, '--prompt', 'x', '--priority', 'high'], 2, '--priority', '"high"');
      await refuses(house, [...create, '--prompt', 'x', '--priority', '12'], 2, 'priority');
      await refuses(house, [...create, '--prompt', 'x', '--pririty', '1'], 2, '--pririty', '--priority');
      await refuses(house, ['tusk', 'create'], 2, 'tusk', 'task');
      await refuses(house, ['task', 'crate'], 2, 'crate', 'create');
      await refuses(house, ['task', 'show', 'nonsense!'], 3, 'nonsense!');
      await refuses(house, [...create, '--prompt', 'x', '--after', 'zzzzzz'], 3, 'zzzzzz');
      const big = join(house.directory, 'big.txt');
      await writeFile(big, 'x'.repeat(1024 * 1024 + 1));
      await refuses(house, [...create, '--prompt-file', big], 2, '1048576');
      expect((await house.ok(['task', 'list', '--json'])).json()).toEqual({ items: [] });
      await writeFile(big, 'y'.repeat(1024 * 1024));
      const { id } = (await house.ok([...create, '--prompt-file', big, '--json'])).json<{ id: string }>();
      expect((await house.ok(['task', 'show', id, '--json'])).json<{ prompt: string }>().prompt).toHaveLength(1024 * 1024);
    },
  );

  it('about cycles: refused with the path, and nothing changes', async () => {
    await using house = await cliHouse();
    const create = async (...more: string[]) =>
      (await house.ok(['task', 'create', '--prompt', 'x', '--json', ...more])).json<{ id: string }>().id;
    const a = await create();
    const b = await create('--after', a);
    await refuses(house, ['task', 'edit', a, '--after', b], 2, `${a} → ${b} → ${a}`);
    expect((await house.ok(['task', 'show', a, '--json'])).json()).toMatchObject({ dependsOn: [], seq: 1 });
  });

  it('errors are JSON for programs that ask for it', async () => {
    await using house = await cliHouse();
    const answer = await house.fleet(['task', 'show', 'task_00000000000000000000000000', '--json']);
    expect(answer.code).toBe(3);
    expect(JSON.parse(answer.err)).toMatchObject({ error: { code: 'not_found', message: expect.stringContaining('task_0') } });
  });
});

describe('a home that cannot be used', () => {
  it('is named, with what to do: a file in its place, not writable, a bad variable', async () => {
    await using house = await cliHouse();
    const file = join(house.directory, 'file');
    await writeFile(file, 'mine');
    const inside = (path: string) => ({ env: { FLEET_HOME: path } });
    for (const path of [file, join(file, 'below')]) {
      const answer = await house.fleet(['task', 'list'], inside(path));
      expect({ path, code: answer.code }).toEqual({ path, code: 7 });
      expect(answer.err).toContain(path);
    }
    expect((await house.fleet(['status'], inside('/proc/nope'))).err).toContain('belongs to the kernel');
    expect((await house.fleet(['status'], inside(''))).err).toContain('FLEET_HOME');
    expect((await house.fleet(['status'], { env: { STORAGE_BACKEND: 'oracle' } })).err).toContain('"oracle"');
    expect((await house.fleet(['status'], { env: { FLEET_MAX_CONCURRENT: 'many' } })).err).toContain('FLEET_MAX_CONCURRENT');
    expect(await readFile(file, 'utf8')).toBe('mine');
  });

  it.skipIf(process.getuid?.() !== 0)('is refused when it belongs to somebody else', async () => {
    await using house = await cliHouse();
    await mkdir(house.home, { mode: 0o500 });
    await chmod(house.directory, 0o755);
    const program = join(import.meta.dirname, '../../dist/fleet.mjs');
    const answer = await house.node([
      '-e',
      `process.setgid(65534); process.setuid(65534); process.argv.splice(1, 1, 'fleet', 'task', 'list'); import(${JSON.stringify(program)})`,
      'x',
    ]);
    expect(answer.code).not.toBe(0);
    expect(answer.err).toContain(house.home);
  });

  it('says that the database is damaged, touches nothing, and takes a backup back [R45] [STORE-06]', async () => {
    await using house = await cliHouse();
    await house.ok(['task', 'create', '--prompt', 'keep me', '--title', 'precious']);
    await house.ok(['task', 'create', '--prompt', 'z'.repeat(20_000)]);
    const backup = join(house.directory, 'copy.db');
    await house.ok(['db', 'backup', backup]);
    await refuses(house, ['db', 'backup', backup], 4, backup);
    const database = join(house.home, 'fleet.db');
    await rm(`${database}-wal`, { force: true });
    const file = await open(database, 'r+');
    await file.write(Buffer.from('this is no database at all'), 0, 26, 0);
    await file.close();
    const before = await readFile(database);
    await refuses(house, ['task', 'list'], 7, database, 'damaged', 'fleet db restore');
    expect((await readFile(database)).equals(before)).toBe(true);
    const check = await house.fleet(['db', 'check', '--json']);
    expect(check.json()).toMatchObject({ ok: false });
    await house.ok(['db', 'restore', backup]);
    expect((await house.ok(['task', 'list'])).out).toContain('precious');
    expect((await house.ok(['db', 'check', '--json'])).json()).toMatchObject({ ok: true, findings: [] });
    await refuses(house, ['db', 'restore', join(house.directory, 'nothing.db')], 3, 'nothing.db');
  });

  it('keeps the last good settings when the file is broken, and says so everywhere [CONF-01]', async () => {
    await using house = await cliHouse();
    await house.ok(['config', 'set', 'max_concurrent=7', 'person=Ann the boss']);
    const file = join(house.home, 'runtime.toml');
    await writeFile(file, 'max_concurrent = = 9\n');
    expect((await house.ok(['status'])).out).toContain('runtime.toml');
    const shown = (await house.ok(['config', 'show', '--json'])).json<{
      problem: string;
      items: { name: string; value: unknown; origin: string }[];
    }>();
    expect(shown.problem).toContain('runtime.toml');
    expect(shown.items.find(({ name }) => name === 'max_concurrent')).toMatchObject({ value: 7, origin: 'file' });
    await refuses(house, ['config', 'set', 'max_concurrent=8'], 2, 'runtime.toml');
    expect(await readFile(file, 'utf8')).toBe('max_concurrent = = 9\n');
    await refuses(house, ['config', 'set', 'max_concurent=8'], 3, 'max_concurent', 'max_concurrent');
  });
});
