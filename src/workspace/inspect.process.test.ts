import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ground } from './fixtures/ground.ts';
import { inspect } from './inspect.ts';

it('knows a checkout, a directory below it, a linked worktree and a bare repository', async () => {
  using at = ground();
  const bare = join(at.root, 'bare.git');
  at.git(at.root, 'clone', '-q', '--bare', at.repository, bare);
  at.git(at.repository, 'worktree', 'add', '-q', '-b', 'side', join(at.root, 'side'));
  const shop = { kind: 'repository', path: at.repository, branch: 'main', hasCommit: true };
  expect(await inspect(at.repository, at.env)).toEqual(shop);
  expect(await inspect(join(at.repository, 'src'), at.env)).toEqual(shop);
  expect(await inspect(join(at.root, 'side'), at.env)).toEqual({ ...shop, path: join(at.root, 'side'), branch: 'side' });
  expect(await inspect(bare, at.env)).toEqual({ ...shop, kind: 'bare', path: bare });
  expect(await inspect(at.root, at.env)).toEqual({ kind: 'directory', path: at.root });
});
