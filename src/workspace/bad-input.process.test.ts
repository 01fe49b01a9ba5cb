import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ground, who } from './fixtures/ground.ts';
import { commitWork } from './save/commit-work.ts';
import { save } from './save/save.ts';
import { provision, reset } from './tree/provision.ts';
import { removeSite } from './tree/remove-site.ts';

const plain = { copyFiles: [], setupPaths: [] };

it('says what is wrong with a repository that was moved, has no commit, or lacks the one asked for', async () => {
  using at = ground();
  const { env, start } = at;
  const site = at.site();
  const wish = { branch: 'x', start, ...plain };
  await expect(provision(site, { ...wish, start: '0'.repeat(39).concat('1') }, env)).rejects.toMatchObject({
    code: 'not_found',
    message: expect.stringContaining('does not have the commit'),
  });
  await expect(provision(site, { ...wish, start: 'main' }, env)).rejects.toMatchObject({ code: 'invalid' });
  await expect(provision(site, { ...wish, branch: 'bad..name' }, env)).rejects.toMatchObject({ code: 'invalid' });
  await expect(provision({ ...site, id: '../x' }, wish, env)).rejects.toMatchObject({ code: 'invalid' });
  await expect(provision({ ...site, path: join(at.repository, 'inside') }, wish, env)).rejects.toMatchObject({ code: 'invalid' });
  const empty = join(at.root, 'empty');
  mkdirSync(empty);
  at.git(empty, 'init', '-q');
  await expect(provision({ ...at.site('9'), repository: empty }, wish, env)).rejects.toMatchObject({
    message: expect.stringContaining('no commit yet'),
  });
  await provision(site, wish, env);
  renameSync(at.repository, join(at.root, 'moved'));
  for (const act of [
    provision(site, wish, env),
    reset(site, plain, env),
    save(site, { ref: 'refs/fleet/x', message: 'k', who }, env),
  ])
    await expect(act).rejects.toMatchObject({ code: 'not_found', message: expect.stringContaining('was it moved') });
  await removeSite(site, { trash: at.trash }, env);
  expect(existsSync(site.path)).toBe(false);
});

it('works from a bare repository and from a linked worktree of one', async () => {
  using at = ground();
  const bare = join(at.root, 'bare.git');
  at.git(at.root, 'clone', '-q', '--bare', at.repository, bare);
  const linked = join(at.root, 'linked');
  at.git(bare, 'worktree', 'add', '-q', '-b', 'linked', linked);
  for (const [name, repository] of [
    ['1', bare],
    ['2', linked],
  ] as const)
    for (const isolation of ['worktree', 'clone'] as const) {
      const site = { ...at.site(`${name}-${isolation}`, isolation), repository };
      expect(
        await provision(site, { branch: `x/${name}`, start: at.start, copyFiles: ['a.txt'], setupPaths: [] }, at.env),
      ).toMatchObject({ how: 'new' });
      writeFileSync(join(site.path, 'a.txt'), 'work\n');
      const { commit } = await save(site, { ref: `refs/fleet/keep/${name}`, message: 'k', who }, at.env);
      expect(at.git(bare, 'rev-parse', `refs/fleet/keep/${name}`)).toBe(commit);
      expect(await commitWork(site, { message: 'w', who }, at.env)).toMatchObject({ made: true });
      await removeSite(site, { trash: at.trash }, at.env);
      if (isolation === 'worktree') at.git(bare, 'branch', '-D', `x/${name}`);
    }
  expect(at.git(bare, 'worktree', 'list').split('\n')).toHaveLength(2);
});

it('refuses a branch that is checked out elsewhere, or whose name is taken as a directory, and leaves no other', async () => {
  using at = ground();
  const { env, start } = at;
  await expect(provision(at.site(), { branch: 'main', start, ...plain }, env)).rejects.toMatchObject({
    code: 'conflict',
    details: { where: at.repository },
  });
  await provision(at.site('1'), { branch: 'a', start, ...plain }, env);
  await expect(provision(at.site('2'), { branch: 'a', start, ...plain }, env)).rejects.toMatchObject({
    code: 'conflict',
    details: { where: at.site('1').path },
  });
  await expect(provision(at.site('2'), { branch: 'a/b', start, ...plain }, env)).rejects.toMatchObject({ code: 'conflict' });
  await expect(provision(at.site('1'), { branch: 'c', start, ...plain }, env)).rejects.toMatchObject({ code: 'conflict' });
  expect(at.git(at.repository, 'branch', '--list', '--format=%(refname:short)')).toBe('a\nmain');
  expect(await provision(at.site('2'), { branch: 'c', start, ...plain }, env)).toMatchObject({ how: 'renewed' });
});

it('continues a branch that is there, and lays out a commit without one', async () => {
  using at = ground();
  const { env, start } = at;
  at.git(at.repository, 'branch', 'x');
  at.write('shop/a.txt', 'two\n');
  at.git(at.repository, 'commit', '-qam', 'two');
  const two = at.git(at.repository, 'rev-parse', 'HEAD');
  expect(await provision(at.site(), { branch: 'x', start: two, ...plain }, env)).toMatchObject({ head: start });
  const gate = at.site('gate');
  for (const commit of [start, two, start]) {
    expect(await provision(gate, { start: commit, ...plain }, env)).toMatchObject({ head: commit });
    expect(at.git(gate.path, 'rev-parse', 'HEAD')).toBe(commit);
    expect(at.git(gate.path, 'status', '--porcelain')).toBe('');
    writeFileSync(join(gate.path, 'made-by-the-gate'), '');
  }
  expect(readFileSync(join(at.repository, 'a.txt'), 'utf8')).toBe('two\n');
});

it('says that a home cannot be written', async () => {
  using at = ground();
  const home = join(at.root, 'file');
  writeFileSync(home, '');
  chmodSync(home, 0o400);
  const site = { ...at.site(), path: join(home, 'workspaces/shop/1') };
  await expect(provision(site, { branch: 'x', start: at.start, ...plain }, at.env)).rejects.toMatchObject({
    code: 'unavailable',
  });
  await expect(
    provision(at.site(), { branch: 'x', start: at.start, ...plain }, { ...at.env, FLEET_HOME: home }),
  ).rejects.toMatchObject({ code: 'unavailable' });
});

it('says that the disk is full, and goes on when there is room again', async ({ skip }) => {
  using at = ground({ 'big.txt': 'x'.repeat(3_000_000), 'a.txt': 'a\n' });
  const disk = join(at.root, 'disk');
  mkdirSync(disk);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', disk], { stdio: 'ignore' });
  } catch {
    skip('a small tmpfs cannot be mounted by this user');
  }
  try {
    const site = { ...at.site(), path: join(disk, 'shop/1') };
    const wish = { branch: 'x', start: at.start, ...plain };
    await expect(provision(site, wish, at.env)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('disk is full'),
    });
    expect(at.git(at.repository, 'branch', '--list', 'x')).toBe('');
    execFileSync('mount', ['-o', 'remount,size=20m', disk]);
    expect(await provision(site, wish, at.env)).toMatchObject({ how: 'renewed', head: at.start });
    expect(at.git(site.path, 'status', '--porcelain')).toBe('');
  } finally {
    execFileSync('umount', ['--lazy', disk]);
  }
});
