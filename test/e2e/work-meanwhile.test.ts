import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { fullOnly } from '../full-only.ts';
import { type WorkHouse, workHouse } from '../support/work-house.ts';
import { type Place, place as placeIn, standing } from '../support/work-place.ts';

let house: WorkHouse;
beforeAll(async () => {
  house = await workHouse([], { settings: ['max_repairs=0', 'max_concurrent=20', 'grace_seconds=1', 'guarded_paths=[]'] });
});
afterAll(async () => house[Symbol.asyncDispose]());

const place = (name: string, flags: readonly string[] = [], prepare?: (place: Place) => Promise<void>) =>
  placeIn(house, name, flags, prepare);
const simple = 'edit feature.txt it works\ndone added';
describe('while work is on its way', () => {
  it('the repository may be moved away and come back', async () => {
    const { task, path, git } = await place('moved');
    const id = await task(simple, '--draft');
    await rename(path, `${path} away`);
    await house.ok(['task', 'dispatch', id]);
    const blocked = await house.rest(id);
    expect(standing(blocked)).toMatch(/^blocked: setup: .*moved/);
    await rename(`${path} away`, path);
    await house.ok(['task', 'retry', id]);
    await house.sees(id, ({ phase }) => phase.state === 'done');
    expect(await git('show', 'main:feature.txt')).toBe('it works');
  });

  fullOnly('the workspace may be deleted between two runs, or by the agent itself', async () => {
    const { task, git } = await place('deleted', ['--integration', 'review']);
    const id = await task('sh echo try >> tries.txt; git add -A; git commit -qm try; echo loose > loose.txt\ndone tried');
    const first = await house.rest(id);
    expect(standing(first)).toMatch(/^blocked: review/);
    const where = (await house.workspaces()).find(({ id: one }) => one === first.work?.workspaceId)?.path ?? '';
    await rm(where, { recursive: true });
    await house.ok(['task', 'reject', id, 'once more']);
    const second = await house.sees(
      id,
      ({ phase, work }) => phase.state === 'blocked' && work?.changes !== undefined && work.tip !== first.work?.tip,
    );
    expect(standing(second)).toMatch(/^blocked: review/);
    expect((await git('show', `${second.work?.tip}:tries.txt`)).split('\n')).toEqual(['try', 'try']);
    expect(await git('show', `${first.work?.kept?.ref}:loose.txt`)).toBe('loose');

    const gone = await task('edit a.txt 1\ncommit a\nsh rm -rf "$PWD"\ndone and removed everything');
    const rested = await house.rest(gone);
    expect(standing(rested)).toMatch(/^blocked: review/);
    expect(await git('show', `${rested.work?.tip}:a.txt`)).toBe('1');
    const lost = await task('edit a.txt 1\nsh rm -rf "$PWD"\ncrash 3', '--max-attempts', '1');
    expect((await house.rest(lost)).phase.state).toBe('failed');
  });

  it('the target may be deleted, or moved, while the gate looks at it [R30]', async () => {
    const go = join(house.directory, 'go');
    const wait = `touch '${join(house.directory, 'gate is on')}'-$$; while ! test -e '${go}'; do sleep 0.1; done`;
    const { task, git, write } = await place('gated', ['--verify', wait], async (one) => void (await one.git('branch', 'trunk')));
    const lost = await task(simple, '--target-branch', 'trunk');
    const moved = await task('edit other.txt mine\ndone ok');
    for (const id of [lost, moved]) await house.sees(id, ({ gate }) => gate?.runId !== undefined);
    const trunk = await git('rev-parse', 'trunk');
    await git('branch', '-q', '-D', 'trunk');
    await write('README', 'the user was faster\n');
    await git('commit', '-qam', 'mine');
    const users = await git('rev-parse', 'main');
    await writeFile(go, '');
    const gone = await house.rest(lost);
    expect(standing(gone)).toMatch(/^blocked: conflict: the branch trunk is gone/);
    const landed = await house.rest(moved);
    expect(standing(landed)).toBe('done');
    expect(await git('rev-parse', 'main^1')).toBe(users);
    expect(await git('show', 'main:other.txt')).toBe('mine');
    // What landed is what was tried.
    const { evidence } = (await house.ok(['task', 'report', moved, '--json'])).json<{
      evidence: { commit: string; green: boolean }[];
    }>();
    expect(evidence.find(({ commit }) => commit === landed.work?.landed?.commit)?.green).toBe(true);
    await git('branch', 'trunk', trunk);
    await house.ok(['task', 'merge', lost]);
    await house.sees(lost, ({ phase }) => phase.state === 'done');
    expect(await git('show', 'trunk:feature.txt')).toBe('it works');
    expect(await git('status', '--porcelain')).toBe('');
  });

  fullOnly('files that do not fit together, binary or renamed, are named, and the checkout stays clean [R30]', async () => {
    const { task, git, write } = await place('clash', [], async (one) => {
      await writeFile(join(one.path, 'image.bin'), Buffer.from([0, 1, 2, 3, 0]));
      await one.write('long.txt', 'one\ntwo\nthree\nfour\nfive\n');
      await one.git('add', '-A');
      await one.git('commit', '-qm', 'base');
      await one.git('branch', 'past');
      await writeFile(join(one.path, 'image.bin'), Buffer.from([0, 9, 9, 9, 0]));
      await one.git('mv', 'long.txt', 'renamed.txt');
      await one.git('commit', '-qam', 'moved on');
    });
    const binary = await task("sh printf '\\000\\001\\001' > image.bin\ndone ok", '--base-ref', 'past');
    const renamed = await task('run git mv long.txt elsewhere.txt\ndone ok', '--base-ref', 'past');
    const untracked = await task('edit mine.txt from the agent\ndone ok');
    await write('mine.txt', 'from the user\n');
    expect(standing(await house.rest(binary))).toMatch(/^blocked: conflict: it conflicts with main in image.bin/);
    expect(standing(await house.rest(renamed))).toMatch(/^blocked: conflict: it conflicts with main in .*long.txt/);
    const parked = await house.rest(untracked);
    expect(standing(parked)).toMatch(/^blocked: checkout: .*mine.txt/);
    expect(await git('status', '--porcelain')).toBe('?? mine.txt');
    await rm(join(house.directory, 'clash', 'mine.txt'));
    await house.sees(untracked, ({ phase }) => phase.state === 'done');
    expect(await git('status', '--porcelain')).toBe('');
    // It was looked at now and then, and not tried again and again.
    const { items } = (await house.ok(['task', 'events', untracked, '--json'])).json<{ items: { what: string }[] }>();
    expect(items.filter(({ what }) => what === 'block')).toHaveLength(1);
    for (const id of [binary, renamed]) expect((await house.ok(['task', 'diff', id])).out).not.toBe('');
  });

  fullOnly('somebody may edit, all the time, and loses nothing [WORK-08]', async () => {
    const { task, git, write, path } = await place('edited', [], async (one) => {
      await one.write('notes.txt', 'begin\n');
      await one.git('add', '-A');
      await one.git('commit', '-qm', 'notes');
    });
    const ids = await Promise.all(
      [1, 2, 3].map((n) => task(`sh echo ${n} > part-${n}.txt; sed -i 's/begin/begun/' notes.txt\ndone ok`)),
    );
    let kept = '';
    const until = Date.now() + 4_000;
    while (Date.now() < until) {
      kept += 'a word ';
      await write('notes.txt', kept);
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    await vi.waitFor(
      async () => {
        const states = await Promise.all(ids.map(async (id) => (await house.show(id)).phase.state));
        expect(states.every((one) => one === 'blocked' || one === 'done')).toBe(true);
      },
      { timeout: 60_000, interval: 200 },
    );
    expect(await readFile(join(path, 'notes.txt'), 'utf8')).toBe(kept);
    const landed = (await git('log', '--first-parent', '--merges', '--format=%H', 'main'))
      .split('\n')
      .filter((one) => one !== '');
    expect(landed.length).toBeLessThanOrEqual(1);
    expect(existsSync(join(path, '.git', 'index.lock'))).toBe(false);
  });

  fullOnly('a hundred thousand files are laid out, proved and landed', async () => {
    const { task, git, path } = await place('large', ['--verify', 'test -f d99/f999 && test -f feature.txt'], async (one) => {
      for (let d = 0; d < 100; d += 1) {
        await mkdir(join(one.path, `d${d}`));
        await Promise.all(Array.from({ length: 1_000 }, (_, f) => one.write(`d${d}/f${f}`, `${d} ${f}\n`)));
      }
      await one.git('add', '-A');
      await one.git('commit', '-qm', 'large');
    });
    expect(standing(await house.rest(await task(simple)))).toBe('done');
    expect(await git('status', '--porcelain')).toBe('');
    expect(await readFile(join(path, 'feature.txt'), 'utf8')).toBe('it works\n');
  });
});
