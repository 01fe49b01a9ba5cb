import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bring } from './bring.ts';
import { gitGround } from './fixtures/git-ground.ts';

it('brings the work of a clone into the repository, checked [WORK-13]', async () => {
  await using ground = await gitGround();
  const repository = await ground.repository();
  const path = join(ground.path, 'clone');
  await ground.git(ground.path, 'clone', '-q', '--shared', repository, path);
  await ground.write(path, { 'c.txt': 'c\n' });
  await ground.git(path, 'add', '-A');
  await ground.git(path, 'commit', '-q', '-m', 'of the clone');
  const head = await ground.git(path, 'rev-parse', 'HEAD');
  const site = { id: 'w1', repository, path, isolation: 'clone' } as const;
  expect(await bring(site, { from: 'HEAD', ref: 'refs/fleet/w1' }, ground.env)).toBe(head);
  expect(await ground.git(repository, 'rev-parse', 'refs/fleet/w1')).toBe(head);
  await ground.git(repository, 'fsck', '--strict');
});
