import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Ground, ground, who } from '../fixtures/ground.ts';
import { commitWork } from '../save/commit-work.ts';
import { importBranch } from '../save/import-branch.ts';
import { save } from '../save/save.ts';
import type { Site } from '../site.ts';
import { provision, reset } from '../tree/provision.ts';
import { removeSite } from '../tree/remove-site.ts';
import { madeBySetup } from '../tree/setup-paths.ts';
import { privatePlaces } from './places.ts';
import { showBranches } from './show.ts';

const plain = { copyFiles: [], setupPaths: [] };
const wish = { ref: 'refs/fleet/keep/1', message: 'kept', who };

async function laidOut(at: Ground, start = at.start, name = '1'): Promise<Site> {
  const site = at.site(name, 'clone');
  await provision(site, { branch: 'x/one', start, ...plain }, at.env);
  return site;
}

const succeeds = (at: Ground, directory: string, ...args: string[]): boolean =>
  spawnSync('git', args, { cwd: directory, env: at.env }).status === 0;

const commitIn = (at: Ground, directory: string, name: string, text: string): string => {
  writeFileSync(join(directory, name), text);
  at.git(directory, 'add', '-A');
  at.git(directory, 'commit', '-qm', name);
  return at.git(directory, 'rev-parse', 'HEAD');
};

it('status is clean at the start, and nothing of the project is mentioned in its git directory', async () => {
  using at = ground();
  at.git(at.repository, 'tag', '-a', 'v1', '-m', 'one');
  const site = await laidOut(at);
  expect(at.git(site.path, 'status', '--porcelain', '-b')).toBe('## x/one');
  expect(at.git(site.path, 'describe')).toBe('v1');
  expect(at.git(site.path, 'branch', '-r')).toBe('origin/main');
  const texts = readdirSync(join(site.path, '.git'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'index')
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
  expect(texts.filter((text) => text.includes(at.repository))).toEqual([]);
  expect(at.git(site.path, 'fsck', '--strict')).toBe('');
});

it('commits are made in it in the name of its person, also by who keeps the files of a home from git', async () => {
  using at = ground();
  at.git(at.repository, 'config', 'user.name', 'Ada "the Heron" \\ Byron');
  at.git(at.repository, 'config', 'user.email', 'ada@example.invalid');
  const site = await laidOut(at);
  const { GIT_AUTHOR_NAME: _, GIT_AUTHOR_EMAIL: __, GIT_COMMITTER_NAME: ___, GIT_COMMITTER_EMAIL: ____, ...env } = at.env;
  const without = { ...env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
  execFileSync('git', ['commit', '-q', '--allow-empty', '-m', 'mine'], { cwd: site.path, env: without });
  expect(at.git(site.path, 'log', '-1', '--format=%an <%ae>')).toBe('Ada "the Heron" \\ Byron <ada@example.invalid>');
});

it('a private branch, a stash and a dropped commit of the user cannot be read in it [RUN-16]', async () => {
  using at = ground();
  at.git(at.repository, 'checkout', '-q', '-b', 'private');
  const secret = commitIn(at, at.repository, 'secret.txt', 'secret\n');
  at.git(at.repository, 'checkout', '-q', 'main');
  const dropped = commitIn(at, at.repository, 'dropped.txt', 'dropped\n');
  at.git(at.repository, 'reset', '-q', '--hard', at.start);
  writeFileSync(join(at.repository, 'a.txt'), 'stashed\n');
  at.git(at.repository, 'stash');
  const stash = at.git(at.repository, 'rev-parse', 'stash@{0}');
  // A clone that may see the private branch makes Fleet pack it.
  const other = at.site('2', 'clone');
  await provision(other, { branch: 'x/two', start: secret, ...plain }, at.env);
  expect(succeeds(at, other.path, 'cat-file', '-e', secret)).toBe(true);
  const site = await laidOut(at);
  for (const id of [secret, `${secret}:secret.txt`, dropped, stash])
    expect([id, succeeds(at, site.path, 'cat-file', '-e', id)]).toEqual([id, false]);
  expect(at.git(site.path, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/x/one\nrefs/remotes/origin/main');
});

it('is whole whatever the user removes from the project', async () => {
  using at = ground();
  at.git(at.repository, 'checkout', '-q', '-b', 'side');
  const side = commitIn(at, at.repository, 'side.txt', 'side\n');
  at.git(at.repository, 'checkout', '-q', 'main');
  const site = await laidOut(at, side);
  at.git(at.repository, 'branch', '-D', 'side');
  at.git(at.repository, 'reflog', 'expire', '--expire=now', '--all');
  at.git(at.repository, 'gc', '-q', '--prune=now');
  expect(succeeds(at, at.repository, 'cat-file', '-e', side)).toBe(false);
  expect(at.git(site.path, 'fsck', '--strict')).toBe('');
  expect(at.git(site.path, 'show', 'HEAD:side.txt')).toBe('side');
});

it('history is packed once and then by increments, also of many branches', async () => {
  using at = ground();
  const sites = [await laidOut(at)];
  for (let n = 2; n < 6; n += 1) {
    const tip = commitIn(at, at.repository, `${n}.txt`, `${n}\n`);
    sites.push(await laidOut(at, tip, String(n)));
  }
  const packs = (site: Site) => readdirSync(join(privatePlaces(site).history, 'pack')).filter((name) => name.endsWith('.pack'));
  expect(sites.map((site) => packs(site).length)).toEqual([1, 2, 3, 4, 5]);
  for (const site of sites) expect(at.git(site.path, 'fsck', '--strict')).toBe('');
  const again = at.site('again', 'clone');
  await provision(again, { branch: 'x/again', start: at.start, ...plain }, at.env);
  expect(packs(again)).toEqual(packs(sites[0] as Site));
});

it('begins at a commit that no branch of the project holds any more', async () => {
  using at = ground();
  const first = await laidOut(at);
  const work = commitIn(at, first.path, 'work.txt', 'work\n');
  await save(first, wish, at.env);
  const second = at.site('2', 'clone');
  await provision(second, { branch: 'x/two', start: work, ...plain }, at.env);
  expect(at.git(second.path, 'log', '--format=%s')).toBe('work.txt\none');
  expect(at.git(second.path, 'status', '--porcelain')).toBe('');
});

it.each(['--depth=1', '--object-format=sha256'])('works for a project made with %s', async (option) => {
  using at = ground();
  const path = join(at.root, 'odd');
  if (option === '--depth=1') {
    commitIn(at, at.repository, 'second.txt', 'second\n');
    at.git(at.root, 'clone', '-q', option, `file://${at.repository}`, path);
  } else {
    at.git(at.root, 'init', '-q', option, path);
    commitIn(at, path, 'first.txt', 'first\n');
  }
  const site: Site = { ...at.site('1', 'clone'), repository: path };
  const start = at.git(path, 'rev-parse', 'HEAD');
  await provision(site, { branch: 'x/one', start, ...plain }, at.env);
  expect(at.git(site.path, 'status', '--porcelain', '-b')).toBe('## x/one');
  expect(at.git(site.path, 'log', '--format=%H')).toBe(start);
  const own = commitIn(at, site.path, 'own.txt', 'own\n');
  writeFileSync(join(site.path, 'loose.txt'), 'loose\n');
  const done = await commitWork(site, { message: 'work', who }, at.env);
  expect(at.git(path, 'rev-parse', `${await importBranch(site, { from: 'x/one', ref: 'refs/heads/x/one' }, at.env)}^`)).toBe(own);
  expect(at.git(path, 'ls-tree', '--name-only', done.commit)).toContain('loose.txt');
  expect(at.git(path, 'fsck', '--strict')).not.toMatch(/error|missing/);
});

it('refuses a project that does not have all its objects, and says so', async () => {
  using at = ground();
  const path = join(at.root, 'partial');
  at.git(at.repository, 'config', 'uploadpack.allowFilter', 'true');
  at.git(at.root, 'clone', '-q', '--no-checkout', '--filter=blob:none', `file://${at.repository}`, path);
  const site: Site = { ...at.site('1', 'clone'), repository: path };
  await expect(provision(site, { branch: 'x/one', start: at.start, ...plain }, at.env)).rejects.toThrow(
    /partial clone|read-tree/,
  );
});

it('keeps the commits of its agent as they are, and commits the rest on top', async () => {
  using at = ground();
  const site = await laidOut(at);
  const own = commitIn(at, site.path, 'own.txt', 'own\n');
  writeFileSync(join(site.path, 'loose.txt'), 'loose\n');
  const done = await commitWork(site, { message: 'the rest\n\nFleet-Task: t', who }, at.env);
  expect(done.made).toBe(true);
  expect(await importBranch(site, { from: 'x/one', ref: 'refs/heads/x/one' }, at.env)).toBe(done.commit);
  expect(at.git(at.repository, 'log', '--format=%H %an %s', 'x/one')).toBe(
    [`${done.commit} Ada the rest`, `${own} Ada own.txt`, `${at.start} Ada one`].join('\n'),
  );
  expect(at.git(site.path, 'status', '--porcelain', '-b')).toBe('## x/one');
  expect(at.git(site.path, 'rev-parse', 'HEAD')).toBe(done.commit);
  const next = commitIn(at, site.path, 'next.txt', 'next\n');
  expect(await commitWork(site, { message: 'none', who }, at.env)).toEqual({ commit: next, made: false });
  expect(await importBranch(site, { from: 'x/one', ref: 'refs/heads/x/one' }, at.env)).toBe(next);
  expect(at.git(at.repository, 'fsck', '--strict')).not.toMatch(/error|missing/);
});

it('names what its set-up made without asking git, and a cleared one holds nothing else of the task', async () => {
  using at = ground({ 'a.txt': 'a\n', 'src/b.txt': 'b\n', '.gitignore': 'deps\n' });
  const site = await laidOut(at);
  mkdirSync(join(site.path, 'deps/one'), { recursive: true });
  writeFileSync(join(site.path, 'deps/one/x'), 'x');
  writeFileSync(join(site.path, 'src/made'), 'x');
  expect((await madeBySetup(site, at.env)).paths).toEqual(['deps', 'src/made']);
  commitIn(at, site.path, 'work.txt', 'work\n');
  await reset(site, { setupPaths: ['deps'] }, at.env);
  expect(readdirSync(site.path).sort()).toEqual(['.gitignore', 'a.txt', 'deps', 'src']);
  expect(readdirSync(join(site.path, 'src'))).toEqual(['b.txt']);
  expect(readdirSync(`${site.path}.fleet`).sort()).toEqual(['index', 'mark.json']);
  await removeSite(site, { trash: at.trash }, at.env);
  expect([existsSync(site.path), existsSync(`${site.path}.fleet`)]).toEqual([false, false]);
});

it('of a sandboxed agent is no repository on the host, whose parts lie beside it [RUN-16]', async () => {
  using at = ground();
  const site: Site = { ...at.site('1', 'clone'), trust: 'sandboxed' };
  await provision(site, { branch: 'x/one', start: at.start, ...plain }, at.env);
  expect(readdirSync(join(site.path, '.git'))).toEqual([]);
  expect(succeeds(at, site.path, 'rev-parse', '--git-dir')).toBe(false);
  const { agentGit } = privatePlaces(site);
  expect(lstatSync(join(agentGit, 'HEAD')).isFile()).toBe(true);
  const env = { ...at.env, GIT_DIR: agentGit, GIT_WORK_TREE: site.path };
  expect(execFileSync('git', ['status', '--porcelain'], { env, cwd: site.path, encoding: 'utf8' })).toBe('');
  await expect(save(site, wish, at.env)).rejects.toThrow(/only looked at in a sandbox/);
});

it('of an agent that is to merge a target that has moved has what it needs, and hands the merge in [WORK-13]', async () => {
  using at = ground();
  const site = await laidOut(at);
  commitIn(at, site.path, 'a.txt', 'ours\n');
  await commitWork(site, { message: 'work', who }, at.env);
  const moved = commitIn(at, at.repository, 'a.txt', 'theirs\n');
  at.git(at.repository, 'checkout', '-q', '-b', 'other/task');
  const other = commitIn(at, at.repository, 'other.txt', 'other\n');
  at.git(at.repository, 'checkout', '-q', 'main');
  expect(succeeds(at, site.path, 'cat-file', '-e', moved)).toBe(false);
  await showBranches(site, { target: 'main', branches: ['other/task', 'gone'] }, at.env);
  expect(at.git(site.path, 'rev-parse', 'main', 'origin/main', 'origin/other/task')).toBe([moved, moved, other].join('\n'));
  expect(succeeds(at, site.path, 'merge', 'main')).toBe(false);
  expect(await commitWork(site, { message: 'half', who }, at.env)).toMatchObject({
    made: false,
    why: expect.stringContaining('conflicts'),
  });
  // Nothing of what it is at was taken from the agent.
  expect(at.git(site.path, 'status', '--porcelain')).toBe('UU a.txt');
  writeFileSync(join(site.path, 'a.txt'), 'both\n');
  at.git(site.path, 'add', 'a.txt');
  expect(await commitWork(site, { message: 'half', who }, at.env)).toMatchObject({ made: false, why: 'a merge is under way' });
  at.git(site.path, 'commit', '-qm', 'merged');
  writeFileSync(join(site.path, 'after.txt'), 'after\n');
  const done = await commitWork(site, { message: 'rest', who }, at.env);
  expect(await importBranch(site, { from: 'x/one', ref: 'refs/heads/x/one' }, at.env)).toBe(done.commit);
  expect(at.git(at.repository, 'merge-base', 'main', 'x/one')).toBe(moved);
  expect(at.git(site.path, 'rev-parse', 'origin/main')).toBe(moved);
  await showBranches(site, { target: 'main', branches: [] }, at.env);
  expect(at.git(site.path, 'rev-parse', 'main')).toBe(moved);
});

it('is shown branches by no link that its agent has left', async () => {
  using at = ground();
  const site = await laidOut(at);
  const elsewhere = join(at.root, 'elsewhere');
  mkdirSync(elsewhere);
  rmSync(join(site.path, '.git/refs'), { recursive: true });
  symlinkSync(elsewhere, join(site.path, '.git/refs'));
  await showBranches(site, { target: 'main', branches: [] }, at.env);
  rmSync(join(site.path, '.git'), { recursive: true });
  symlinkSync(elsewhere, join(site.path, '.git'));
  await showBranches(site, { target: 'main', branches: [] }, at.env);
  expect(readdirSync(elsewhere)).toEqual([]);
});
