import { expect, it, vi } from 'vitest';
import { Fault } from '../domain/fault.ts';
import { type Controller, keepRunning, takeTurn } from './controller.ts';
import { paced, Waker } from './waker.ts';

const controllerOf = (
  actions: readonly number[],
  act: (n: number) => Promise<boolean>,
): Controller<readonly number[], number> => ({
  name: 'test',
  everyMs: 60_000,
  observe: async () => actions,
  decide: (seen) => seen,
  act,
});

it('carries out as many actions at once as it may, and no more', async () => {
  let [now, most] = [0, 0];
  const act = async () => {
    now += 1;
    most = Math.max(most, now);
    await new Promise((resolve) => setImmediate(resolve));
    now -= 1;
    return true;
  };
  const actions = Array.from({ length: 20 }, (_, n) => n);
  expect(await takeTurn(controllerOf(actions, act))).toMatchObject({ acted: 20 });
  expect(most).toBe(1);
  expect(await takeTurn({ ...controllerOf(actions, act), atOnce: 4 })).toMatchObject({ acted: 20 });
  expect(most).toBe(4);
});

it('lets neither a lost race nor a failure keep the other actions back', async () => {
  const act = async (n: number) => {
    if (n === 1) throw new Fault('conflict', 'too late');
    if (n === 2) throw new Error('broken');
    return true;
  };
  expect(await takeTurn({ ...controllerOf([0, 1, 2, 3], act), atOnce: 2 })).toMatchObject({
    acted: 2,
    lost: 1,
    failed: [new Error('broken')],
  });
});

it('looks again soon after a lost race, though nothing stirs', async () => {
  const stopping = new AbortController();
  const stirs = new Waker();
  const rests: number[] = [];
  const rest = async (ms: number) => {
    rests.push(ms);
    if (rests.length === 2) stopping.abort();
  };
  let turns = 0;
  const act = async () => {
    turns += 1;
    if (turns === 1) throw new Fault('conflict', 'too late');
    return false;
  };
  await keepRunning(controllerOf([1], act), { begin: stirs.begin, rest, log: () => undefined }, stopping.signal);
  expect(rests[0]).toBeLessThan(1_000);
  expect(rests[1]).toBe(60_000);
});

it('rests until it is stirred, and not at all when that happened during its turn', async () => {
  const stirs = new Waker();
  const { signal } = new AbortController();
  let rested = 0;
  const rest = () => stirs.rest(3_600_000, signal).then(() => (rested += 1));
  stirs.begin();
  stirs.wake();
  await rest();
  stirs.begin();
  const resting = rest();
  await new Promise((resolve) => setImmediate(resolve));
  expect(rested).toBe(1);
  stirs.wake();
  await resting;
  expect(rested).toBe(2);
});

it('says in the log which task and run an action that failed was about', async () => {
  const stopping = new AbortController();
  const stirs = new Waker();
  const [taskId, runId] = [`task_${'0'.repeat(26)}`, `run_${'1'.repeat(26)}`];
  const lines: Record<string, unknown>[] = [];
  const run = {
    version: '7',
    body: { id: runId, taskId, holds: [`project/${'x'.repeat(9)}`], watch: { lastWords: 'task_of mine' } },
  };
  const controller: Controller<readonly object[], object> = {
    name: 'broken',
    everyMs: 1,
    observe: async () => [{ sight: { run } }],
    decide: (actions) => actions,
    act: () => Promise.reject(new Error('broken')),
  };
  const rest = async () => stopping.abort();
  const log = (event: string, fields: Record<string, unknown>) => void lines.push({ event, ...fields });
  await keepRunning(controller, { begin: stirs.begin, rest, log }, stopping.signal);
  expect(lines).toMatchObject([{ event: 'action.failed', controller: 'broken', taskId, runId }]);
});

it('looks at once when others have committed, and once more for all that they commit right after', async () => {
  const ending = new AbortController();
  let looks = 0;
  const look = paced(() => {
    looks += 1;
  }, ending.signal);
  for (let n = 0; n < 100; n += 1) look();
  expect(looks).toBe(1);
  await vi.waitFor(() => expect(looks).toBe(2));
  look();
  await vi.waitFor(() => expect(looks).toBe(3));
});
