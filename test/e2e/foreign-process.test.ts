import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { contract } from '../../src/contract/index.ts';
import { bootIdSync, statSync } from '../../src/platform/proc.ts';
import { type FaultHouse, faultHouse, gone, isThere } from '../fixtures/fault-house.ts';

describe('a process that Fleet did not start', () => {
  it('is sent no signal, although the records of two runs name it and both are canceled [T27]', async () => {
    await using house = await faultHouse();
    const engine = await house.up();
    const stranger = await strangerIn(house);
    try {
      const ids = await house.queue(['a', 'b'].map((title) => ({ title, script: 'exec sleep 600' })));
      const runs = await vi.waitFor(
        async () => {
          const found = await house.runs();
          expect(found.map(({ phase }) => phase.state)).toEqual(['running', 'running']);
          return found;
        },
        { timeout: 60_000, interval: 200 },
      );
      // While nobody looks: an engine would find at once that nobody of such a record is ours.
      await gone(engine.process);
      const [byRun, byTask] = runs;
      await house.ok(['run', 'cancel', byRun?.id ?? '']);
      await house.ok(['task', 'cancel', byTask?.taskId ?? '']);
      for (const { id } of runs) await forge(house, id, stranger.child);
      await house.up();
      await house.settled(ids.values(), 60_000);
      // The agents themselves are found by what they carry, not by what was written about them.
      await vi.waitFor(() => expect(house.marked()).toEqual([]), 30_000);
      expect(isThere(stranger.child.pid ?? 0)).toBe(true);
      expect(await readFile(stranger.signals, 'utf8')).toBe('ready\n');
    } finally {
      await gone(stranger.child);
    }
  });

  it('cannot be named to any operation: a run is canceled by its id and by nothing else [T27]', async () => {
    await using house = await faultHouse();
    await house.up();
    for (const path of [`/v1/runs/${process.pid}/cancel`, `/v1/tasks/${process.pid}/cancel`]) {
      const [noun = '', id = ''] = path.split('/').slice(2);
      const answer = await house.fleet([noun.slice(0, -1), 'cancel', id]);
      expect([path, answer.code === 0, answer.err]).toEqual([path, false, expect.stringContaining(id)]);
    }
    const fields = contract.flatMap(({ name, input }) => Object.keys(input.shape).map((field) => `${name} ${field}`));
    expect(fields.length).toBeGreaterThan(100);
    expect(fields.filter((field) => /pid|pgid|signal|process/i.test(field.split(' ')[1] ?? ''))).toEqual([]);
    expect(Object.keys(contract.find(({ name }) => name === 'run.cancel')?.input.shape ?? {})).toContain('id');
  });
});

/** Writes down each signal it gets. */
async function strangerIn(house: FaultHouse): Promise<{ child: ChildProcess; signals: string }> {
  const signals = join(house.directory, 'signals');
  const traps = ['TERM', 'INT', 'HUP', 'QUIT', 'USR1', 'USR2', 'ALRM', 'CONT'].map((name) => `trap 'echo ${name}' ${name}`);
  const script = `exec > "$0"; ${traps.join('; ')}; echo ready; while :; do sleep 0.05; done`;
  const { FLEET_RUN_MARK: _, ...env } = house.env;
  const child = spawn('/bin/sh', ['-c', script, signals], { detached: true, stdio: 'ignore', env });
  await once(child, 'spawn');
  await vi.waitFor(async () => expect(await readFile(signals, 'utf8')).toBe('ready\n'), 20_000);
  return { child, signals };
}

/** The record of the run says that this process is both its shim and its agent. */
async function forge(house: FaultHouse, id: string, { pid = 0 }: ChildProcess): Promise<void> {
  const who = `${pid} ${statSync(pid)?.started}`;
  const directory = join(house.home, 'runs', id);
  await writeFile(join(directory, 'id'), `1 ${who} ${who} ${bootIdSync()} - -\n`);
  await writeFile(join(directory, 'claim'), `shim ${who} ${bootIdSync()}\n`);
}
