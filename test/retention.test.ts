import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { spoolsOf } from '../src/app/spools.ts';
import type { Phase } from '../src/domain/task/task.ts';
import { instantOf, type RunId, type TaskId } from '../src/domain/values.ts';
import { takeTurn } from '../src/engine/controller.ts';
import { outputToPrune, pruneOutput, type Retention, type StoredOutput } from '../src/engine/prune-output.ts';
import { runIndex, runs } from '../src/store/records/runs.ts';
import { tasks } from '../src/store/records/tasks.ts';
import { inFullRun } from './full-only.ts';
import { memoryHouse, NOON } from './support/memory-house.ts';

const DIRECTORIES = inFullRun ? 10_000 : 600;
const DAY = 86_400_000;

let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fleet-retention-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** A house with run directories: each run is as old as is said, and has printed a hundred bytes. */
function shelf() {
  const clock = { ms: NOON };
  const house = memoryHouse({ clock });
  const paths = { runs: join(directory, 'runs') };
  let elapsed = 0;
  const logged: string[] = [];
  const controllerOf = (rules: ReturnType<Retention['rules']>, spools = spoolsOf(paths)) =>
    pruneOutput({
      store: house.store,
      now: house.now,
      elapsed: () => elapsed,
      spools,
      rules: () => rules,
      log: (event, { runId }) => logged.push(`${event} ${String(runId)}`),
    });
  const known = new Map<Phase, TaskId>();
  const taskIn = async (phase: Phase): Promise<TaskId> => {
    const before = known.get(phase);
    if (before) return before;
    const { id } = await house.call('task.create', { directory: '/plain', prompt: 'x' });
    const seen = await tasks.get(house.store, id);
    if (!seen) throw new Error('no task');
    await house.store.commit([tasks.put({ ...seen.body, phase }, seen.version)]);
    known.set(phase, id);
    return id;
  };
  return {
    ...house,
    logged,
    add: async (days: number, state: 'ended' | 'running', phase: Phase): Promise<RunId> => {
      clock.ms = NOON - days * DAY;
      const taskId = await taskIn(phase);
      const at = house.now();
      const id = house.ids.run();
      const common = { id, seq: 1, taskId, kind: 'agent', attempt: 1, executor: 'claude', host: 'here', holds: [] } as const;
      const process = { pid: 1, started: '1' };
      await house.store.commit([
        runs.put(
          {
            ...common,
            holds: [],
            phase:
              state === 'ended'
                ? { state, at, outcome: 'succeeded' }
                : { state, since: at, boot: 'b', shim: process, agent: process },
            createdAt: at,
            updatedAt: at,
          },
          'absent',
        ),
      ]);
      await mkdir(join(paths.runs, id), { recursive: true });
      await writeFile(join(paths.runs, id, 'out'), 'x'.repeat(99) + '\n');
      clock.ms = NOON;
      return id;
    },
    left: async () => new Set(await readdir(paths.runs)),
    sweep: async (rules: ReturnType<Retention['rules']>, spools?: Retention['spools']) => {
      const controller = controllerOf(rules, spools);
      elapsed += 60_000;
      return takeTurn(controller);
    },
  };
}

const at = instantOf(NOON);
const done: Phase = { state: 'done', at };
const ALL = { days: 36_500, bytes: Number.MAX_SAFE_INTEGER };

describe('old output', () => {
  it('is removed by age, but never that of a live run or of a task that may go on [R44]', async () => {
    const house = shelf();
    const old = await house.add(31, 'ended', done);
    const young = await house.add(29, 'ended', done);
    const live = await house.add(60, 'running', done);
    const open = await house.add(60, 'ended', { state: 'queued', since: at });
    await mkdir(join(directory, 'runs', 'mine'));
    await house.sweep({ ...ALL, days: 30 });
    expect(await house.left()).toEqual(new Set([young, live, open, 'mine']));
    expect(house.logged).toEqual([`output.removed ${old}`]);
    const answer = await house.call('run.log', { id: old });
    expect(answer).toEqual({ runId: old, items: [], next: 0, ended: true, removedAt: at });
    expect((await house.call('run.show', { id: old })).outputRemovedAt).toBe(at);
    expect(await house.call('run.log', { id: young })).not.toHaveProperty('removedAt');
  });

  it('is removed by size, oldest first, until the rest fits: over many run directories [R44]', async () => {
    const house = shelf();
    const ids: RunId[] = [];
    for (let n = 0; n < DIRECTORIES; n += 1)
      ids.push(await house.add(20 - n / DIRECTORIES, n % 10 === 3 ? 'running' : 'ended', done));
    const half = (DIRECTORIES / 2) * 100;
    const turn = await house.sweep({ ...ALL, bytes: half });
    expect(turn.failed).toEqual([]);
    const left = await house.left();
    expect(left.size * 100).toBeLessThanOrEqual(half);
    expect(left.size).toBe(DIRECTORIES / 2);
    const removed = ids.filter((id) => !left.has(id));
    const kept = ids.filter((id, n) => left.has(id) && n % 10 !== 3);
    expect((removed.at(-1) ?? '') < (kept[0] ?? '')).toBe(true);
    expect(ids.filter((_, n) => n % 10 === 3).every((id) => left.has(id))).toBe(true);
    const rows = (await house.store.scan({ index: runIndex.all, limit: 1_000 })).map(runs.read);
    expect(rows.filter(({ id }) => !left.has(id)).every(({ outputRemovedAt }) => outputRemovedAt === at)).toBe(true);
  });

  it('is removed in the end when whoever began it was cut off after writing it down', async () => {
    const house = shelf();
    const old = await house.add(31, 'ended', done);
    const broken = { ...spoolsOf({ runs: join(directory, 'runs') }), remove: () => Promise.reject(new Error('power')) };
    expect((await house.sweep({ ...ALL, days: 30 }, broken)).failed).toHaveLength(1);
    expect(await house.left()).toEqual(new Set([old]));
    await house.sweep(ALL);
    expect(await house.left()).toEqual(new Set());
    expect((await house.call('run.log', { id: old })).removedAt).toBe(at);
  });

  it('stays while everything fits', () => {
    const one = (n: number, more: Partial<StoredOutput> = {}): StoredOutput => ({
      runId: `run_${n}` as RunId,
      bytes: 10,
      endedAt: at,
      ...more,
    });
    const kept = [one(1), one(2), { runId: 'run_3' as RunId, bytes: 10 }];
    expect(outputToPrune({ kept, oldest: at, mostBytes: 30 })).toEqual([]);
    expect(outputToPrune({ kept, oldest: at, mostBytes: 29 })).toEqual(['run_1']);
    expect(outputToPrune({ kept, oldest: at, mostBytes: 0 })).toEqual(['run_1', 'run_2']);
    expect(outputToPrune({ kept: [one(1), one(2, { isLeaving: true })], oldest: at, mostBytes: 30 })).toEqual(['run_2']);
  });
});
