import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { statSync } from '../../src/platform/proc.ts';
import { type FaultHouse, faultHouse, gone, isThere, type RunJson } from '../fixtures/fault-house.ts';
import { machineIn } from '../fixtures/machine.ts';
import { inFullRun } from '../full-only.ts';

const AGENTS = inFullRun ? 50 : 8;
const STRANGERS = 4;

describe('a machine that was booted anew', () => {
  it('has lost every run, signals no process of an old number, and tries each task again [R5]', async () => {
    await using house = await faultHouse(['max_attempts=3']);
    const machine = await machineIn(house.directory, 'machine');
    house.env['NODE_OPTIONS'] = machine.options;
    const engine = await house.up();
    const script = 'echo "$FLEET_ATTEMPT" >> ledger\n[ "$FLEET_ATTEMPT" = 1 ] || exit 0\nexec sleep 600';
    const titles = Array.from({ length: AGENTS }, (_, n) => `a${n}`);
    const ids = await house.queue(titles.map((title) => ({ title, script })));
    const before = await vi.waitFor(
      async () => {
        const runs = await house.runs();
        expect(runs.filter(({ phase }) => phase.state === 'running')).toHaveLength(AGENTS);
        return runs;
      },
      { timeout: 60_000, interval: 200 },
    );
    await powerLoss(house, engine.process);
    // Whatever was not on disk yet is gone with the power.
    const forgotten = before.at(-1)?.id ?? '';
    await rm(join(house.home, 'runs', forgotten), { recursive: true });
    const strangers = await Promise.all(before.slice(0, STRANGERS).map((run) => strangerInPlaceOf(house, run)));
    try {
      await machine.boot('another-boot');
      await house.up();
      await vi.waitFor(
        async () => {
          const old = (await house.runs()).slice(0, AGENTS);
          expect(old.map(({ id, phase }) => [id, phase.outcome])).toEqual(before.map(({ id }) => [id, 'lost']));
        },
        { timeout: 20_000, interval: 100 },
      );
      await house.settled(ids.values(), 60_000);
      expect((await house.tasks()).map(({ phase, attempts }) => `${phase.state} ${attempts}`)).toEqual(
        titles.map(() => 'done 2'),
      );
      for (const title of titles)
        expect(await readFile(join(house.directory, `place of ${title}`, 'ledger'), 'utf8')).toBe('1\n2\n');
      for (const { child, signals } of strangers) {
        expect(isThere(child.pid ?? 0)).toBe(true);
        expect(await readFile(`/proc/${child.pid}/status`, 'utf8')).not.toMatch(/^State:\s+T/m);
        expect(await readFile(signals, 'utf8')).toBe('ready\n');
      }
    } finally {
      await Promise.all(strangers.map(({ child }) => gone(child)));
    }
  });
});

/** Everything stops in the middle of what it does. */
async function powerLoss(house: FaultHouse, engine: ChildProcess): Promise<void> {
  await gone(engine);
  await vi.waitFor(() => {
    for (const pid of house.withShims()) process.kill(pid, 'SIGKILL');
    expect(house.withShims()).toEqual([]);
  }, 10_000);
}

/** A process that is what the run directory says in every respect but the boot, and writes down what it is told. */
async function strangerInPlaceOf(house: FaultHouse, { id }: RunJson): Promise<{ child: ChildProcess; signals: string }> {
  const signals = join(house.directory, `signals to ${id}`);
  const traps = ['TERM', 'INT', 'HUP', 'QUIT', 'USR1', 'USR2', 'ALRM', 'CONT'].map((name) => `trap 'echo ${name}' ${name}`);
  const child = spawn('/bin/sh', ['-c', `exec > "$0"; ${traps.join('; ')}; echo ready; while :; do sleep 0.05; done`, signals], {
    detached: true,
    stdio: 'ignore',
    env: { ...house.env, FLEET_RUN_ID: id, FLEET_RUN_MARK: (await readFile(join(house.home, 'mark'), 'utf8')).trim() },
  });
  await once(child, 'spawn');
  await vi.waitFor(async () => expect(await readFile(signals, 'utf8')).toBe('ready\n'), 10_000);
  const who = `${child.pid} ${statSync(child.pid ?? 0)?.started}`;
  const directory = join(house.home, 'runs', id);
  const [, , , , , boot] = (await readFile(join(directory, 'id'), 'utf8')).trim().split(' ');
  await writeFile(join(directory, 'id'), `1 ${who} ${who} ${boot} - -\n`);
  await writeFile(join(directory, 'claim'), `shim ${who} ${boot}\n`);
  return { child, signals };
}
