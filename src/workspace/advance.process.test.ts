import { expect, it } from 'vitest';
import { advance } from './advance.ts';
import { gitGround, merged, snapshot } from './fixtures/git-ground.ts';
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
