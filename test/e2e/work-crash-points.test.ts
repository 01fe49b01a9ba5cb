import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { WORK_VERBS } from '../../src/app/crash-points.ts';
import { fullOnly } from '../full-only.ts';
import { commitIn, landedOn, leftovers, onMain, RESTING, type WorkHouse, workHouse } from '../support/work-house.ts';

const AT_ONCE = 3;
/** An engine that came through the whole scenario alive has passed fewer points of that kind than asked for. */
const MOST_POINTS = 30;

const ended = (engine: ChildProcess) =>
  engine.exitCode !== null || engine.signalCode !== null
    ? Promise.resolve()
    : new Promise<void>((resolve) => engine.once('exit', () => resolve()));

/** Until the tasks have come to rest and nothing is used any more, or the engine has died. */
async function settle(house: WorkHouse, engine: ChildProcess, ids: readonly string[]): Promise<void> {
  await vi.waitFor(
    async () => {
      if (engine.signalCode !== null) return;
      // Not `task wait`, which would start an engine of its own once this one has died.
      const tasks = (await house.all()).filter(({ id }) => ids.includes(id));
      expect(tasks.filter(({ phase }) => !RESTING.includes(phase.state))).toEqual([]);
      expect((await house.workspaces()).filter(({ use, state }) => use.kind !== 'free' || state !== 'ready')).toEqual([]);
    },
    { timeout: 120_000, interval: 300 },
  );
}

/** Whether the engine died at the point, and whether everything came to its end after that, once. */
async function dieAt(point: string): Promise<boolean> {
  await using house = await workHouse(
    ['--setup', 'mkdir -p deps && echo made > deps/ready', '--verify', 'test -f deps/ready', '--push'],
    { engine: false, settings: ['workspace_pool=1', 'grace_seconds=1'] },
  );
  await commitIn(house, { '.gitignore': 'deps/\n' });
  const remote = join(house.directory, 'remote.git');
  await house.git(house.directory, 'init', '-q', '--bare', remote);
  await house.git(house.repo, 'remote', 'add', 'origin', remote);
  const ledger = join(house.directory, 'ledger');
  const first = await house.create(`sh test -f deps/ready && echo one >> '${ledger}'\nedit one.txt 1\ncommit one\ndone one`);
  const second = await house.create(`sh echo two >> '${ledger}'\nedit two.txt 2\ndone two`);
  const doomed = house.start(['up'], { FLEET_CRASH_AT: point });
  await settle(house, doomed, [first, second]);
  const died = doomed.signalCode === 'SIGKILL';
  if (!died) {
    doomed.kill('SIGTERM');
    await ended(doomed);
    return false;
  }
  const next = house.start(['up']);
  await settle(house, next, [first, second]);
  const tasks = await house.all();
  expect({ point, states: tasks.map(({ phase }) => phase.state) }).toEqual({ point, states: ['done', 'done'] });
  expect({ point, landed: (await landedOn(house)).toSorted() }).toEqual({ point, landed: [first, second].toSorted() });
  expect([await onMain(house, 'one.txt'), await onMain(house, 'two.txt')]).toEqual(['1', '2']);
  // No agent was started twice.
  expect({ point, ran: (await readFile(ledger, 'utf8')).trim().split('\n').toSorted() }).toEqual({ point, ran: ['one', 'two'] });
  await vi.waitFor(async () => expect({ point, left: await leftovers(house) }).toEqual({ point, left: [] }), {
    timeout: 60_000,
    interval: 300,
  });
  expect({ point, pushed: (await house.git(remote, 'rev-parse', 'main')).out.trim() }).toEqual({
    point,
    pushed: await house.says('rev-parse', 'main'),
  });
  next.kill('SIGTERM');
  await ended(next);
  return true;
}

async function dieAtAll(points: readonly string[]): Promise<string[]> {
  const reached: string[] = [];
  for (let from = 0; from < points.length; from += AT_ONCE) {
    const some = points.slice(from, from + AT_ONCE);
    const died = await Promise.all(some.map(dieAt));
    reached.push(...some.filter((_, index) => died[index]));
  }
  return reached;
}

const KINDS = WORK_VERBS.flatMap((verb) => ['before', 'after'].map((moment) => `${verb}.${moment}`));

/** A run whose work cannot be kept, and an engine that dies while it puts that aside: the next one has the same end. */
async function diesAside(point: string): Promise<void> {
  await using house = await workHouse([], { engine: false, settings: ['keep_seconds=10', 'grace_seconds=1'] });
  const id = await house.create('sh echo mine > mine.txt; mkfifo .gitignore\ndone it');
  const doomed = house.start(['up'], { FLEET_CRASH_AT: point });
  await ended(doomed);
  expect(doomed.signalCode).toBe('SIGKILL');
  await house.up();
  const task = await house.rest(id);
  expect({ point, phase: task.phase }).toMatchObject({ point, phase: { state: 'blocked', block: { cause: 'aside' } } });
  const [place, ...others] = await house.workspaces();
  expect({ point, place, others }).toMatchObject({ point, place: { state: 'aside' }, others: [] });
  const files = /its files are in (.+?\/aside\/[^;]+);/.exec(task.phase.block?.what ?? '')?.[1] ?? 'nowhere';
  expect(await readFile(join(files, 'tree', 'mine.txt'), 'utf8')).toBe('mine\n');
  expect((await house.runs(id)).map(({ phase }) => phase.outcome)).toEqual(['succeeded']);
}

describe('an engine that dies in the middle of work in a repository', () => {
  it('and was about to put a workspace aside, or just had, is followed by one that goes on there [R2]', async () => {
    await Promise.all(['putAside.before:1', 'putAside.after:1'].map(diesAside));
  });

  it('is followed by one that lands everything once and leaves nothing [R2] [R30] [R32]', async () => {
    const points = ['commitWork.after:2', 'advance.after:1', 'remove.after:1'];
    expect(await dieAtAll(points)).toEqual(points);
  });

  fullOnly('at the first effect of every kind, before and after it [R2] [R30] [R32]', async () => {
    const points = KINDS.map((kind) => `${kind}:1`);
    const reached = await dieAtAll(points);
    // Nothing belongs to nobody in this scenario, everything can be kept, nobody cleans up, and nobody works in a clone.
    const never = ['show', 'putAside', 'removeAside', 'removeOrphan', 'dropKeptBranch'].flatMap((verb) => [
      `${verb}.before:1`,
      `${verb}.after:1`,
    ]);
    expect(points.filter((point) => !reached.includes(point))).toEqual(never);
  });

  for (const kind of KINDS) {
    fullOnly(`${kind}, at every point there is`, async () => {
      for (let n = 2; n <= MOST_POINTS; n += AT_ONCE) {
        const points = Array.from({ length: AT_ONCE }, (_, index) => `${kind}:${n + index}`);
        if ((await dieAtAll(points)).length < points.length) break;
      }
    });
  }
});
