import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { LIMITS } from '../../domain/limits.ts';
import { type Ground, ground, who } from '../fixtures/ground.ts';
import type { Site } from '../site.ts';
import { provision, reset } from '../tree/provision.ts';
import { commitWork } from './commit-work.ts';
import { save } from './save.ts';

const wish = { ref: 'refs/fleet/keep/1', message: 'kept', who };

async function laidOut(at: Ground, isolation: Site['isolation'] = 'worktree'): Promise<Site> {
  const site = at.site('1', isolation);
  await provision(site, { branch: 'x/one', start: at.start, copyFiles: [], setupPaths: [] }, at.env);
  return site;
}

const treeOf = (at: Ground, commit: string): string[] =>
  at
    .git(at.repository, 'ls-tree', '-r', '--name-only', commit)
    .split('\n')
    .filter((name) => name !== '');

const textOf = (at: Ground, commit: string, path: string): string =>
  at.git(at.repository, 'cat-file', 'blob', `${commit}:${path}`);

it('sees through flags that hide a file from git', async () => {
  using at = ground();
  const site = await laidOut(at);
  at.git(site.path, 'update-index', '--assume-unchanged', 'a.txt');
  at.git(site.path, 'update-index', '--skip-worktree', 'src/b.txt');
  writeFileSync(join(site.path, 'a.txt'), 'hidden\n');
  writeFileSync(join(site.path, 'src/b.txt'), 'hidden too\n');
  expect(at.git(site.path, 'status', '--porcelain')).toBe('');
  const { commit, dirty } = await save(site, wish, at.env);
  expect([dirty, textOf(at, commit, 'a.txt'), textOf(at, commit, 'src/b.txt')]).toEqual([true, 'hidden', 'hidden too']);
  await reset(site, { setupPaths: [] }, at.env);
  expect(execFileSync('cat', [join(site.path, 'a.txt'), join(site.path, 'src/b.txt')], { encoding: 'utf8' })).toBe('a\nb\n');
  expect(at.git(site.path, 'ls-files', '-v')).toBe('H a.txt\nH src/b.txt');
});

it('keeps files of repositories inside of the tree, and of strange names, links and modes', async () => {
  using at = ground({ 'a.txt': 'a\n', 'dir/b.txt': 'b\n', 'gone.txt': 'g\n', '.gitignore': 'ignored\n' });
  const site = await laidOut(at);
  const nested = join(site.path, 'nested');
  mkdirSync(join(nested, 'deeper/still'), { recursive: true });
  for (const place of [nested, join(nested, 'deeper')]) {
    at.git(place, 'init', '-q');
    writeFileSync(join(place, 'inner.txt'), 'inner\n');
  }
  at.git(nested, 'add', 'inner.txt');
  at.git(nested, 'commit', '-qm', 'inner');
  rmSync(join(site.path, 'dir'), { recursive: true });
  symlinkSync('nested', join(site.path, 'dir'));
  rmSync(join(site.path, 'gone.txt'));
  mkdirSync(join(site.path, 'gone.txt'));
  for (const name of ['gone.txt/now a directory', ' space ', 'quote"d', 'new\nline', '-dash', 'ünï', 'ignored'])
    writeFileSync(join(site.path, name), 'x');
  writeFileSync(Buffer.concat([Buffer.from(`${site.path}/`), Buffer.from([0x62, 0xff, 0x64])]), 'bad');
  const { commit, left } = await save(site, wish, at.env);
  expect(left).toEqual([]);
  const names = execFileSync('git', ['ls-tree', '-r', '--name-only', '-z', commit], { cwd: at.repository, env: at.env })
    .toString('latin1')
    .split('\0')
    .filter((name) => name !== '');
  expect(names.sort()).toEqual(
    [
      ...['.gitignore', 'a.txt', 'dir', 'gone.txt/now a directory', ' space ', 'quote"d', 'new\nline', '-dash', 'b\xffd'],
      ...[Buffer.from('ünï').toString('latin1'), 'nested/inner.txt', 'nested/deeper/inner.txt'],
    ].sort(),
  );
  const done = await commitWork(site, { message: 'work', who }, at.env);
  expect(done.made).toBe(true);
  expect(at.git(at.repository, 'rev-parse', `${done.commit}^{tree}`)).toBe(
    at.git(at.repository, 'rev-parse', `${commit}^{tree}`),
  );
});

it('keeps the files of a submodule that holds something new, and commits the link to it as git does', async () => {
  using at = ground();
  at.write('library/lib.txt', 'lib\n');
  const library = join(at.root, 'library');
  at.git(library, 'init', '-q');
  at.git(library, 'add', '-A');
  at.git(library, 'commit', '-qm', 'lib');
  at.git(at.repository, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'sub');
  at.git(at.repository, 'commit', '-qm', 'sub');
  const site = at.site();
  await provision(
    site,
    { branch: 'x/one', start: at.git(at.repository, 'rev-parse', 'HEAD'), copyFiles: [], setupPaths: [] },
    at.env,
  );
  expect((await save(site, wish, at.env)).dirty).toBe(false);
  at.git(site.path, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'update', '--init');
  expect((await save(site, wish, at.env)).dirty).toBe(false);
  writeFileSync(join(site.path, 'sub/lib.txt'), 'changed\n');
  expect(textOf(at, (await save(site, wish, at.env)).commit, 'sub/lib.txt')).toBe('changed');
  at.git(join(site.path, 'sub'), 'commit', '-qam', 'inner');
  expect(textOf(at, (await save(site, wish, at.env)).commit, 'sub/lib.txt')).toBe('changed');
  const { commit } = await commitWork(site, { message: 'w', who }, at.env);
  expect(at.git(at.repository, 'rev-parse', `${commit}:sub`)).toBe(at.git(join(site.path, 'sub'), 'rev-parse', 'HEAD'));
});

it('keeps a merge with conflicts, and leaves it to the agent', async () => {
  using at = ground();
  const site = await laidOut(at);
  at.git(site.path, 'checkout', '-q', '-b', 'other', at.start);
  writeFileSync(join(site.path, 'a.txt'), 'theirs\n');
  at.git(site.path, 'commit', '-qam', 'theirs');
  at.git(site.path, 'checkout', '-q', 'x/one');
  writeFileSync(join(site.path, 'a.txt'), 'ours\n');
  at.git(site.path, 'commit', '-qam', 'ours');
  expect(spawnSync('git', ['merge', 'other'], { cwd: site.path, env: at.env }).status).toBe(1);
  const head = at.git(site.path, 'rev-parse', 'HEAD');
  const { commit } = await save(site, wish, at.env);
  expect(textOf(at, commit, 'a.txt')).toContain('<<<<<<<');
  expect(await commitWork(site, { message: 'work', who }, at.env)).toMatchObject({
    commit: head,
    made: false,
    why: expect.stringContaining('conflicts'),
  });
  expect(at.git(site.path, 'status', '--porcelain')).toBe('UU a.txt');
  await reset(site, { setupPaths: [] }, at.env);
  expect(at.git(site.path, 'status')).toBe('Not currently on any branch.\nnothing to commit, working tree clean');
});

it('keeps work on no branch, on a branch without a commit, and with a damaged index', async () => {
  using at = ground();
  const site = await laidOut(at);
  at.git(site.path, 'checkout', '-q', '--detach');
  writeFileSync(join(site.path, 'a.txt'), 'detached\n');
  const done = await commitWork(site, { message: 'work', who }, at.env);
  expect(done).toMatchObject({ made: true });
  expect([at.git(site.path, 'rev-parse', 'HEAD'), at.git(site.path, 'rev-parse', 'x/one')]).toEqual([done.commit, at.start]);
  at.git(site.path, 'checkout', '-q', '--orphan', 'empty');
  const orphan = await save(site, wish, at.env);
  expect([orphan.dirty, textOf(at, orphan.commit, 'a.txt')]).toEqual([true, 'detached']);
  at.git(site.path, 'checkout', '-q', '-f', 'x/one');
  writeFileSync(join(site.path, 'new.txt'), 'new\n');
  writeFileSync(join(at.repository, '.git/worktrees/fleet-ws_1/index'), 'not an index');
  const damaged = await save(site, wish, at.env);
  expect(treeOf(at, damaged.commit)).toEqual(['a.txt', 'new.txt', 'src/b.txt']);
});

it('names what is too large to keep, so that nobody removes it', async () => {
  using at = ground();
  const site = await laidOut(at);
  writeFileSync(join(site.path, 'huge'), '');
  truncateSync(join(site.path, 'huge'), LIMITS.keptFileBytes.value + 1);
  writeFileSync(join(site.path, 'new.txt'), 'new\n');
  const { left, commit } = await save(site, wish, at.env);
  expect(left).toEqual(['huge']);
  expect(treeOf(at, commit)).toEqual(['a.txt', 'new.txt', 'src/b.txt']);
  expect(await commitWork(site, { message: 'work', who }, at.env)).toMatchObject({
    made: false,
    why: expect.stringContaining('huge'),
  });
});

it('names what git leaves out for its name, and takes the rest', async () => {
  using at = ground();
  const site = await laidOut(at);
  mkdirSync(join(site.path, 'sub'));
  for (const name of ['.GIT', 'git~1', 'sub/.gIt', 'work.txt']) writeFileSync(join(site.path, name), 'x');
  const { left, commit } = await save(site, wish, at.env);
  expect([[...left].sort(), treeOf(at, commit)]).toEqual([
    ['.GIT', 'git~1', 'sub/.gIt'],
    ['a.txt', 'src/b.txt', 'work.txt'],
  ]);
  expect(await commitWork(site, { message: 'work', who }, at.env)).toMatchObject({
    made: false,
    why: expect.stringContaining('git~1'),
  });
});

it('names it also where git says so much besides that it stops listening', async () => {
  using at = ground();
  const site = await laidOut(at);
  writeFileSync(join(site.path, '.gitattributes'), '* text eol=crlf\n');
  for (let n = 0; n < 1_000; n += 1) writeFileSync(join(site.path, `+${n}`), `${n}\n`);
  writeFileSync(join(site.path, '.GIT'), 'x');
  expect((await save(site, wish, at.env)).left).toEqual(['.GIT']);
});

it('keeps what is there while an agent goes on writing', async () => {
  using at = ground(Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`f${n}.txt`, `${n}\n`])));
  const site = await laidOut(at);
  let going = true;
  let n = 0;
  const agent = (async () => {
    for (; going; n += 1) {
      const file = join(site.path, `f${n % 60}.txt`);
      rmSync(file, { recursive: true, force: true });
      if (n % 3 === 0) mkdirSync(file);
      else writeFileSync(file, `${n}\n`.repeat((n % 50) + 1));
      if (n % 3 === 1) renameSync(file, join(site.path, `moved${n % 7}`));
      if (n % 5 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  for (let round = 0; round < 5; round += 1) await save(site, wish, at.env);
  going = false;
  await agent;
  const { left } = await save(site, wish, at.env);
  expect([left, n > 0]).toEqual([[], true]);
});

it('moves no branch that is checked out elsewhere, whatever an agent has checked out [WORK-08]', async () => {
  using at = ground();
  const site = await laidOut(at);
  at.git(site.path, 'symbolic-ref', 'HEAD', 'refs/heads/main');
  writeFileSync(join(site.path, 'a.txt'), 'work\n');
  expect(await commitWork(site, { message: 'work', who }, at.env)).toMatchObject({
    made: false,
    commit: at.start,
    why: expect.stringContaining('also checked out'),
  });
  expect(at.git(at.repository, 'rev-parse', 'main')).toBe(at.start);
});

it('brings everything out of a clone: other branches and the stash too', async () => {
  using at = ground();
  const site = await laidOut(at, 'clone');
  expect(at.git(site.path, 'branch', '-r')).toBe('origin/main');
  at.git(site.path, 'checkout', '-q', '-b', 'aside');
  writeFileSync(join(site.path, 'a.txt'), 'aside\n');
  at.git(site.path, 'commit', '-qam', 'aside');
  writeFileSync(join(site.path, 'a.txt'), 'stashed\n');
  at.git(site.path, 'stash');
  at.git(site.path, 'checkout', '-q', 'x/one');
  writeFileSync(join(site.path, 'a.txt'), 'work\n');
  const { commit } = await save(site, wish, at.env);
  expect(textOf(at, commit, 'a.txt')).toBe('work');
  expect(textOf(at, 'refs/fleet/keep/1.also/heads/aside', 'a.txt')).toBe('aside');
  expect(textOf(at, 'refs/fleet/keep/1.also/stash', 'a.txt')).toBe('stashed');
  rmSync(site.path, { recursive: true });
  expect(at.git(at.repository, 'fsck', '--strict', '--no-dangling')).toBe('');
  expect(at.git(at.repository, 'branch', '--list')).toBe('* main');
});

it('takes no commits of a clone whose objects are not what their names say, but its files [WORK-13]', async () => {
  using at = ground();
  const site = await laidOut(at, 'clone');
  writeFileSync(join(site.path, 'a.txt'), 'work\n');
  at.git(site.path, 'commit', '-qam', 'work');
  const head = at.git(site.path, 'rev-parse', 'HEAD');
  const blob = at.git(site.path, 'rev-parse', 'HEAD:a.txt');
  const other = execFileSync('git', ['hash-object', '-w', '--stdin'], {
    cwd: site.path,
    env: at.env,
    input: 'forged\n',
    encoding: 'utf8',
  }).trim();
  const file = (id: string) => join(site.path, '.git/objects', id.slice(0, 2), id.slice(2));
  rmSync(file(blob), { force: true });
  mkdirSync(join(file(blob), '..'), { recursive: true });
  renameSync(file(other), file(blob));
  const { commit, unread } = await save(site, wish, at.env);
  expect(unread).toContain('not sound');
  expect(textOf(at, commit, 'a.txt')).toBe('work');
  expect(at.git(at.repository, 'rev-parse', `${commit}^`)).toBe(at.start);
  expect(spawnSync('git', ['cat-file', '-e', head], { cwd: at.repository, env: at.env }).status).toBe(1);
});

it.each(['HEAD', 'objects', 'refs', '.'])('keeps the files of a clone whose repository has lost %s', async (part) => {
  using at = ground();
  const site = await laidOut(at, 'clone');
  writeFileSync(join(site.path, 'new.txt'), 'new\n');
  rmSync(join(site.path, '.git', part), { recursive: true });
  const { commit, left } = await save(site, wish, at.env);
  expect([left, textOf(at, commit, 'new.txt'), treeOf(at, commit).length]).toEqual([[], 'new', 3]);
  await reset(site, { setupPaths: [] }, at.env);
  await provision(site, { branch: 'x/two', start: at.start, copyFiles: [], setupPaths: [] }, at.env);
  expect(at.git(site.path, 'status', '--porcelain', '-b')).toBe('## x/two');
});
