import { chmod, mkdir, readFile, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../platform/clock.ts';
import { type GitGround, gitGround, merged, snapshot } from '../fixtures/git-ground.ts';
import { advance } from './advance.ts';
import { commitOf } from './target.ts';

it('brings a clean checkout of the branch along [WORK-08]', async () => {
  await using ground = await gitGround();
  const { env } = ground;
  const repo = await ground.repository();
  const from = (await commitOf(repo, 'main', env)) ?? '';
  const tip = await ground.commit(repo, 'main', { 'a.txt': 'one\nTWO\nthree\n', 'n/new.txt': 'n\n', 'dir/b.txt': null });
  const to = await merged(repo, from, tip, env);
  expect(await advance(repo, { branch: 'main', from, to, why: 'land it' }, env)).toEqual({ state: 'moved', checkout: repo });
  const after = await snapshot(ground, repo);
  expect(after['status']).toBe(`# branch.oid ${to}\n# branch.head main`);
  expect(after).toMatchObject({ 'file a.txt': 'one\nTWO\nthree\n', 'file n/new.txt': 'n\n' });
  expect(await ground.git(repo, 'reflog', '-1', '--format=%gs')).toBe('land it');
  expect(await ground.leftovers()).toEqual([]);
});

describe('a branch', () => {
  const setUp = async (ground: GitGround, repo: string, branch = 'main') => {
    const from = await ground.git(repo, 'rev-parse', `refs/heads/${branch}`);
    const tip = await ground.commit(repo, from, { 'n/new.txt': 'n\n', 'a.txt': 'ONE\n' });
    return { branch, from, to: await merged(repo, from, tip, ground.env), why: 'land it' };
  };

  it('of a bare repository moves, and its linked checkout with it [WORK-08]', async () => {
    await using ground = await gitGround();
    const repo = await ground.repository();
    const bare = join(ground.path, 'bare.git');
    await ground.git(ground.path, 'clone', '-q', '--bare', repo, bare);
    const first = await setUp(ground, bare);
    expect(await advance(bare, first, ground.env)).toEqual({ state: 'moved' });
    const linked = join(ground.path, 'linked');
    await ground.git(bare, 'worktree', 'add', '-q', linked, 'main');
    const second = await setUp(ground, bare);
    expect(await advance(bare, second, ground.env)).toEqual({ state: 'moved', checkout: linked });
    expect(await ground.git(linked, 'status', '--porcelain')).toBe('');
    expect(await ground.git(linked, 'reflog', '-1', '--format=%gs')).toBe('land it');
    await writeFile(join(linked, 'a.txt'), 'edited\n');
    const third = await setUp(ground, bare);
    expect(await advance(linked, third, ground.env)).toEqual({ state: 'dirty', where: linked, files: ['a.txt'] });
  });

  it('that is not where it was thought to be stays [WORK-08] [R30]', async () => {
    await using ground = await gitGround();
    const repo = await ground.repository();
    const move = await setUp(ground, repo);
    const { from } = move;
    const elsewhere = await ground.commit(repo, from, {});
    expect(await advance(repo, { ...move, from: elsewhere }, ground.env)).toEqual({ state: 'stale', now: from });
    expect(await advance(repo, { ...move, branch: 'gone' }, ground.env)).toEqual({ state: 'stale', now: undefined });
    expect(await advance(repo, { ...move, branch: '../x' }, ground.env)).toEqual({ state: 'stale', now: undefined });
    expect(await advance(repo, move, ground.env)).toEqual({ state: 'moved', checkout: repo });
    expect(await advance(repo, move, ground.env)).toEqual({ state: 'moved', checkout: repo });
  });

  it.each(['-dash', 'a@b', 'größe/日本語', 'feature/x.y', '--exec=x'])('called %s is moved as any other', async (branch) => {
    await using ground = await gitGround();
    const repo = await ground.repository();
    await ground.git(repo, 'update-ref', `refs/heads/${branch}`, 'main');
    await ground.git(repo, 'pack-refs', '--all');
    const move = await setUp(ground, repo, branch);
    expect(await advance(repo, move, ground.env)).toEqual({ state: 'moved' });
    await ground.git(repo, 'symbolic-ref', 'HEAD', `refs/heads/${branch}`);
    await ground.git(repo, 'reset', '-q', '--hard');
    expect(await advance(repo, await setUp(ground, repo, branch), ground.env)).toEqual({ state: 'moved', checkout: repo });
    expect(await ground.git(repo, 'status', '--porcelain')).toBe('');
  });

  it('that stands for another moves that one, and its checkout', async () => {
    await using ground = await gitGround();
    const repo = await ground.repository();
    await ground.git(repo, 'symbolic-ref', 'refs/heads/alias', 'refs/heads/main');
    const move = await setUp(ground, repo, 'alias');
    expect(await advance(repo, move, ground.env)).toEqual({ state: 'moved', checkout: repo });
    expect(await ground.git(repo, 'rev-parse', 'main')).toBe(move.to);
    expect(await ground.git(repo, 'symbolic-ref', 'refs/heads/alias')).toBe('refs/heads/main');
    expect(await ground.git(repo, 'status', '--porcelain')).toBe('');
  });
});

describe('a checkout', () => {
  it.each(['a name', 'a link'])('that has the branch by %s for it is seen, and left alone [WORK-08]', async (how) => {
    await using ground = await gitGround();
    const repo = await ground.repository();
    const from = await ground.git(repo, 'rev-parse', 'main');
    const to = await merged(repo, from, await ground.commit(repo, 'main', { 'a.txt': 'ONE\n' }), ground.env);
    await ground.git(repo, 'symbolic-ref', 'refs/heads/alias', 'refs/heads/main');
    await unlink(join(repo, '.git/HEAD'));
    if (how === 'a link') await symlink('refs/heads/main', join(repo, '.git/HEAD'));
    else await writeFile(join(repo, '.git/HEAD'), 'ref: refs/heads/alias\n');
    const answer = await advance(repo, { branch: 'main', from, to, why: 'w' }, ground.env);
    expect(answer).toMatchObject({ state: 'busy', where: repo });
    expect(await ground.git(repo, 'rev-parse', 'main')).toBe(from);
    expect(await ground.git(repo, 'status', '--porcelain')).toBe('');
  });

  it('that is itself a submodule is found where it lies', async () => {
    await using ground = await gitGround();
    const inner = await ground.repository('inner');
    const outer = await ground.repository('outer');
    await ground.git(outer, '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', inner, 'sub');
    const repo = join(outer, 'sub');
    const from = await ground.git(repo, 'rev-parse', 'main');
    const to = await merged(repo, from, await ground.commit(repo, from, { 'n.txt': 'n\n' }), ground.env);
    expect(await advance(repo, { branch: 'main', from, to, why: 'w' }, ground.env)).toEqual({ state: 'moved', checkout: repo });
    expect(await ground.git(repo, 'status', '--porcelain')).toBe('');
  });

  it('that is sparse stays sparse', async () => {
    await using ground = await gitGround();
    const repo = await ground.repository('repo', { 'a.txt': 'a\n', 'in/b.txt': 'b\n', 'out/c.txt': 'c\n' });
    const from = await ground.git(repo, 'rev-parse', 'main');
    const tip = await ground.commit(repo, 'main', { 'in/b.txt': 'B\n', 'out/c.txt': 'C\n', 'out/d.txt': 'D\n' });
    const to = await merged(repo, from, tip, ground.env);
    await ground.git(repo, 'sparse-checkout', 'set', '--cone', 'in');
    expect(await advance(repo, { branch: 'main', from, to, why: 'w' }, ground.env)).toEqual({ state: 'moved', checkout: repo });
    const after = await snapshot(ground, repo);
    expect(Object.keys(after).filter((name) => name.startsWith('file '))).toEqual(['file a.txt', 'file in/b.txt']);
    expect(after['status']).toBe(`# branch.oid ${to}\n# branch.head main`);
  });

  it('with submodules moves as a pull would, and again', async () => {
    await using ground = await gitGround();
    const inner = await ground.repository('inner');
    const repo = await ground.repository();
    const add = ['-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', inner, 'sub'];
    await ground.git(repo, ...add);
    await ground.git(repo, 'commit', '-q', '-m', 'with sub');
    const newer = await ground.commit(inner, 'main', { 'more.txt': 'm\n' });
    for (const step of [1, 2]) {
      const from = await ground.git(repo, 'rev-parse', 'main');
      await ground.git(repo, 'update-index', '--cacheinfo', `160000,${newer},sub`);
      const tree = await ground.git(repo, 'write-tree');
      await ground.git(repo, 'reset', '-q');
      const tip = await ground.git(repo, 'commit-tree', '-p', from, '-m', `bump ${step}`, tree);
      const to = await merged(repo, from, tip, ground.env);
      expect(await advance(repo, { branch: 'main', from, to, why: 'w' }, ground.env)).toEqual({ state: 'moved', checkout: repo });
      expect(await ground.git(repo, 'status', '--porcelain', '--ignore-submodules=all')).toBe('');
    }
  });

  it('keeps line endings, modes, links and an index of two parts as the user set them', async () => {
    await using ground = await gitGround();
    const repo = await ground.repository('repo', { 'a.txt': 'a\n', '.gitattributes': '*.txt text\n' });
    await ground.git(repo, 'config', 'core.autocrlf', 'true');
    await ground.git(repo, 'update-index', '--split-index');
    const from = await ground.git(repo, 'rev-parse', 'main');
    const work = join(ground.path, 'work');
    await ground.git(repo, 'worktree', 'add', '-q', '-b', 'work', work);
    await writeFile(join(work, 'a.txt'), 'a\nb\n');
    await writeFile(join(work, 'run'), '#!/bin/sh\n');
    await chmod(join(work, 'run'), 0o755);
    await symlink('a.txt', join(work, 'link'));
    await ground.git(work, 'add', '-A');
    await ground.git(work, 'commit', '-q', '-m', 'kinds');
    const to = await merged(repo, from, await ground.git(work, 'rev-parse', 'HEAD'), ground.env);
    expect(await advance(repo, { branch: 'main', from, to, why: 'w' }, ground.env)).toEqual({ state: 'moved', checkout: repo });
    expect(await readFile(join(repo, 'a.txt'), 'utf8')).toBe('a\r\nb\r\n');
    expect(await ground.git(repo, 'status', '--porcelain')).toBe('');
  });

  it('is left alone where the repository defines a filter for its files, and the filter never runs [WORK-13] [T11]', async () => {
    await using ground = await gitGround();
    const repo = await ground.repository('repo', { 'a.bin': 'a\n', '.gitattributes': '*.bin filter=evil\n' });
    const { command } = await ground.canary('filter');
    const from = await ground.git(repo, 'rev-parse', 'main');
    const tip = await ground.commit(repo, 'main', { 'a.bin': 'b\n' });
    const to = await merged(repo, from, tip, ground.env);
    for (const kind of ['clean', 'smudge']) await ground.git(repo, 'config', `filter.evil.${kind}`, command);
    await ground.git(repo, 'config', 'core.fsmonitor', command);
    for (const hook of ['reference-transaction', 'post-checkout', 'post-merge', 'post-index-change']) {
      await writeFile(join(repo, '.git/hooks', hook), `#!/bin/sh\n${command} </dev/null\n`);
      await chmod(join(repo, '.git/hooks', hook), 0o755);
    }
    const answer = await advance(repo, { branch: 'main', from, to, why: 'w' }, ground.env);
    expect(answer).toMatchObject({ state: 'busy', why: expect.stringContaining('a.bin needs the filter evil') });
    expect(await ground.canaries()).toEqual([]);
    await ground.git(ground.path, 'config', '--global', 'filter.evil.smudge', 'tr b B');
    expect(await advance(repo, { branch: 'main', from, to, why: 'w' }, ground.env)).toEqual({ state: 'moved', checkout: repo });
    expect(await readFile(join(repo, 'a.bin'), 'utf8')).toBe('B\n');
    expect(await ground.canaries()).toEqual([]);
  });

  it('edited in the second in which git last looked, no longer and no shorter, is seen to be dirty [WORK-08]', async () => {
    await using ground = await gitGround();
    const repo = await ground.repository();
    const from = await ground.git(repo, 'rev-parse', 'main');
    const to = await merged(repo, from, await ground.commit(repo, 'main', { 'a.txt': 'ONE\n' }), ground.env);
    await nextSecond();
    await writeFile(join(repo, 'a.txt'), 'one\ntwo\nthree\n');
    await ground.git(repo, 'update-index', '--refresh');
    await writeFile(join(repo, 'a.txt'), 'one\nTWO\nthree\n');
    await nextSecond();
    const answer = await advance(repo, { branch: 'main', from, to, why: 'w' }, ground.env);
    expect(answer).toEqual({ state: 'dirty', where: repo, files: ['a.txt'] });
    expect(await readFile(join(repo, 'a.txt'), 'utf8')).toBe('one\nTWO\nthree\n');
  });

  it('edited while it moves keeps the edit, and nothing else has moved', async () => {
    await using ground = await gitGround();
    const repo = await ground.repository();
    const from = await ground.git(repo, 'rev-parse', 'main');
    const to = await merged(
      repo,
      from,
      await ground.commit(repo, 'main', { 'a.txt': 'ONE\n', 'dir/b.txt': 'B\n', 'n.txt': 'n\n' }),
      ground.env,
    );
    // A git that edits the file just before the files are moved, as a person might.
    const bin = join(ground.path, 'bin');
    await mkdir(bin);
    const real = (await ground.git(repo, '--exec-path')).replace(/\/libexec\/git-core$|\/lib\/git-core$/, '/bin/git');
    await writeFile(
      join(bin, 'git'),
      `#!/bin/sh\ncase "$*" in *"checkout "*) echo mine > '${repo}/dir/b.txt';; esac\nexec '${real}' "$@"\n`,
    );
    await chmod(join(bin, 'git'), 0o755);
    const answer = await advance(
      repo,
      { branch: 'main', from, to, why: 'w' },
      { ...ground.env, PATH: `${bin}:${ground.env['PATH']}` },
    );
    expect(answer).toEqual({ state: 'dirty', where: repo, files: ['dir/b.txt'] });
    expect(await snapshot(ground, repo)).toMatchObject({ 'file dir/b.txt': 'mine\n', 'file a.txt': 'one\ntwo\nthree\n' });
    expect(await ground.git(repo, 'status', '--porcelain')).toBe(' M dir/b.txt');
    expect(await ground.git(repo, 'rev-parse', 'main')).toBe(from);
    await unlink(join(bin, 'git'));
  });
});

/** The clock of the file system lags behind a little. */
async function nextSecond(): Promise<void> {
  const second = () => Math.floor((systemClock.now() - 50) / 1_000);
  for (const begun = second(); second() === begun; ) await new Promise(setImmediate);
}
