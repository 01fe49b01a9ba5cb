import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it, vi } from 'vitest';
import { inFullRun } from '../../../test/full-only.ts';
import { scanProcesses } from '../../platform/proc.ts';
import { type Ground, ground, who } from '../fixtures/ground.ts';
import { listSites } from '../list-sites.ts';
import { save } from '../save/save.ts';
import { provision } from './provision.ts';
import { removeSite } from './remove-site.ts';

const PROGRAM = fileURLToPath(new URL('../fixtures/lay-out-many.ts', import.meta.url));
const plain = { copyFiles: [], setupPaths: [] };

const many = (n: number) => Object.fromEntries(Array.from({ length: n }, (_, at) => [`d${at % 20}/f${at}.txt`, `text ${at}\n`]));

const start = (at: Ground, env = at.env): ChildProcess =>
  spawn(
    process.execPath,
    ['--import', 'tsx', PROGRAM, at.repository, join(at.root, 'fleet/workspaces/shop'), at.start, '1', '2'],
    {
      env,
      cwd: process.cwd(),
      stdio: 'ignore',
    },
  );

const ours = async (at: Ground) =>
  (await scanProcesses(['FLEET_GIT_AT'])).filter(({ variables }) => variables['FLEET_GIT_AT']?.startsWith(at.root));

const until = (isTrue: () => Promise<boolean> | boolean): Promise<void> =>
  vi.waitFor(async () => expect(await isTrue()).toBe(true), { timeout: 30_000, interval: 1 });

/** The site is whole, and nothing else is there. */
function expectWhole(at: Ground): void {
  const { path } = at.site();
  expect(at.git(path, 'status', '--porcelain', '-b')).toBe('## x/task/1');
  expect(at.git(at.repository, 'worktree', 'list').split('\n')).toHaveLength(2);
  expect(readdirSync(`${path}.fleet`).sort()).toEqual(['index', 'mark.json']);
  expect(readdirSync(join(at.repository, '.git')).filter((name) => name.startsWith('fleet-'))).toEqual([]);
}

it('lays out again after a kill -9 anywhere in the middle [R29] [R32]', async () => {
  using at = ground(many(400));
  const kills = inFullRun ? 60 : 8;
  for (let kill = 0; kill < kills; kill += 1) {
    const child = start(at);
    // Program start-up is left behind; from there on every kill is a little later than the one before.
    await until(() => existsSync(`${at.site().path}.fleet`) || child.exitCode !== null);
    await sleep((kill * 120) / kills);
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    await provision(at.site(), { branch: 'x/task/1', start: at.start, ...plain }, at.env);
    expectWhole(at);
    expect(await ours(at)).toEqual([]);
    await removeSite(at.site(), { trash: at.trash }, at.env);
    expect(await listSites(join(at.root, 'fleet/workspaces'))).toEqual([]);
    at.git(at.repository, 'branch', '-D', 'x/task/1');
  }
});

it('ends a git of its own that outlived a killed process before it works on the same files [R29]', async () => {
  using at = ground({ ...many(5), '.gitattributes': '*.txt filter=slow\n' });
  const gate = join(at.root, 'gate');
  const filter = join(at.root, 'slow');
  writeFileSync(filter, `#!/bin/sh\nwhile [ ! -e '${gate}' ]; do sleep 0.05; done\ncat\n`);
  chmodSync(filter, 0o755);
  at.git(at.root, 'config', '--global', 'filter.slow.smudge', filter);
  const child = start(at);
  await until(async () => (await ours(at)).length > 0 && existsSync(`${at.site().path}.fleet/index.lock`));
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect((await ours(at)).length).toBeGreaterThan(0);
  writeFileSync(gate, '');
  rmSync(gate);
  const before = (await ours(at)).map(({ pid }) => pid);
  const again = provision(at.site(), { branch: 'x/task/1', start: at.start, ...plain }, at.env);
  await until(async () => !(await ours(at)).some(({ pid }) => before.includes(pid)));
  writeFileSync(gate, '');
  await again;
  expectWhole(at);
});

it('clears away locks whose owner is dead, and reports one whose owner may live [R29]', async () => {
  using at = ground();
  const { env } = at;
  const old = (file: string) => {
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, '');
    utimesSync(file, 1_000_000, 1_000_000);
    return file;
  };
  const common = join(at.repository, '.git');
  const locks = [join(common, 'refs/heads/x/task/1.lock'), join(common, 'config.lock'), join(common, 'index.lock')].map(old);
  await provision(at.site(), { branch: 'x/task/1', start: at.start, ...plain }, env);
  expect(locks.map((lock) => existsSync(lock))).toEqual([false, true, true]);
  for (const lock of locks.slice(1)) rmSync(lock);
  const own = old(join(common, 'worktrees/fleet-ws_1/index.lock'));
  expect(spawnSync('git', ['add', '-A'], { cwd: at.site().path, env }).status).not.toBe(0);
  expect(await provision(at.site(), { branch: 'x/task/1', start: at.start, ...plain }, env)).toMatchObject({ how: 'kept' });
  expect(existsSync(own)).toBe(false);
  const ref = old(join(common, 'refs/fleet/keep/1.lock'));
  const holder = spawn('sh', ['-c', `exec 9<>'${ref}'; echo held; exec sleep 60`], { stdio: ['ignore', 'pipe', 'ignore'] });
  await once(holder.stdout, 'data');
  utimesSync(ref, 1_000_000, 1_000_000);
  const wish = { ref: 'refs/fleet/keep/1', message: 'k', who };
  await expect(save(at.site(), wish, env)).rejects.toThrow(/1\.lock/);
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  expect((await save(at.site(), wish, env)).commit).toBe(at.start);
});

it('goes on with the files of a tree whose entry somebody has pruned', async () => {
  using at = ground();
  await provision(at.site(), { branch: 'x/task/1', start: at.start, ...plain }, at.env);
  writeFileSync(join(at.site().path, 'a.txt'), 'work\n');
  rmSync(join(at.repository, '.git/worktrees'), { recursive: true });
  expect(await provision(at.site(), { branch: 'x/task/1', start: at.start, ...plain }, at.env)).toMatchObject({ how: 'kept' });
  expect(readFileSync(join(at.site().path, 'a.txt'), 'utf8')).toBe('work\n');
  expect(at.git(at.site().path, 'status', '--porcelain', '-b')).toBe('## x/task/1\n M a.txt');
});
