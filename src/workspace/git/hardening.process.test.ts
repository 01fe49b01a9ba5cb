import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ATTRIBUTES, plant, plantNested, sang, wroteElsewhere } from '../fixtures/attacks.ts';
import { canary, type Ground, ground, who } from '../fixtures/ground.ts';
import { inspect } from '../inspect.ts';
import { listSites } from '../list-sites.ts';
import { commitWork } from '../save/commit-work.ts';
import { save } from '../save/save.ts';
import type { Site } from '../site.ts';
import { provision, reset } from '../tree/provision.ts';
import { removeSite } from '../tree/remove-site.ts';
import { madeBySetup } from '../tree/setup-paths.ts';
import { ask } from './in-repository.ts';

const files = { '.gitattributes': ATTRIBUTES, 'a.txt': 'a\n', 'b.md': 'b\n' };
const plain = { copyFiles: ['b.md', '.env'], setupPaths: [] };

/** Every function of the room that calls git, on a site an agent has prepared and on a second one of the same repository. */
async function everything(at: Ground, site: Site): Promise<void> {
  const { env, start } = at;
  writeFileSync(join(site.path, 'a.txt'), 'work\n');
  writeFileSync(join(site.path, 'new.txt'), 'new\n');
  writeFileSync(join(site.path, 'new.md'), 'new\n');
  await save(site, { ref: 'refs/fleet/keep/1', message: 'kept', who }, env);
  const done = await commitWork(site, { message: 'work', who }, env);
  expect(done.made).toBe(true);
  expect(
    at.git(
      at.repository,
      'cat-file',
      'blob',
      `${(await save(site, { ref: 'refs/fleet/keep/2', message: 'k', who }, env)).commit}:new.md`,
    ),
  ).toBe('new');
  await madeBySetup(site, env);
  expect(await provision(site, { branch: 'x/one', start, ...plain }, env)).toMatchObject({ how: 'kept' });
  await reset(site, { setupPaths: [] }, env);
  await provision(site, { branch: 'x/two', start, ...plain }, env);
  const other = at.site('2', site.isolation);
  await provision(other, { branch: 'x/three', start, ...plain }, env);
  for (const one of [site, other]) await removeSite(one, { trash: at.trash }, env);
  expect(await listSites(join(at.root, 'fleet/workspaces'))).toEqual([]);
}

/** What else our own code may ask of git. */
async function questions(at: Ground, directory: string): Promise<void> {
  const { env } = at;
  await inspect(directory, env);
  for (const args of [
    ['status', '--porcelain'],
    ['diff', 'HEAD'],
    ['log', '-p', '-1'],
    ['diff', '--stat', 'HEAD'],
    ['merge-tree', '--write-tree', 'HEAD', 'HEAD'],
    ['blame', 'a.txt'],
    ['cat-file', '-e', '0123456789012345678901234567890123456789'],
    ['fetch', 'origin'],
    ['fetch', 'evil'],
    ['push', 'evil', 'HEAD'],
    ['worktree', 'list', '--porcelain'],
    ['config', '--get', 'user.name'],
    ['commit', '--allow-empty', '-m', 'x'],
    ['tag', '-a', 'v', '-m', 'v'],
    ['interpret-trailers', '--trailer', 'fleet=x'],
    ['submodule', 'update', '--init'],
    ['gc', '--auto'],
  ])
    for (const mode of ['closed', 'user'] as const) await ask(directory, args, env, { mode });
}

it('runs nothing that is planted in a shared repository, through any function of the room [WORK-13] [T11]', async () => {
  using at = ground(files);
  const site = at.site();
  at.write('shop/.env', 'x=1\n');
  await provision(site, { branch: 'x/one', start: at.start, ...plain }, at.env);
  plantNested(at, site.path);
  plant(at, join(at.repository, '.git'), 'shared');
  plant(at, join(at.repository, '.git/worktrees/fleet-ws_1'), 'entry');
  await questions(at, at.repository);
  await questions(at, join(site.path, 'nested'));
  await questions(at, join(site.path, 'bare'));
  await everything(at, site);
  expect(sang(at)).toEqual([]);
  expect(wroteElsewhere(at)).toEqual([]);
});

it('runs nothing that is planted in a clone [WORK-13] [T11]', async () => {
  using at = ground(files);
  const site = at.site('1', 'clone');
  await provision(site, { branch: 'x/one', start: at.start, ...plain }, at.env);
  plantNested(at, site.path);
  plant(at, join(site.path, '.git'), 'clone');
  await questions(at, site.path);
  await everything(at, site);
  expect(sang(at)).toEqual([]);
  expect(wroteElsewhere(at)).toEqual([]);
});

it('has canaries that do sing in the hands of a git that is not disarmed [T11]', async () => {
  using at = ground(files);
  plant(at, join(at.repository, '.git'), 'shared');
  writeFileSync(join(at.repository, 'a.txt'), 'work\n');
  const armed = (...args: string[]) =>
    spawnSync('git', args, { cwd: at.repository, env: { ...at.env, GIT_WORK_TREE: at.repository }, timeout: 20_000 });
  armed('diff', 'HEAD');
  armed('add', '-A');
  armed('commit', '-m', 'x');
  for (const name of ['filter.evil.clean', 'diff.evil.command', 'worktree-config', 'gpg.program', 'hook-post-index-change'])
    expect(sang(at)).toContain(`sang-shared-${name}`);
});

it('is not led astray by an agent that points its tree to another repository [T11]', async () => {
  using at = ground(files);
  const site = at.site();
  await provision(site, { branch: 'x/one', start: at.start, ...plain }, at.env);
  const trap = join(at.root, 'trap');
  mkdirSync(trap);
  at.git(trap, 'init', '-q');
  plant(at, join(trap, '.git'), 'trap');
  writeFileSync(join(site.path, '.git'), `gitdir: ${join(trap, '.git')}\n`);
  await everything(at, site);
  rmSync(join(at.root, 'fleet/trash'), { recursive: true, force: true });
  expect(sang(at)).toEqual([]);
});

it('is not led astray by the variables of who called us [T11]', async () => {
  using at = ground(files);
  const { program } = canary(at, 'variable');
  const names = ['GIT_EXTERNAL_DIFF', 'GIT_SSH', 'GIT_SSH_COMMAND', 'GIT_PROXY_COMMAND', 'GIT_EDITOR', 'GIT_SEQUENCE_EDITOR'];
  const programs = [...names, 'GIT_PAGER', 'GIT_ASKPASS', 'SSH_ASKPASS'].map((name) => [name, program]);
  const astray = {
    ...Object.fromEntries(programs),
    GIT_DIR: '/nonexistent',
    GIT_WORK_TREE: '/nonexistent',
    GIT_COMMON_DIR: '/nonexistent',
    GIT_INDEX_FILE: '/nonexistent/index',
    GIT_OBJECT_DIRECTORY: '/nonexistent',
    GIT_ALTERNATE_OBJECT_DIRECTORIES: '/nonexistent',
    GIT_NAMESPACE: 'other',
    GIT_CONFIG_PARAMETERS: `'core.fsmonitor=${program}'`,
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'core.fsmonitor',
    GIT_CONFIG_VALUE_0: program,
    GIT_CEILING_DIRECTORIES: '/',
    GIT_EXEC_PATH: '/nonexistent',
  };
  const site = at.site();
  const led = { ...at, env: { ...at.env, ...astray } };
  await provision(site, { branch: 'x/one', start: at.start, ...plain }, led.env);
  await everything(led, site);
  expect(sang(at)).toEqual([]);
});

it("runs a filter of the user's own configuration when it lays out and keeps", async () => {
  using at = ground({ 'a.txt': 'A\n', '.gitattributes': '*.txt filter=upper\n' });
  at.git(at.root, 'config', '--global', 'filter.upper.smudge', 'tr A-Z a-z');
  at.git(at.root, 'config', '--global', 'filter.upper.clean', 'tr a-z A-Z');
  const site = at.site();
  await provision(site, { branch: 'x/one', start: at.start, ...plain }, at.env);
  expect(await ask(site.path, ['status', '--porcelain'], at.env, { mode: 'user' })).toMatchObject({ ok: true, out: '' });
  writeFileSync(join(site.path, 'a.txt'), 'changed\n');
  const { commit } = await save(site, { ref: 'refs/fleet/keep/1', message: 'kept', who }, at.env);
  expect(at.git(at.repository, 'cat-file', 'blob', `${commit}:a.txt`)).toBe('CHANGED');
});

it('gives a worktree the attributes that the user has set for all repositories, as the git of its agent does', async () => {
  using at = ground({ 'a.txt': 'A\n' });
  at.write('user/attributes', '*.txt filter=upper\n');
  at.git(at.root, 'config', '--global', 'core.attributesFile', join(at.root, 'user/attributes'));
  at.git(at.root, 'config', '--global', 'filter.upper.smudge', 'tr A-Z a-z');
  at.git(at.root, 'config', '--global', 'filter.upper.clean', 'tr a-z A-Z');
  const site = at.site();
  await provision(site, { branch: 'x/one', start: at.start, ...plain }, at.env);
  expect(readFileSync(join(site.path, 'a.txt'), 'utf8')).toBe('a\n');
  expect(at.git(site.path, 'status', '--porcelain')).toBe('');
  expect(await save(site, { ref: 'refs/fleet/keep/1', message: 'kept', who }, at.env)).toMatchObject({ dirty: false });
});

it('asks no network for objects that a repository does not have, whatever its settings say [T11]', async () => {
  using at = ground(files);
  const asked: (string | undefined)[] = [];
  const server = createServer(({ url }, answer) => {
    asked.push(url);
    answer.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const set = (key: string, value: string) => at.git(at.repository, 'config', key, value);
    set('core.repositoryFormatVersion', '1');
    set('extensions.partialClone', 'evil');
    set('remote.evil.promisor', 'true');
    set('remote.evil.url', `http://127.0.0.1:${port}/EXFIL`);
    const missing = '0123456789012345678901234567890123456789';
    const { ok } = await ask(at.repository, ['cat-file', '-e', missing], at.env);
    const started = await provision(at.site(), { branch: 'x/one', start: missing, ...plain }, at.env).catch(
      (error: Error) => error,
    );
    expect([ok, started instanceof Error, asked]).toEqual([false, true, []]);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
});
