import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { inFullRun } from '../../../test/full-only.ts';
import { type Ground, ground } from '../fixtures/ground.ts';
import { provision } from './provision.ts';
import { removeSite } from './remove-site.ts';

const SECRET = 'not of this project';

/** The site's files that are not of the commit, with what is in them. */
function foreign(at: Ground, path = at.site().path, below = ''): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(join(path, below), { withFileTypes: true })) {
    const name = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) Object.assign(found, foreign(at, path, name));
    else if (!['.git', 'a.txt', '.gitignore', 'out'].includes(name)) found[name] = readFileSync(join(path, name), 'utf8');
  }
  return found;
}

it('copies files and directories with their modes, and says what it skipped [WORK-03]', async () => {
  using at = ground({ 'a.txt': 'a\n', '.gitignore': '.env\nconfig/\n' });
  at.write('shop/.env', 'A=1\n');
  at.write('shop/config/deep/run.sh', 'run\n');
  chmodSync(join(at.repository, 'config/deep/run.sh'), 0o750);
  symlinkSync('config/deep/run.sh', join(at.repository, 'inside'));
  at.write('shop/a.txt', 'changed here\n');
  const copyFiles = [
    '.env',
    'config',
    './config//deep',
    'a.txt',
    'nothing',
    'inside',
    '../shop/.env',
    '.git/config',
    '/etc/hostname',
    '',
  ];
  const { skipped } = await provision(at.site(), { branch: 'x', start: at.start, copyFiles, setupPaths: [] }, at.env);
  expect(skipped).toEqual(['a.txt', 'nothing', '../shop/.env', '.git/config', '/etc/hostname', '']);
  expect(foreign(at)).toEqual({ '.env': 'A=1\n', 'config/deep/run.sh': 'run\n', inside: 'run\n' });
  expect(statSync(join(at.site().path, 'config/deep/run.sh')).mode & 0o777).toBe(0o750);
  expect(readFileSync(join(at.site().path, 'a.txt'), 'utf8')).toBe('a\n');
});

it('takes nothing from outside of the project, whatever leads there [T13]', async () => {
  using at = ground({ 'a.txt': 'a\n' });
  at.write('outside/secret', SECRET);
  const project = (name: string) => join(at.repository, name);
  mkdirSync(project('dir'));
  for (const [target, name] of [
    [join(at.root, 'outside/secret'), 'absolute'],
    ['../outside/secret', 'relative'],
    [join(at.root, 'outside'), 'linked'],
    ['loop', 'loop'],
    ['/proc/self/environ', 'environ'],
    ['/proc/self/root', 'root'],
    [join(at.root, 'outside/secret'), 'dir/absolute'],
    ['../../outside', 'dir/linked'],
    ['.', 'dir/self'],
  ] as const)
    symlinkSync(target, project(name));
  execFileSync('mkfifo', [project('pipe'), project('dir/pipe')]);
  writeFileSync(project('dir/plain'), 'plain\n');
  const copyFiles = [
    'absolute',
    'relative',
    'linked',
    'linked/secret',
    'loop',
    'environ',
    'root/etc/hostname',
    'pipe',
    'dir',
    'dir/linked/secret',
  ];
  const { skipped } = await provision(at.site(), { branch: 'x', start: at.start, copyFiles, setupPaths: [] }, at.env);
  expect(foreign(at)).toEqual({ 'dir/plain': 'plain\n' });
  expect(skipped).toEqual(expect.arrayContaining(copyFiles.filter((name) => name !== 'dir')));
  expect(skipped).toEqual(expect.arrayContaining(['dir/absolute', 'dir/linked', 'dir/self', 'dir/pipe']));
});

it('takes nothing from outside while directories are swapped for links [T13]', async () => {
  using at = ground({ 'a.txt': 'a\n' });
  at.write('outside/file', SECRET);
  at.write('shop/real/file', 'plain\n');
  const [real, aside] = [join(at.repository, 'real'), join(at.repository, 'aside')];
  let going = true;
  let swaps = 0;
  const swapper = (async () => {
    for (; going; swaps += 1) {
      renameSync(real, aside);
      symlinkSync(join(at.root, 'outside'), real);
      await new Promise((resolve) => setImmediate(resolve));
      rmSync(real);
      renameSync(aside, real);
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  const rounds = inFullRun ? 100 : 8;
  for (let round = 0; round < rounds; round += 1) {
    const copyFiles = Array.from({ length: 60 }, () => ['real/file', 'real']).flat();
    await provision(at.site(), { start: at.start, copyFiles, setupPaths: [] }, at.env);
    for (const text of Object.values(foreign(at))) expect(text).toBe('plain\n');
  }
  going = false;
  await swapper;
  expect(swaps).toBeGreaterThan(100);
});

it('writes nothing through links the commit has in the place of directories [T13]', async () => {
  using at = ground({ 'a.txt': 'a\n' });
  mkdirSync(join(at.root, 'outside'));
  symlinkSync(join(at.root, 'outside'), join(at.repository, 'out'));
  at.git(at.repository, 'add', '-A');
  at.git(at.repository, 'commit', '-qm', 'link');
  rmSync(join(at.repository, 'out'));
  at.write('shop/out/file', 'x');
  const start = at.git(at.repository, 'rev-parse', 'HEAD');
  const { skipped } = await provision(at.site(), { branch: 'x', start, copyFiles: ['out/file', 'out'], setupPaths: [] }, at.env);
  expect(skipped).toEqual(['out/file', 'out']);
  expect(readdirSync(join(at.root, 'outside'))).toEqual([]);
  await removeSite(at.site(), { trash: at.trash }, at.env);
  expect(existsSync(join(at.root, 'outside'))).toBe(true);
});
