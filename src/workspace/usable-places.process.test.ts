import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usablePlaces } from './usable-places.ts';

let root = '';
let env: NodeJS.ProcessEnv = {};
const asked = async () => (await readFile(join(root, 'asked'), 'utf8').catch(() => '')).length;

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'fleet-places-')));
  const git = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  await mkdir(join(root, 'bin'));
  await writeFile(join(root, 'bin', 'git'), `#!/bin/sh\nprintf x >> '${root}/asked'\nexec '${git}' "$@"\n`, { mode: 0o755 });
  env = { ...process.env, PATH: `${join(root, 'bin')}:${process.env['PATH']}` };
  for (const name of ['plain', 'other', 'repo/sub']) await mkdir(join(root, name), { recursive: true });
  execFileSync('git', ['init', '-q', join(root, 'repo')]);
});
afterAll(() => rm(root, { recursive: true, force: true }));

describe('where work can be done', () => {
  it('asks git once of a place, and again when it is another one', async () => {
    const usable = usablePlaces(env);
    for (const name of ['plain', 'repo', 'repo/sub']) {
      expect(await usable(join(root, name))).toEqual({ real: join(root, name) });
      const once = await asked();
      for (let n = 0; n < 3; n += 1) expect(await usable(join(root, name))).toEqual({ real: join(root, name) });
      expect(await asked()).toBe(once);
    }
    const before = await asked();
    execFileSync('git', ['init', '-q', join(root, 'plain')]);
    await usable(join(root, 'plain'));
    expect(await asked(), 'it has become a repository').toBeGreaterThan(before);
    const between = await asked();
    await rename(join(root, 'repo', '.git'), join(root, 'repo', '.gone'));
    await usable(join(root, 'repo', 'sub'));
    expect(await asked(), 'its repository has gone').toBeGreaterThan(between);
  });

  it('follows a link each time, and never remembers what is not there', async () => {
    const usable = usablePlaces(env);
    const link = join(root, 'link');
    await symlink(join(root, 'plain'), link);
    expect(await usable(link)).toEqual({ real: join(root, 'plain') });
    await rm(link);
    await symlink(join(root, 'other'), link);
    expect(await usable(link)).toEqual({ real: join(root, 'other') });
    await rm(link);
    expect(await usable(link)).toEqual({ why: 'there is no such directory' });
    await writeFile(link, 'a file');
    expect(await usable(link)).toEqual({ why: 'it is a file, not a directory' });
    await rm(link);
    await mkdir(link);
    expect(await usable(link)).toEqual({ real: link });
  });

  it('looks once for all who ask in one turn of the loop', async () => {
    const usable = usablePlaces(env);
    const before = await asked();
    const answers = await Promise.all(Array.from({ length: 5 }, () => usable(join(root, 'other'))));
    expect(answers).toEqual(Array.from({ length: 5 }, () => ({ real: join(root, 'other') })));
    const once = (await asked()) - before;
    expect(await usablePlaces(env)(join(root, 'other'))).toEqual({ real: join(root, 'other') });
    expect((await asked()) - before).toBe(2 * once);
  });
});
