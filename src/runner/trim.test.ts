import { link, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Ground } from './fixtures/ground.ts';
import { prepareRunDirectory } from './run-directory.ts';
import { filesOf, type RunFiles } from './run-place.ts';
import { trimSpools } from './trim.ts';

let ground: Ground;
beforeAll(async () => {
  ground = await Ground.open();
});
afterAll(() => ground.close());

async function spooled(out: number, err: number): Promise<RunFiles> {
  const run = ground.spec('');
  await prepareRunDirectory(run);
  await writeFile(filesOf(run).out, 'o'.repeat(out));
  await writeFile(filesOf(run).err, 'e'.repeat(err));
  return run;
}

it('cuts both streams to a common length, and leaves alone what is short enough [R25]', async () => {
  for (const [out, err, keptOut, keptErr] of [
    [50, 20, 50, 20],
    [500, 20, 80, 20],
    [20, 500, 20, 80],
    [500, 500, 50, 50],
    [0, 500, 0, 100],
  ] as const) {
    const run = await spooled(out, err);
    for (let again = 0; again < 2; again += 1) {
      await trimSpools(run, 100);
      expect(await readFile(filesOf(run).out, 'utf8')).toBe('o'.repeat(keptOut));
      expect(await readFile(filesOf(run).err, 'utf8')).toBe('e'.repeat(keptErr));
    }
  }
});

it('cuts no file that an agent put in the place of its spool', async () => {
  const treasure = join(ground.home, 'treasure');
  await writeFile(treasure, 't'.repeat(500));
  const run = await spooled(0, 0);
  const { out, err } = filesOf(run);
  for (const put of [() => symlink(treasure, out), () => link(treasure, out), () => mkdir(out), async () => {}]) {
    await rm(out, { force: true, recursive: true });
    await put();
    await writeFile(err, 'e'.repeat(500));
    await trimSpools(run, 100);
    expect(await readFile(treasure, 'utf8')).toHaveLength(500);
    expect(await readFile(err, 'utf8')).toHaveLength(100);
  }
});
