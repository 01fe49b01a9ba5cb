import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Ground, ground, who } from '../fixtures/ground.ts';
import { save } from '../save/save.ts';
import type { Site } from '../site.ts';
import { provision, reset } from './provision.ts';
import { emptyTrash, removeSite } from './remove-site.ts';
import { fingerprintOf, madeBySetup } from './setup-paths.ts';

const files = {
  'a.txt': 'a\n',
  'src/b.txt': 'b\n',
  'src/deep/c.txt': 'c\n',
  'lib/d.txt': 'd\n',
  'run.sh': 'run\n',
  '.gitignore': 'ignored/\n',
};

/** Every path below a directory with kind, mode and content, but git's own. */
function picture(path: string, below = ''): Record<string, string> {
  const seen: Record<string, string> = {};
  for (const name of readdirSync(join(path, below)).sort()) {
    if (below === '' && name === '.git') continue;
    const inner = join(below, name);
    const found = lstatSync(join(path, inner));
    const mode = (found.mode & 0o7777).toString(8);
    seen[inner] = found.isDirectory()
      ? `directory ${mode}`
      : found.isFile()
        ? `${mode} ${readFileSync(join(path, inner), 'utf8')}`
        : 'other';
    if (found.isDirectory()) Object.assign(seen, picture(path, inner));
  }
  return seen;
}

/** What the former task can leave behind, all at once. */
function ransack(at: Ground, site: Site): void {
  const here = (name: string) => join(site.path, name);
  at.git(site.path, 'commit', '-q', '--allow-empty', '-m', 'mine');
  for (const name of ['ignored/cache/x', 'untracked/deep/y', 'nested/z']) at.write(`fleet/workspaces/shop/1/${name}`, 'left');
  at.git(here('nested'), 'init', '-q');
  mkdirSync(here('empty/dirs'), { recursive: true });
  mkdirSync(here('locked/in'), { recursive: true });
  writeFileSync(here('locked/in/file'), 'left');
  chmodSync(here('locked/in'), 0o500);
  chmodSync(here('locked'), 0o500);
  execFileSync('mkfifo', [here('pipe')]);
  writeFileSync(Buffer.concat([Buffer.from(`${site.path}/`), Buffer.from([0xff, 0xfe])]), 'left');
  at.git(site.path, 'update-index', '--assume-unchanged', 'a.txt');
  at.git(site.path, 'update-index', '--skip-worktree', 'run.sh');
  writeFileSync(here('a.txt'), 'X\n');
  utimesSync(here('a.txt'), 1, 1);
  chmodSync(here('run.sh'), 0o777);
  chmodSync(here('src/b.txt'), 0o600);
  chmodSync(here('src/deep'), 0o700);
  renameSync(here('lib'), here('elsewhere'));
  symlinkSync('elsewhere', here('lib'));
  at.git(site.path, 'config', 'core.hooksPath', here('untracked'));
  at.git(site.path, 'update-ref', 'refs/bisect/bad', 'HEAD');
  at.git(site.path, 'update-ref', 'refs/worktree/mine', 'HEAD');
  if (site.isolation === 'clone') at.git(site.path, 'branch', 'of-the-former');
  const config = spawnSync('git', ['rev-parse', '--git-path', 'info/sparse-checkout'], {
    cwd: site.path,
    env: at.env,
    encoding: 'utf8',
  });
  mkdirSync(join(config.stdout.trim(), '..'), { recursive: true });
  writeFileSync(config.stdout.trim(), '/src/\n');
  at.git(site.path, 'config', 'core.sparseCheckout', 'true');
  const gitDir = at.git(site.path, 'rev-parse', '--absolute-git-dir');
  writeFileSync(join(gitDir, 'MERGE_HEAD'), `${at.start}\n`);
  writeFileSync(join(gitDir, 'config.worktree'), '[user]\n\tname = Mallory\n');
  mkdirSync(join(gitDir, 'rebase-merge'));
  writeFileSync(join(gitDir, 'index.lock'), '');
}

it.each(['worktree', 'clone'] as const)('gives nothing of the former task to the next, in a %s', async (isolation) => {
  using at = ground(files);
  const { env, start } = at;
  const [site, fresh] = [at.site('1', isolation), at.site('2', isolation)];
  const plain = { start, copyFiles: [], setupPaths: [] };
  await provision(site, { branch: 'x/one', ...plain }, env);
  ransack(at, site);
  await save(site, { ref: 'refs/fleet/keep/1', message: 'k', who }, env);
  await reset(site, { setupPaths: [] }, env);
  await reset(site, { setupPaths: [] }, env);
  expect(await provision(site, { branch: 'x/two', ...plain }, env)).toMatchObject({ how: 'renewed', head: start });
  await provision(fresh, { branch: 'x/three', ...plain }, env);
  expect(picture(site.path)).toEqual(picture(fresh.path));
  if (isolation === 'worktree') at.git(at.repository, 'config', '--unset', 'core.sparseCheckout');
  const gitDir = (path: string) => at.git(path, 'rev-parse', '--absolute-git-dir');
  const own = (path: string) => readdirSync(gitDir(path)).sort();
  expect(own(site.path)).toEqual(own(fresh.path));
  expect(at.git(site.path, 'status', '--porcelain', '--ignored', '-b')).toBe('## x/two');
  expect(at.git(site.path, 'ls-files', '-v')).toBe(at.git(fresh.path, 'ls-files', '-v'));
  expect(at.git(site.path, 'for-each-ref', 'refs/bisect', 'refs/worktree')).toBe('');
  expect(at.git(site.path, 'branch', '--list', 'of-the-former')).toBe('');
});

it('touches nothing behind a link that stands in the place of a directory [T13]', async () => {
  using at = ground(files);
  const site = at.site();
  await provision(site, { branch: 'x/one', start: at.start, copyFiles: [], setupPaths: [] }, at.env);
  at.write('outside/deep/c.txt', 'mine');
  at.write('outside/b.txt', 'mine');
  chmodSync(join(at.root, 'outside/b.txt'), 0o600);
  chmodSync(join(at.root, 'outside/deep'), 0o700);
  execFileSync('mkfifo', [join(at.root, 'outside/deep/pipe')]);
  const before = picture(join(at.root, 'outside'));
  rmSync(join(site.path, 'src'), { recursive: true });
  symlinkSync(join(at.root, 'outside'), join(site.path, 'src'));
  symlinkSync(join(at.root, 'outside'), join(site.path, 'made'));
  await reset(site, { setupPaths: ['made/deep'] }, at.env);
  expect(picture(join(at.root, 'outside'))).toEqual(before);
  expect(readFileSync(join(site.path, 'src/deep/c.txt'), 'utf8')).toBe('c\n');
});

it('forgets a task that forged the times of its files', async () => {
  using at = ground(files);
  const { env, start } = at;
  const site = at.site();
  await provision(site, { branch: 'x/one', start, copyFiles: [], setupPaths: [] }, env);
  const before = lstatSync(join(site.path, 'a.txt'));
  writeFileSync(join(site.path, 'a.txt'), 'X\n');
  utimesSync(join(site.path, 'a.txt'), before.atime, before.mtime);
  at.git(site.path, 'add', 'a.txt');
  await reset(site, { setupPaths: [] }, env);
  expect(readFileSync(join(site.path, 'a.txt'), 'utf8')).toBe('a\n');
});

it('has a fingerprint of the set-up that every change alters', async () => {
  using at = ground(files);
  const site = at.site();
  await provision(site, { branch: 'x/one', start: at.start, copyFiles: [], setupPaths: [] }, at.env);
  at.write('fleet/workspaces/shop/1/ignored/lib/x.js', 'x');
  at.write('fleet/workspaces/shop/1/src/ignored/y.js', 'y');
  const { paths, fingerprint } = await madeBySetup(site, at.env);
  expect(paths).toEqual(['ignored', 'src/ignored']);
  const file = join(site.path, 'ignored/lib/x.js');
  const seen = [fingerprint];
  for (const change of [
    () => writeFileSync(file, 'z'),
    () => chmodSync(file, 0o755),
    () => rmSync(file),
    () => symlinkSync('/etc', file),
    () => writeFileSync(join(site.path, 'ignored/lib/new'), ''),
  ]) {
    change();
    seen.push(await fingerprintOf(site, paths));
  }
  expect(new Set(seen).size).toBe(seen.length);
  expect(await fingerprintOf(site, paths)).toBe(seen.at(-1));
});

it('keeps a set-up path inside of a directory that goes', async () => {
  using at = ground(files);
  const site = at.site();
  await provision(site, { branch: 'x/one', start: at.start, copyFiles: [], setupPaths: [] }, at.env);
  at.write('fleet/workspaces/shop/1/made/deps/lib.js', 'lib');
  at.write('fleet/workspaces/shop/1/made/junk', 'junk');
  await reset(site, { setupPaths: ['made/deps'] }, at.env);
  expect([existsSync(join(site.path, 'made/deps/lib.js')), existsSync(join(site.path, 'made/junk'))]).toEqual([true, false]);
});

it('empties the trash bit by bit, whatever is in it', async () => {
  using at = ground(files);
  const site = at.site();
  await provision(site, { branch: 'x/one', start: at.start, copyFiles: [], setupPaths: [] }, at.env);
  ransack(at, site);
  at.write('outside/file', 'mine');
  symlinkSync(join(at.root, 'outside'), join(site.path, 'out'));
  const deep = join(site.path, ...Array.from({ length: 120 }, () => 'd'));
  mkdirSync(deep, { recursive: true });
  writeFileSync(join(deep, 'bottom'), '');
  await removeSite(site, { trash: at.trash }, at.env);
  await removeSite(site, { trash: at.trash }, at.env);
  expect(existsSync(site.path)).toBe(false);
  expect((await emptyTrash(at.trash, { forMs: 0 })).left).toBe(3);
  let left = 1;
  for (let turn = 0; left > 0 && turn < 1_000; turn += 1) left = (await emptyTrash(at.trash, { forMs: 50 })).left;
  expect([left, readdirSync(at.trash)]).toEqual([0, []]);
  expect(readFileSync(join(at.root, 'outside/file'), 'utf8')).toBe('mine');
});
