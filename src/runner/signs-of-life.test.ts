import { rm } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { Ground, heard, identityOf, patiently } from './fixtures/ground.ts';
import { filesOf } from './run-place.ts';
import { signsOfLife } from './signs-of-life.ts';
import { endRun } from './terminate-tree.ts';

let ground: Ground;
beforeAll(async () => {
  ground = await Ground.open();
});
afterEach(() => ground.expectNobody());
afterAll(() => ground.close());

it('tells one that works without a word from one that waits, also when a helper does the work', async () => {
  const [busy, daemon, idle] = await Promise.all([
    ground.start('echo ready; while :; do :; done'),
    ground.start(`echo ready; setsid sh -c 'while :; do :; done' & wait`),
    ground.start('echo ready; exec sleep 1000'),
  ]);
  const runs = [busy, daemon, idle];
  await Promise.all(runs.map((run) => heard(run, 'ready')));
  const before = await signsOfLife(runs);
  const ticks = (signs: typeof before, { id }: { id: string }): number => signs.get(id)?.ticks ?? Number.NaN;
  await patiently(async () => {
    const now = await signsOfLife(runs);
    expect(ticks(now, busy)).toBeGreaterThan(ticks(before, busy) + 5);
    expect(ticks(now, daemon)).toBeGreaterThan(ticks(before, daemon) + 5);
    expect(ticks(now, idle) - ticks(before, idle)).toBeLessThanOrEqual(1);
  });
  expect(before.get(idle.id)).toMatchObject({ processes: 2, out: { bytes: 6 }, err: { bytes: 0 } });
  await Promise.all(runs.map((run) => endRun(run, { graceMs: 0, hardMs: 5_000 })));
});

it('says when a spool is gone, and counts nobody for a run that is over', async () => {
  const run = await ground.start('exec sleep 1000');
  await identityOf(run);
  await endRun(run, { graceMs: 0, hardMs: 5_000 });
  await rm(filesOf(run).out);
  expect((await signsOfLife([run])).get(run.id)).toMatchObject({ processes: 0, ticks: 0, out: undefined });
});
