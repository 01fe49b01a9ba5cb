import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { gitGround, merged } from '../fixtures/git-ground.ts';
import { advance } from '../land/advance.ts';
import { treeOf } from '../land/combine.ts';
import { commitOf, identityOf, targetOf } from '../land/target.ts';
import { changesBetween, diffText } from './changes.ts';
import { blame, writeProvenance } from './provenance.ts';

it('tells what a branch adds to where it parted', async () => {
  await using ground = await gitGround();
  const { env } = ground;
  const repo = await ground.repository('repo', { 'a.txt': 'one\ntwo\n', 'old name': 'x\ny\nz\n', 'gone.txt': 'g\n' });
  const start = (await commitOf(repo, 'main', env)) ?? '';
  const strange = 'tab\there "quoted"\nnew line';
  const tip = await ground.commit(repo, 'main', {
    ...{ 'a.txt': 'one\n2\n3\n', 'old name': null, 'new/name': 'x\ny\nz\n', 'gone.txt': null },
    ...{ bin: 'a\0b', [strange]: 's\n' },
  });
  const base = await ground.commit(repo, start, { 'elsewhere.txt': 'e\n' });
  const changes = await changesBetween(repo, { base, tip }, env);
  expect(changes.commits).toEqual([{ id: tip, subject: 'work' }]);
  expect(changes.files).toEqual([
    { path: 'a.txt', status: 'M', added: 2, removed: 1 },
    { path: 'bin', status: 'A', added: undefined, removed: undefined },
    { path: 'gone.txt', status: 'D', added: 0, removed: 1 },
    { path: 'new/name', status: 'R', from: 'old name', added: 0, removed: 0 },
    { path: strange, status: 'A', added: 1, removed: 0 },
  ]);
  expect(changes.totals).toEqual({ commits: 1, files: 5, added: 3, removed: 2 });
  expect(await diffText(repo, { base, tip, maxBytes: 100_000 }, env)).toMatchObject({ cut: false });
  expect(await treeOf(repo, tip, env)).toBe(await ground.git(repo, 'rev-parse', `${tip}^{tree}`));
});

it('finds the branch to land on, and who signs', async () => {
  await using ground = await gitGround();
  const repo = await ground.repository();
  const commit = await ground.git(repo, 'rev-parse', 'HEAD');
  expect(await targetOf(repo, undefined, ground.env)).toEqual({ state: 'found', branch: 'main', commit });
  await ground.git(repo, 'update-ref', 'refs/heads/-x', 'main');
  expect(await targetOf(repo, '-x', ground.env)).toEqual({ state: 'found', branch: '-x', commit });
  for (const name of ['gone', '--all', 'main^{commit}', 'main@{0}', '', 'a b', 'a\0b']) {
    expect(await targetOf(repo, name, ground.env)).toMatchObject({ state: 'missing' });
  }
  await ground.git(repo, 'checkout', '-q', '--detach');
  expect(await targetOf(repo, undefined, ground.env)).toMatchObject({ state: 'detached' });
  await ground.git(repo, 'checkout', '-q', '--orphan', 'fresh');
  expect(await targetOf(repo, undefined, ground.env)).toMatchObject({ state: 'unborn' });
  expect(await identityOf(repo, ground.env)).toEqual({ name: 'User', email: 'user@example.invalid' });
  await ground.git(repo, 'config', 'user.name', 'Odd <name>');
  expect(await identityOf(repo, ground.env)).toEqual({ name: 'Odd  name', email: 'user@example.invalid' });
  const nobody = { ...ground.env, HOME: ground.path };
  expect(await identityOf(repo, nobody)).toEqual({ name: 'Fleet', email: 'fleet@localhost' });
});

it('tells submodules, names that are not UTF-8, and histories without a common commit, and stays bounded', async () => {
  await using ground = await gitGround();
  const { env } = ground;
  const repo = await ground.repository();
  const base = await ground.git(repo, 'rev-parse', 'main');
  const blob = await ground.git(repo, 'rev-parse', 'main:a.txt');
  await ground.git(repo, 'checkout', '-q', '-b', 'many');
  const lines = Array.from({ length: 1_200 }, (_, n) => `100644 ${blob}\tf/${n}`);
  const strange = Buffer.concat([Buffer.from(`100644 ${blob}\tz`), Buffer.from([0xff, 0xfe]), Buffer.from('\n')]);
  const input = Buffer.concat([Buffer.from(`${lines.join('\n')}\n160000 ${base}\tsub\n`), strange]);
  execFileSync('git', ['update-index', '--add', '--index-info'], { cwd: repo, env, input });
  await ground.git(repo, 'commit', '-q', '-m', 'many');
  for (let n = 0; n < 3; n += 1) await ground.git(repo, 'commit', '-q', '--allow-empty', '-m', `more ${n}`);
  const tip = await ground.git(repo, 'rev-parse', 'HEAD');
  const changes = await changesBetween(repo, { base, tip }, env);
  expect(changes.totals).toMatchObject({ commits: 4, files: 1_202, added: 1_201 * 3 + 1 });
  expect(changes.files).toHaveLength(1_000);
  expect(changes.commits.map(({ subject }) => subject)).toEqual(['more 2', 'more 1', 'more 0', 'many']);
  const alone = await ground.git(repo, 'commit-tree', '-m', 'alone', `${base}^{tree}`);
  const whole = await changesBetween(repo, { base: alone, tip: base }, env);
  expect(whole.files.map(({ path, status }) => [path, status])).toEqual([
    ['a.txt', 'A'],
    ['dir/b.txt', 'A'],
  ]);
  const cut = await diffText(repo, { base, tip, maxBytes: 5_000 }, env);
  expect(cut.cut).toBe(true);
  expect(Buffer.byteLength(cut.text)).toBeLessThanOrEqual(5_000);
  expect(cut.text.endsWith('\n')).toBe(true);
});

it('compares without running what the repository names [WORK-13] [T11]', async () => {
  await using ground = await gitGround();
  const repo = await ground.repository('repo', { 'a.txt': 'a\n', '.gitattributes': '* diff=evil filter=evil\n' });
  const base = await ground.git(repo, 'rev-parse', 'main');
  const tip = await ground.commit(repo, base, { 'a.txt': 'b\n' });
  const { command } = await ground.canary('diff');
  for (const key of ['diff.evil.textconv', 'diff.evil.command', 'diff.external', 'filter.evil.smudge', 'core.pager']) {
    await ground.git(repo, 'config', key, command);
  }
  await ground.git(repo, 'config', 'color.ui', 'always');
  expect((await diffText(repo, { base, tip, maxBytes: 10_000 }, ground.env)).text).toContain('\n-a\n+b\n');
  expect((await changesBetween(repo, { base, tip }, ground.env)).totals.files).toBe(1);
  expect(await ground.canaries()).toEqual([]);
});

it('works in a repository whose ids are of 64 digits', async () => {
  await using ground = await gitGround();
  const repo = join(ground.path, 'long');
  await ground.git(ground.path, 'init', '-q', '--object-format=sha256', '-b', 'main', repo);
  await ground.write(repo, { 'a.txt': 'a\n' });
  await ground.git(repo, 'add', '-A');
  await ground.git(repo, 'commit', '-q', '-m', 'first');
  const base = await ground.git(repo, 'rev-parse', 'main');
  const tip = await ground.commit(repo, base, { 'b.txt': 'b\n' });
  const to = await merged(repo, base, tip, ground.env);
  expect(to).toHaveLength(64);
  expect(await advance(repo, { branch: 'main', from: base, to, why: 'w' }, ground.env)).toEqual({
    state: 'moved',
    checkout: repo,
  });
  await writeProvenance(repo, [tip], { task: 't', run: 'r', executor: 'e' }, ground.env);
  expect((await blame(repo, { file: 'b.txt' }, ground.env))[0]?.provenance).toEqual({ task: 't', run: 'r', executor: 'e' });
});
