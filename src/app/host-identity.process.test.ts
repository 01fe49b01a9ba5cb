import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hostIdentity } from './host-identity.ts';

async function scratch() {
  const directory = await mkdtemp(join(tmpdir(), 'fleet host '));
  const home = join(directory, 'home');
  await mkdir(home);
  await writeFile(join(home, 'mark'), 'abc\n');
  return {
    home,
    beside: join(directory, 'beside'),
    mark: (of = home) => readFile(join(of, 'mark'), 'utf8'),
    edit: async (change: Record<string, unknown>) => {
      const file = join(home, 'host.json');
      await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), ...change }));
    },
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
  };
}

it('is made once, also when several processes ask first', async () => {
  await using at = await scratch();
  const asked = await Promise.all(Array.from({ length: 8 }, () => hostIdentity(at.home)));
  expect(new Set(asked.map(({ id }) => id)).size).toBe(1);
  expect(asked[0]?.id).toMatch(/^host_[0-9a-z]{26}$/);
  expect((await hostIdentity(at.home)).id).toBe(asked[0]?.id);
});

it('stays the same for a home that is moved', async () => {
  await using at = await scratch();
  const { id } = await hostIdentity(at.home);
  await rename(at.home, at.beside);
  expect((await hostIdentity(at.beside)).id).toBe(id);
  expect(await at.mark(at.beside)).toBe('abc\n');
});

it('is another one for a copy, with a mark of its own, and the original keeps its own', async () => {
  await using at = await scratch();
  const original = await hostIdentity(at.home);
  await cp(at.home, at.beside, { recursive: true });
  const copies = await Promise.all([hostIdentity(at.beside), hostIdentity(at.beside)]);
  expect(copies[0]?.id).not.toBe(original.id);
  expect(copies[1]?.id).toBe(copies[0]?.id);
  expect(copies[0]?.former).toContainEqual({ host: original.id, why: 'copied' });
  expect(await at.mark(at.beside)).not.toBe('abc\n');
  expect((await hostIdentity(at.home)).id).toBe(original.id);
  expect(await at.mark()).toBe('abc\n');
});

it('is another one on another machine', async () => {
  await using at = await scratch();
  const { id } = await hostIdentity(at.home);
  await at.edit({ machine: 'of another machine' });
  const there = await hostIdentity(at.home);
  // A system without a number of its own cannot tell.
  const hasNumber = /"machine":"[0-9a-f]{32}"/.test(await readFile(join(at.home, 'host.json'), 'utf8'));
  if (!hasNumber) return expect(there.id).toBe(id);
  expect(there.id).not.toBe(id);
  expect(there.former.at(-1)).toEqual({ host: id, why: 'copied' });
});

it('refuses a file that says nothing it understands, and names it', async () => {
  await using at = await scratch();
  await writeFile(join(at.home, 'host.json'), '{"id":"laptop"}');
  await expect(hostIdentity(at.home)).rejects.toThrow(/host\.json does not say which host this is: expected/);
  expect(await readFile(join(at.home, 'host.json'), 'utf8')).toBe('{"id":"laptop"}');
});
