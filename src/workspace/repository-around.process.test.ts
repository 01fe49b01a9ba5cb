import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { repositoryAround, repositoryBelow } from './repository-around.ts';

let root: string;
beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'around-')));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const directory = async (...parts: string[]): Promise<string> => {
  const path = join(root, ...parts);
  await mkdir(path, { recursive: true });
  return path;
};

it('finds what git would find at or above a place, and what git would look away from [T12]', async () => {
  const plain = await directory('plain', 'deep');
  expect(await repositoryAround(plain)).toBeUndefined();
  const top = await directory('configs', 'app');
  await directory('configs', 'app', '.git');
  expect(await repositoryAround(top)).toBeUndefined();
  await writeFile(join(top, '.git', 'HEAD'), 'ref: refs/heads/main\n');
  expect(await repositoryAround(await directory('configs', 'app', 'sub', 'sub'))).toBe(top);
  const linked = await directory('linked');
  await writeFile(join(linked, '.git'), 'gitdir: /elsewhere\n');
  expect(await repositoryAround(await directory('linked', 'sub'))).toBe(linked);
  const dangling = await directory('dangling');
  await symlink('/nowhere', join(dangling, '.git'));
  expect(await repositoryAround(dangling)).toBe(dangling);
  const bare = await directory('bare');
  for (const name of ['objects', 'refs']) await directory('bare', name);
  expect(await repositoryAround(bare)).toBeUndefined();
  await writeFile(join(bare, 'HEAD'), 'ref: refs/heads/main\n');
  expect(await repositoryAround(await directory('bare', 'hooks'))).toBe(bare);
});

it('finds a repository further down, by no link, and not the place itself [T12]', async () => {
  const wide = await directory('wide');
  await directory('wide', '.git');
  await directory('wide', 'a', 'b', 'c');
  expect(await repositoryBelow(wide)).toBeUndefined();
  await symlink(join(root, 'configs'), join(wide, 'a', 'link'));
  expect(await repositoryBelow(wide)).toBeUndefined();
  await writeFile(join(wide, 'a', 'b', '.git'), 'gitdir: /elsewhere\n');
  expect(await repositoryBelow(wide)).toBe(join(wide, 'a', 'b'));
  await rm(join(wide, 'a', 'b', '.git'));
  for (const name of ['objects', 'refs', 'HEAD']) await directory('wide', 'a', 'bare.git', name);
  expect(await repositoryBelow(wide)).toBe(join(wide, 'a', 'bare.git'));
  expect(await repositoryBelow(join(root, 'absent'))).toBeUndefined();
});
