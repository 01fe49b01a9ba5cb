import { expect, it } from 'vitest';
import { combine } from './combine.ts';
import { AT, gitGround, WHO } from './fixtures/git-ground.ts';
import { commitOf } from './target.ts';

it('makes the same merge commit from the same wish [WORK-06]', async () => {
  await using ground = await gitGround();
  const repo = await ground.repository();
  const onto = (await commitOf(repo, 'main', ground.env)) ?? '';
  const tip = await ground.commit(repo, 'main', { 'n.txt': 'new\n' });
  const wish = { onto, tip, message: 'Merge it\n\nFleet-Task: t1\n', who: WHO, at: AT };
  const first = await combine(repo, wish, ground.env);
  expect(first.state).toBe('merged');
  expect(await combine(repo, wish, ground.env)).toEqual(first);
});
