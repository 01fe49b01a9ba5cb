import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isFault } from '../../domain/fault.ts';
import { type GitGround, gitGround } from '../fixtures/git-ground.ts';
import type { Site } from '../site.ts';
import { importBranch } from './import-branch.ts';

const REF = 'refs/fleet/w1';
const refused = (site: Site, from: string, { env }: GitGround) =>
  importBranch(site, { from, ref: REF }, env).then(
    () => undefined,
    (error: unknown) => (isFault(error) ? error.message : String(error)),
  );

it('a worktree shares everything: only the ref is written', async () => {
  await using ground = await gitGround();
  const repository = await ground.repository();
  const path = join(ground.path, 'tree');
  await ground.git(repository, 'worktree', 'add', '-q', '-b', 'claude/x/1', path);
  await ground.write(path, { 'w.txt': 'w\n' });
  await ground.git(path, 'add', '-A');
  await ground.git(path, 'commit', '-q', '-m', 'w');
  const head = await ground.git(path, 'rev-parse', 'HEAD');
  const site: Site = { id: 'w1', repository, path, isolation: 'worktree' };
  for (const from of ['HEAD', 'claude/x/1', head]) expect(await importBranch(site, { from, ref: REF }, ground.env)).toBe(head);
  expect(await refused(site, 'nothing', ground)).toMatch(/there is no commit nothing/);
  await writeFile(join(path, '.git'), `gitdir: ${join(await ground.repository('secret'), '.git')}\n`);
  expect(await importBranch(site, { from: 'HEAD', ref: REF }, ground.env)).toBe(head);
});
