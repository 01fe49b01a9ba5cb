import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { type Engine, type FaultHouse, faultHouse } from '../fixtures/fault-house.ts';
import { type Machine, machineIn } from '../fixtures/machine.ts';
import { fullOnly, inFullRun } from '../full-only.ts';

const HOUR_MS = 3_600_000;
const STALL_MS = 40_000;
const SCRIPT = 'echo "$FLEET_RUN_ID" >> ledger\nuntil [ -e ../go ]; do echo on; sleep 0.1; done\nexit 0';

const isStopped = async (pid: number) => /^State:\s+T/m.test(await readFile(`/proc/${pid}/status`, 'utf8'));
const stopped = (pid: number) => vi.waitFor(async () => expect(await isStopped(pid)).toBe(true), 20_000);
const ledger = async (house: FaultHouse, title: string) =>
  (await readFile(join(house.directory, `place of ${title}`, 'ledger'), 'utf8').catch(() => '')).split('\n').filter(Boolean);

describe('an engine that stands still', () => {
  it('keeps its home for as long as it lives, and goes on where it stood: nothing is started twice [R9] [RUN-02]', async () => {
    await using house = await faultHouse(['max_attempts=3']);
    const later = await machineIn(house.directory, 'later');
    // The same boot, an hour later: the lease has long run out.
    await later.boot((await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim());
    await later.jump(HOUR_MS);
    const engine = await house.up();
    const titles = ['a0', 'a1', 'a2', 'a3'];
    const ids = await house.queue(titles.map((title) => ({ title, script: SCRIPT })));
    await vi.waitFor(async () => {
      for (const title of titles) expect(await ledger(house, title)).toHaveLength(1);
    }, 20_000);
    process.kill(engine.pid, 'SIGSTOP');
    await stopped(engine.pid);
    const more = await house.queue([{ title: 'b0', script: SCRIPT }]);
    if (inFullRun) await passed(STALL_MS);
    const second = await house.fleet(['up'], { env: inFullRun ? {} : { NODE_OPTIONS: later.options } });
    expect(second.code).not.toBe(0);
    expect(second.err).toContain(`process ${engine.pid}`);
    expect(second.err).toContain(`if it hangs, end it with kill -9 ${engine.pid}`);
    expect(await ledger(house, 'b0')).toEqual([]);
    process.kill(engine.pid, 'SIGCONT');
    await vi.waitFor(async () => expect(await ledger(house, 'b0')).toHaveLength(1), 20_000);
    await writeFile(join(house.directory, 'go'), '');
    await house.settled([...ids.values(), ...more.values()]);
    const runs = await house.runs();
    expect(runs.map(({ phase }) => phase.outcome)).toEqual([...titles, 'b0'].map(() => 'succeeded'));
    for (const title of [...titles, 'b0']) expect(await ledger(house, title)).toHaveLength(1);
  });

  it('calls nobody stalled for the time in which it stood still itself [RUN-03]', async () => {
    // Half an hour of silence is a stall, and the clock of the engine passes an hour: how long the test takes decides nothing.
    await using house = await faultHouse(['stall_seconds=1800', 'max_attempts=3']);
    const machine = await machineIn(house.directory, 'asleep');
    await machine.boot((await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim());
    const engine = await house.up(machine.before);
    const ids = await house.queue([
      { title: 'silent', script: 'touch ../begun\nuntil [ -e ../go ]; do sleep 0.3; done\nexit 0' },
    ]);
    await vi.waitFor(() => readFile(join(house.directory, 'begun')), 20_000);
    // It is watched from now on.
    await vi.waitFor(async () => expect((await house.runs())[0]?.phase.state).toBe('running'), 20_000);
    process.kill(engine.pid, 'SIGSTOP');
    await stopped(engine.pid);
    const more = await house.queue([{ title: 'next', script: 'exit 0' }]);
    await machine.pass(HOUR_MS);
    process.kill(engine.pid, 'SIGCONT');
    // It has looked at all of them when it has ended another.
    await house.settled(more.values());
    await writeFile(join(house.directory, 'go'), '');
    await house.settled(ids.values());
    expect(await house.outcomes(ids.get('silent') ?? '')).toEqual(['succeeded']);
  });

  // Whoever sleeps inside of `start` is stopped by the claim in the run directory, whoever sleeps before it by the lease.
  it('at prepare.after:1 and was given up meanwhile does nothing any more when it wakes [R9] [RUN-02]', () =>
    wakesLate('prepare.after:1'));
  for (const point of [
    'start.before:1',
    'prepare.before:1',
    'commit.before:2',
    'commit.before:3',
    'commit.after:2',
    'commit.after:3',
  ])
    fullOnly(`at ${point} and was given up meanwhile does nothing any more when it wakes [R9]`, () => wakesLate(point));

  fullOnly('and whose run was done and cleared away by another starts it no second time [R9]', async () => {
    await using house = await faultHouse();
    const { late, takeover, old } = await stalledAt(house, 'prepare.after:1');
    await writeFile(join(house.directory, 'go'), '');
    const taskId = (await house.tasks())[0]?.id ?? '';
    await takeover();
    await house.settled([taskId]);
    // As on another machine, whose run directories are its own: nothing here says that the run has begun.
    for (const { id } of await house.runs()) await rm(join(house.home, 'runs', id), { recursive: true });
    await wake(old, late);
    expect(await ledger(house, 'a')).toHaveLength(1);
    expect(await house.outcomes(taskId)).toEqual(['succeeded']);
    expect(house.marked()).toEqual([]);
  });
});

async function wakesLate(point: string): Promise<void> {
  await using house = await faultHouse();
  const { late, takeover, old } = await stalledAt(house, point);
  await takeover();
  await vi.waitFor(async () => expect(await ledger(house, 'a')).toHaveLength(1), 20_000);
  await wake(old, late);
  await writeFile(join(house.directory, 'go'), '');
  await house.settled((await house.tasks()).map(({ id }) => id));
  expect(await ledger(house, 'a')).toHaveLength(1);
  expect((await house.runs()).map(({ phase }) => phase.outcome)).toEqual(['succeeded']);
}

/** An engine with one task that stands still at a point, and another machine of the same name that gives it up. */
async function stalledAt(house: FaultHouse, point: string) {
  const late = await machineIn(house.directory, 'late');
  const other = await machineIn(house.directory, 'other');
  const old = await house.up([...late.before, `FLEET_STALL_AT=${point}`]);
  house.env['NODE_OPTIONS'] = other.options;
  await house.queue([{ title: 'a', script: SCRIPT }]);
  await stopped(old.pid);
  return { late, old, takeover: () => house.up() };
}

/** It has slept for longer than its lease, and must end by itself because somebody else has it. */
async function wake(old: Engine, machine: Machine): Promise<void> {
  if (inFullRun) await passed(STALL_MS / 2);
  else await machine.jump(HOUR_MS);
  const over = new Promise((resolve) => old.process.once('exit', resolve));
  process.kill(old.pid, 'SIGCONT');
  expect(await over).not.toBe(0);
  expect(old.log()).toContain('lease.lost');
  expect(old.log()).toContain('another engine has taken over this home');
}
