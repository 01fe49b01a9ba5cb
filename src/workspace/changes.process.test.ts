import { expect, it } from 'vitest';
import { changesBetween, diffText } from './changes.ts';
import { treeOf } from './combine.ts';
import { gitGround } from './fixtures/git-ground.ts';
import { commitOf, identityOf, targetOf } from './target.ts';

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
    { path: 'new/name', status: 'R', added: 0, removed: 0 },
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
  expect(await targetOf(repo, '-x', ground.env)).toMatchObject({ state: 'missing' });
  expect(await identityOf(repo, ground.env)).toEqual({ name: 'User', email: 'user@example.invalid' });
});
