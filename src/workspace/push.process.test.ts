import { join } from 'node:path';
import { expect, it } from 'vitest';
import { gitGround } from './fixtures/git-ground.ts';
import { pushBranch } from './push.ts';

it('pushes a branch under its own name [WORK-08] [WORK-09]', async () => {
  await using ground = await gitGround();
  const repo = await ground.repository();
  const bare = join(ground.path, 'bare.git');
  await ground.git(ground.path, 'init', '-q', '--bare', bare);
  expect(await pushBranch(repo, { branch: 'main' }, ground.env)).toEqual({
    ok: false,
    remote: 'origin',
    why: 'there is no remote "origin"',
  });
  await ground.git(repo, 'remote', 'add', 'origin', bare);
  expect(await pushBranch(repo, { branch: 'main' }, ground.env)).toEqual({ ok: true, remote: 'origin' });
  expect(await ground.git(bare, 'rev-parse', 'main')).toBe(await ground.git(repo, 'rev-parse', 'main'));
});
