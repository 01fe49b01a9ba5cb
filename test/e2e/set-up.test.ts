import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type WorkHouse, workHouse } from '../support/work-house.ts';
import { type Place, place, standing } from '../support/work-place.ts';

let house: WorkHouse;
beforeAll(async () => {
  house = await workHouse([], { settings: ['max_repairs=0', 'grace_seconds=1', 'guarded_paths=[]'] });
});
afterAll(async () => house[Symbol.asyncDispose]());

/** Done, and its workspaces are free again. */
async function over(id: string): Promise<void> {
  expect(standing(await house.rest(id))).toBe('done');
  await vi.waitFor(async () => expect((await house.workspaces()).filter(({ use }) => use.taskId === id)).toEqual([]), {
    timeout: 60_000,
    interval: 200,
  });
}

const lands = async ({ task }: Place, file: string): Promise<void> => over(await task(`edit ${file} 1\ndone added`));

describe('a set-up [WORK-03]', () => {
  it('runs again for every change of a file, or of those the project names, and not for others that have landed', async () => {
    const count = join(house.directory, 'count');
    const setup = `echo x >> '${count}'; mkdir -p deps; cat lock > deps/lock`;
    const shop = await place(house, 'counted', ['--setup', setup], async (one) => {
      await one.commit('.gitignore', 'deps/\n');
      await one.commit('lock', 'version 1\n');
    });
    const setUps = async () => (await readFile(count, 'utf8')).trim().split('\n').length;
    await lands(shop, 'one');
    expect(await setUps()).toBe(1);
    await lands(shop, 'two');
    expect(await setUps()).toBe(2);
    // A name that is nowhere must not hide every change.
    await house.ok(['project', 'set', 'counted', '--setup-input', 'lock', '--setup-input', 'lokc']);
    await lands(shop, 'three');
    await lands(shop, 'four');
    expect(await setUps()).toBe(4);
    await house.ok(['project', 'set', 'counted', '--setup-input', 'lock']);
    await lands(shop, 'five');
    expect(await setUps()).toBe(5);
    await lands(shop, 'six');
    await lands(shop, 'seven');
    expect(await setUps()).toBe(5);
    await shop.commit('lock', 'version 2\n');
    await over(await shop.task('sh cp deps/lock seen\ndone looked'));
    expect(await setUps()).toBe(6);
    expect(await shop.git('show', 'main:seen')).toBe('version 2');
    const bad = await house.fleet(['project', 'set', 'counted', '--setup-input', '!lock']);
    expect(bad.err).toContain('"!lock" names no files');
  });
});
