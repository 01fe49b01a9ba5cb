import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ground, who } from './fixtures/ground.ts';
import { inspect } from './inspect.ts';
import { identityOf } from './land/target.ts';

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

it('says who signs, by the settings of a repository before those of the user, and in a plain directory by these alone', async () => {
  using at = ground();
  expect(await identityOf(at.root, at.env)).toEqual(who);
  expect(await identityOf(at.repository, at.env)).toEqual(who);
  at.git(at.repository, 'config', 'user.name', 'Bob <b>');
  at.git(at.repository, 'config', 'user.email', '');
  expect(await identityOf(at.repository, at.env)).toEqual({ ...who, name: 'Bob  b' });
  at.git(at.root, 'config', '--global', '--unset', 'user.email');
  expect(await identityOf(at.root, at.env)).toEqual({ name: 'Fleet', email: 'fleet@localhost' });
});
