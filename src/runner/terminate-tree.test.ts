import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { statSync } from '../platform/proc.ts';
import { findCgroupParent } from './cgroup.ts';
import { exitOf, Ground, heard, identityOf, patiently } from './fixtures/ground.ts';
import { signalShimSync } from './members.ts';
import { survivors } from './process-table.ts';
import { arbitrate, prepareRunDirectory, stateOf } from './run-directory.ts';
import { readExit } from './run-facts.ts';
import { endRun } from './terminate-tree.ts';

let ground: Ground;
beforeAll(async () => {
  ground = await Ground.open();
});
afterEach(() => ground.expectNobody());
afterAll(() => ground.close());

const cgroupParent = await findCgroupParent();
const tiers = [
  { tier: 'marks', more: {} },
  ...(cgroupParent === undefined ? [] : [{ tier: 'a cgroup', more: { cgroupParent } }]),
];

/** Helpers that leave in every common way; each sleeps for a length of its own, so that it is found without its marks. */
const helpers = (token: string): string => `
  sleep ${token}1 &
  setsid sleep ${token}2 &
  (setsid sh -c 'sleep ${token}3 & sleep ${token}4 &' &)
  (trap '' TERM; exec setsid sleep ${token}5) &
  env -i sleep ${token}6 &
  nohup sleep ${token}7 >/dev/null 2>&1 &`;

describe.each(tiers)('ending a run by $tier', ({ more }) => {
  it('leaves none of its helpers, however they detached [R23]', async () => {
    const token = sleepToken();
    const run = await ground.start(`${helpers(token)} echo ready; wait`, more);
    await heard(run, 'ready');
    await patiently(() => expect(sleeping(token)).toHaveLength(7));
    const ending = await endRun(run, { graceMs: 200, hardMs: 5_000 });
    expect(ending).toMatchObject({ how: 'killed', exit: { code: 143, signal: 'SIGTERM' } });
    expect(ending.processes).toBeGreaterThanOrEqual(8);
    expect(sleeping(token)).toEqual([]);
    expect(await survivors(ground.mark)).toEqual([]);
    expect(await stateOf(run)).toBe('ended');
    await expectNoCgroup();
  });

  it('leaves none of them either when the agent had ended by itself [R23]', async () => {
    const token = sleepToken();
    const run = await ground.start(`${helpers(token)} exit 6`, more);
    expect(await exitOf(run)).toEqual({ code: 6 });
    await patiently(() => expect(sleeping(token)).toHaveLength(7));
    expect(await endRun(run, { graceMs: 0, hardMs: 5_000 })).toMatchObject({ how: 'killed', exit: { code: 6 } });
    expect(sleeping(token)).toEqual([]);
    await expectNoCgroup();
  });

  it('lets an agent that listens end by itself, and costs nothing the second time', async () => {
    const run = await ground.start(`trap 'echo tidied; exit 9' TERM; echo ready; while :; do sleep 0.02; done`, more);
    await heard(run, 'ready');
    expect(await endRun(run, { graceMs: 10_000, hardMs: 1_000 })).toMatchObject({ how: 'asked', exit: { code: 9 } });
    await heard(run, 'tidied');
    expect(await endRun(run, { graceMs: 10_000, hardMs: 1_000 })).toEqual({ how: 'quiet', processes: 0, exit: { code: 9 } });
  });

  it('kills an agent that ignores TERM, after its grace', async () => {
    const run = await ground.start(`trap '' TERM; echo ready; while :; do sleep 0.02; done`, more);
    await heard(run, 'ready');
    const ending = await endRun(run, { graceMs: 100, hardMs: 5_000 });
    expect(ending).toMatchObject({ how: 'killed', exit: { code: 137, signal: 'SIGKILL' } });
  });

  it('kills an agent that forks as fast as it can', async () => {
    const run = await ground.start(`echo ready; while :; do (setsid sleep 5 &); done`, more);
    await heard(run, 'ready');
    expect(await endRun(run, { graceMs: 0, hardMs: 10_000 })).toMatchObject({ how: 'killed' });
  });

  it('kills an agent that raises its children from the dead, and is another process every moment [R22]', async () => {
    const fuse = join(ground.home, 'fuse');
    await writeFile(fuse, '');
    try {
      // Each of the twenty watches over one child; the hopper forks and ends, again and again.
      const raise = `raise() { trap '' TERM; while [ -e "$F" ]; do setsid sh -c "$P" & wait $!; done; }`;
      const run = await ground.start(
        `export F='${fuse}'; export P='trap "" TERM; while [ -e "$F" ]; do sleep 0.01 & wait; done'; ${raise}
         n=0; while [ $n -lt 20 ]; do n=$((n + 1)); raise & done
         hop() { [ -e "$F" ] && hop & }; hop
         echo ready; wait`,
        more,
      );
      await heard(run, 'ready');
      expect(await endRun(run, { graceMs: 0, hardMs: 20_000 })).toMatchObject({ how: 'killed' });
      expect(await survivors(ground.mark)).toEqual([]);
    } finally {
      await rm(fuse);
    }
  });
});

it.runIf(cgroupParent !== undefined)(
  'reaches a helper without marks, session or parent of the run, when there is a cgroup',
  async () => {
    const token = sleepToken();
    const hidden = `env -i setsid sh -c '(sleep ${token}1 &)'; echo ready; exec sleep ${token}2`;
    const run = await ground.start(hidden, cgroupParent === undefined ? {} : { cgroupParent });
    await patiently(() => expect(sleeping(token)).toHaveLength(2));
    await endRun(run, { graceMs: 100, hardMs: 5_000 });
    await patiently(() => expect(sleeping(token)).toEqual([]));
  },
);

it('finds and ends agents whose shims were killed, and leaves the others alone [R3]', async () => {
  const runs = await Promise.all(Array.from({ length: 50 }, () => ground.start('echo ready; exec sleep 1000')));
  const identities = await Promise.all(runs.map(async (run) => (await heard(run, 'ready')) && identityOf(run)));
  const [lost, kept] = [runs.slice(0, 10), runs.slice(10)];
  lost.forEach((run, n) => identities[n] && signalShimSync(run, identities[n].shim, 'shim', 'SIGKILL'));
  await patiently(async () => expect(new Set(await Promise.all(lost.map((run) => stateOf(run))))).toEqual(new Set(['dead'])));
  const endings = await Promise.all(lost.map((run) => endRun(run, { graceMs: 100, hardMs: 5_000 })));
  expect(endings.every(({ processes, exit }) => processes === 1 && exit === undefined)).toBe(true);
  expect(new Set(await Promise.all(kept.map((run) => stateOf(run))))).toEqual(new Set(['alive']));
  expect(new Set((await survivors(ground.mark)).map(({ runId }) => runId))).toEqual(new Set(kept.map(({ id }) => id)));
  await Promise.all(kept.map((run) => endRun(run, { graceMs: 0, hardMs: 5_000 })));
});

it('ends a run whose agent killed or stopped its own shim', async () => {
  const killer = await ground.start('echo ready; kill -9 $PPID; sleep 1000');
  const stopper = await ground.start('echo ready; kill -STOP $PPID; sleep 1000');
  await Promise.all([heard(killer, 'ready'), heard(stopper, 'ready')]);
  await patiently(async () => expect(await stateOf(killer)).toBe('dead'));
  expect(await endRun(killer, { graceMs: 50, hardMs: 5_000 })).not.toHaveProperty('exit');
  expect(await endRun(stopper, { graceMs: 50, hardMs: 5_000 })).toMatchObject({ exit: { code: 143 } });
});

it.runIf(cgroupParent !== undefined)('leaves no cgroup of a run that never came to be', async () => {
  const more = cgroupParent === undefined ? {} : { cgroupParent };
  await expect(ground.start('', { ...more, workDirectory: '/nowhere' })).rejects.toThrow('is missing');
  const [ended, recovered] = [ground.spec('', more), ground.spec('', more)];
  await Promise.all([prepareRunDirectory(ended), prepareRunDirectory(recovered)]);
  await endRun(ended, { graceMs: 0, hardMs: 100 });
  expect(await arbitrate(recovered)).toBe('won');
  await expectNoCgroup();
});

it('sees to it that a shim that comes later starts nothing', async () => {
  const run = ground.spec('echo ran');
  await prepareRunDirectory(run);
  expect(await endRun(run, { graceMs: 1_000, hardMs: 1_000 })).toEqual({ how: 'quiet', processes: 0 });
  const { pid } = await ground.spawner.start(run);
  await patiently(() => expect(statSync(pid)).toBeUndefined());
  expect(await readExit(run)).toBeUndefined();
  expect(await stateOf(run)).toBe('never');
});

const sleepToken = (): string => `9${String(randomBytes(4).readUInt32BE()).padStart(10, '0').slice(0, 7)}.`;

/** Command lines of living sleepers, looked for without any help from the code under test. */
const sleeping = (token: string): string[] =>
  readdirSync('/proc').flatMap((name) => {
    try {
      const command = /^\d+$/.test(name) ? readFileSync(`/proc/${name}/cmdline`, 'utf8') : '';
      return command.startsWith(`sleep\0${token}`) ? [command] : [];
    } catch {
      return [];
    }
  });

async function expectNoCgroup(): Promise<void> {
  if (cgroupParent === undefined) return;
  expect((await readdir(cgroupParent)).filter((name) => name.includes(ground.mark))).toEqual([]);
}
