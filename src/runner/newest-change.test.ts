import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { newestChange } from './newest-change.ts';

const OLD = 1_000_000;
const made: string[] = [];
let top = '';

/** Every directory and file in it was changed long ago. */
async function put(path: string, at = OLD): Promise<void> {
  const parts = path.split('/');
  await mkdir(join(top, ...parts.slice(0, -1)), { recursive: true });
  await writeFile(join(top, path), '');
  await utimes(join(top, path), at, at);
  for (let depth = parts.length - 1; depth >= 0; depth -= 1) await utimes(join(top, ...parts.slice(0, depth)), OLD, OLD);
}

beforeEach(async () => {
  top = await mkdtemp(join(tmpdir(), 'fleet-newest-'));
  made.push(top);
  await put('README');
});
afterAll(() => Promise.all(made.map((path) => rm(path, { recursive: true, force: true }))));

const newest = async (most?: number) => ((await newestChange(top, most)) ?? Number.NaN) / 1_000;

it('finds a change however deep it is, and none where nothing has changed [RUN-03]', async () => {
  expect(await newest()).toBe(OLD);
  await put('src/deep/er/file.ts', OLD + 5);
  expect(await newest()).toBe(OLD + 5);
  await put('.hidden/file', OLD + 6);
  expect(await newest()).toBe(OLD + 6);
});

it('sees the use of git, in a repository and in a worktree, and passes over its objects and what was installed', async () => {
  await put('.git/objects/ab/cd', OLD + 9);
  await put('.git/index.lock', OLD + 9);
  await put('node_modules/a/b.js', OLD + 9);
  expect(await newest()).toBe(OLD);
  await put('.git/index', OLD + 3);
  expect(await newest()).toBe(OLD + 3);
  const elsewhere = join(top, '.git', 'worktrees', 'w');
  await mkdir(elsewhere, { recursive: true });
  await writeFile(join(elsewhere, 'HEAD'), '');
  await utimes(join(elsewhere, 'HEAD'), OLD + 4, OLD + 4);
  await put('tree/file');
  await writeFile(join(top, 'tree', '.git'), 'gitdir: ../.git/worktrees/w\n');
  await utimes(join(top, 'tree'), OLD, OLD);
  expect((await newestChange(join(top, 'tree'))) ?? 0).toBe((OLD + 4) * 1_000);
});

it('looks at a bounded number of entries, and at nothing that is not there', async () => {
  for (let n = 0; n < 30; n += 1) await put(`many/f${n}`, OLD + 1);
  await put('many/more/last', OLD + 50);
  expect(await newest(20)).toBeLessThan(OLD + 50);
  expect(await newest()).toBe(OLD + 50);
  expect(await newestChange(join(top, 'nowhere'))).toBeUndefined();
});
