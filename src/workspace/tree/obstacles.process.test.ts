import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { ground } from '../fixtures/ground.ts';
import { putAside } from '../save/put-aside.ts';
import type { Site } from '../site.ts';
import { provision } from './provision.ts';
import { emptyTrash, removeSite } from './remove-site.ts';

/** A trash with something in it that cannot be deleted, and something that can. */
function trashWith(make: (place: string) => void) {
  const trash = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-obstacles-')));
  for (const name of ['1-obstacle', '2-plain']) mkdirSync(join(trash, name, 'in'), { recursive: true });
  writeFileSync(join(trash, '2-plain/in/file'), 'x');
  make(join(trash, '1-obstacle/in'));
  return { trash, [Symbol.dispose]: () => rmSync(trash, { recursive: true, force: true }) };
}

const immutable = (path: string): boolean => {
  writeFileSync(path, 'x');
  const isSet = spawnSync('chattr', ['+i', path]).status === 0;
  if (isSet) execFileSync('chattr', ['-i', path]);
  rmSync(path);
  return isSet;
};
const canBeImmutable = immutable(join(realpathSync(tmpdir()), `fleet-chattr-${process.pid}`));

it.skipIf(!canBeImmutable)(
  'a file that nobody may delete stays where it is, is named, and keeps nothing else there',
  async () => {
    using place = trashWith((path) => {
      writeFileSync(join(path, 'fixed'), 'x');
      execFileSync('chattr', ['+i', join(path, 'fixed')]);
    });
    const fixed = join(place.trash, '1-obstacle/in/fixed');
    try {
      const { left, stays } = await emptyTrash(place.trash, { forMs: 60_000 });
      expect([left, stays.map(({ name }) => name), readdirSync(place.trash)]).toEqual([0, ['1-obstacle'], ['1-obstacle']]);
      expect(stays[0]?.why).toContain('EPERM');
    } finally {
      execFileSync('chattr', ['-i', fixed]);
    }
    expect(await emptyTrash(place.trash, { forMs: 60_000 })).toEqual({ left: 0, stays: [] });
  },
);

it.skipIf(!canBeImmutable)('a workspace with a file that nobody may move is put aside, and its place is free', async () => {
  using at = ground();
  const site: Site = at.site('1', 'clone');
  await provision(site, { branch: 'x/one', start: at.start, copyFiles: [], setupPaths: [] }, at.env);
  writeFileSync(join(site.path, 'fixed'), 'x');
  execFileSync('chattr', ['+i', join(site.path, 'fixed')]);
  const path = join(at.root, 'fleet/aside/one');
  try {
    await putAside(site, { path, reason: { why: 'it cannot be cleared' }, ref: 'refs/fleet/aside/one' }, at.env);
    expect([existsSync(site.path), existsSync(join(path, 'tree/fixed'))]).toEqual([false, true]);
    await provision(site, { branch: 'x/two', start: at.start, copyFiles: [], setupPaths: [] }, at.env);
    expect(readdirSync(site.path).sort()).toEqual(['.git', 'a.txt', 'src']);
  } finally {
    execFileSync('chattr', ['-i', join(path, 'tree/fixed')]);
  }
});

it('a tree that nobody may enter, and one deeper than a path may be long, go like any other', async () => {
  using place = trashWith((path) => {
    mkdirSync(join(path, 'shut/in/here'), { recursive: true });
    for (const name of ['shut/in/here', 'shut/in', 'shut']) chmodSync(join(path, name), 0);
    execFileSync('/bin/sh', ['-c', 'n=0; while [ $n -lt 300 ]; do mkdir ddddd && cd -P ddddd || exit; n=$((n+1)); done'], {
      cwd: path,
    });
  });
  expect(await emptyTrash(place.trash, { forMs: 600_000 })).toEqual({ left: 0, stays: [] });
  expect(readdirSync(place.trash)).toEqual([]);
});

it('a directory of a hundred thousand names is given up when its time is over, and gone on with the next time', async () => {
  using place = trashWith((path) => {
    execFileSync('/bin/sh', ['-c', 'seq 1 100000 | xargs touch'], { cwd: path });
  });
  let rounds = 0;
  for (let left = 1; left > 0; rounds += 1) ({ left } = await emptyTrash(place.trash, { forMs: 100 }));
  expect(rounds).toBeGreaterThan(1);
  expect(readdirSync(place.trash)).toEqual([]);
});

it('a process that goes on writing into a workspace keeps nobody from taking it away', async () => {
  using at = ground();
  const site = at.site('1', 'clone');
  await provision(site, { branch: 'x/one', start: at.start, copyFiles: [], setupPaths: [] }, at.env);
  const script =
    'mkdir -p deep; cd deep; while :; do n=$((n+1)); mkdir -p d$((n % 50)); echo $n > d$((n % 50))/f$((n % 7)) || exit; done';
  const writer = spawn('/bin/sh', ['-c', script], { cwd: site.path, stdio: 'ignore' });
  // Listened for from the beginning: the writer may end by itself when its directory goes.
  const closed = new Promise((resolve) => writer.once('close', resolve));
  try {
    await vi.waitFor(() => expect(readdirSync(join(site.path, 'deep')).length).toBeGreaterThan(10));
    await removeSite(site, { trash: at.trash }, at.env);
    await provision(site, { branch: 'x/two', start: at.start, copyFiles: [], setupPaths: [] }, at.env);
    expect(readdirSync(site.path).sort()).toEqual(['.git', 'a.txt', 'src']);
    // Whether it can be deleted meanwhile is a matter of luck; that nothing waits for it is not.
    for (let round = 0; round < 5; round += 1) await emptyTrash(at.trash, { forMs: 500 });
  } finally {
    writer.kill('SIGKILL');
    await closed;
  }
  expect(await emptyTrash(at.trash, { forMs: 60_000 })).toEqual({ left: 0, stays: [] });
  expect(readdirSync(at.trash)).toEqual([]);
});
