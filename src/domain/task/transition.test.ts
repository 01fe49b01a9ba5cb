import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isFault } from '../fault.ts';
import { OUTCOMES, type Outcome } from '../run/run.ts';
import type { RunId, TaskId } from '../values.ts';
import { isFinal, Task } from './task.ts';
import { type TaskCommand, transition } from './transition.ts';

const NOON = '2030-01-01T12:00:00.000Z';
const LATER = '2030-01-01T12:01:00.000Z';
const run = (n: number) => `run_${String(n).padStart(26, '0')}` as RunId;
const task = (n: number) => `task_${String(n).padStart(26, '0')}` as TaskId;

const draft: Task = Task.parse({
  id: task(1),
  seq: 1,
  title: 'tidy',
  prompt: { text: 'tidy up' },
  priority: 5,
  tags: [],
  kind: 'implement',
  expectsChanges: true,
  executors: [],
  extraArgs: [],
  maxAttempts: 2,
  dependsOn: [],
  metadata: {},
  depth: 0,
  children: 0,
  awaited: 0,
  untold: false,
  phase: { state: 'draft', since: NOON },
  attempts: 0,
  createdAt: NOON,
  createdBy: 'you',
  updatedAt: NOON,
});

const queued = transition(draft, { type: 'dispatch', at: NOON, unmet: [] });
const claim = (on: Task, n: number) => transition(on, { type: 'claim', at: NOON, holder: { kind: 'run', runId: run(n) } });
const running = claim(queued, 1);
const settle = (on: Task, outcome: Outcome, n = 1) =>
  transition(on, { type: 'settle', at: NOON, fence: run(n), outcome, retryAt: LATER });
const conflict = (act: () => unknown) => {
  try {
    act();
  } catch (error) {
    return isFault(error, 'conflict');
  }
  return false;
};

describe('a task', () => {
  it('waits while a dependency is open, and is queued once none is', () => {
    const waiting = transition(draft, { type: 'dispatch', at: NOON, unmet: [task(2)] });
    expect(waiting.phase).toMatchObject({ state: 'waiting', on: [task(2)] });
    expect(transition(waiting, { type: 'release', at: LATER, unmet: [] }).phase.state).toBe('queued');
  });

  it('names a dependency that will never be done, and goes on if it is done after all', () => {
    const waiting = transition(draft, { type: 'dispatch', at: NOON, unmet: [task(2)] });
    const blocked = transition(waiting, { type: 'release', at: NOON, unmet: [task(2)], dead: task(2) });
    expect(blocked.phase).toMatchObject({ state: 'blocked', block: { cause: 'dependency', taskId: task(2) } });
    expect(transition(blocked, { type: 'release', at: LATER, unmet: [] }).phase.state).toBe('queued');
  });

  it('is held by exactly one run', () => expect(conflict(() => claim(running, 2))).toBe(true));

  it('refuses the report of a replaced run', () => {
    const again = claim(transition(settle(running, 'lost'), { type: 'release', at: LATER, unmet: [] }), 2);
    expect(conflict(() => settle(again, 'succeeded', 1))).toBe(true);
    expect(settle(again, 'succeeded', 2).phase.state).toBe('verifying');
  });

  it('restarts after a stall at most twice, whatever its number of attempts, until a person retries it [RUN-03]', () => {
    let now: Task = { ...running, maxAttempts: 100 };
    for (const n of [1, 2]) {
      now = settle(now, 'stalled', n);
      expect(now.phase.state).toBe('waiting');
      now = claim(transition(now, { type: 'release', at: LATER, unmet: [] }), n + 1);
    }
    now = settle(now, 'stalled', 3);
    expect(now.phase).toMatchObject({ state: 'failed', reason: 'stalled 3 times' });
    expect(transition(now, { type: 'retry', at: LATER, unmet: [] })).toMatchObject({ attempts: 0, stalledTimes: 0 });
  });

  it('counts no attempt if the provider names a time to retry, and fails after three refusals without one [RUN-04]', () => {
    const stated = (on: Task) =>
      transition(on, { type: 'settle', at: NOON, fence: run(1), outcome: 'rate_limited', retryAt: LATER, isStated: true });
    let now = running;
    for (let n = 0; n < 10; n += 1) now = claim(stated(now), 1);
    expect(now).toMatchObject({ attempts: 11, uncounted: 10, refusedTimes: 0 });
    now = { ...now, maxAttempts: 9 };
    for (const times of [1, 2]) {
      now = settle(now, 'rate_limited');
      expect(now).toMatchObject({ phase: { state: 'queued' }, refusedTimes: times });
      now = claim(now, 1);
    }
    now = settle(now, 'rate_limited');
    expect(now.phase).toMatchObject({ state: 'failed' });
    expect(transition(now, { type: 'retry', at: LATER, unmet: [] })).toMatchObject({
      attempts: 0,
      uncounted: 0,
      refusedTimes: 0,
    });
    expect(settle({ ...running, maxAttempts: 1 }, 'rate_limited').phase.state).toBe('failed');
  });

  it('goes on with a fresh run after a full window while it makes progress, and then needs a person [RUN-06]', () => {
    const full = (on: Task, mark: string) =>
      transition(on, { type: 'settle', at: NOON, fence: run(1), outcome: 'context_full', retryAt: LATER, mark });
    let now = running;
    for (const mark of ['a', 'b', 'c', 'd', 'd']) {
      now = full(now, mark);
      expect(now.phase.state, mark).toBe('queued');
      now = claim(now, 1);
    }
    expect(now).toMatchObject({ attempts: 6, uncounted: 5, fullTimes: 2 });
    expect(full(now, 'e').phase.state).toBe('queued');
    const stuck = full(now, 'd');
    expect(stuck.phase).toMatchObject({ state: 'blocked', block: { cause: 'agent', what: expect.stringContaining('3 times') } });
    expect(transition(stuck, { type: 'retry', at: LATER, unmet: [] }).fullTimes).toBe(0);
  });

  it('fails with the words of the program if it is refused', () => {
    const command = {
      type: 'settle',
      at: NOON,
      fence: run(1),
      outcome: 'refused',
      retryAt: LATER,
      detail: 'no model x',
    } as const;
    expect(transition(running, command).phase).toMatchObject({ state: 'failed', reason: 'refused: no model x' });
    const last = { ...running, maxAttempts: 1 };
    expect(transition(last, { ...command, outcome: 'crashed', detail: 'it ended with exit code 3' }).phase).toMatchObject({
      state: 'failed',
      reason: 'crashed after 1 of 1 attempts: it ended with exit code 3',
    });
  });

  it.each(['crashed', 'stalled', 'lost'] as const)('is retried after an accident: %s', (outcome) => {
    expect(settle(running, outcome).phase).toMatchObject({ state: 'waiting', until: LATER });
  });

  it.each(['refused', 'over_budget', 'output_limit', 'timed_out'] as const)(
    'is not retried if the outcome would be the same: %s',
    (outcome) => {
      expect(settle(running, outcome).phase.state).toBe('failed');
    },
  );

  it('fails once its attempts are used up', () => {
    const second = claim(transition(settle(running, 'crashed'), { type: 'release', at: LATER, unmet: [] }), 2);
    expect(settle(second, 'crashed', 2).phase).toMatchObject({ state: 'failed' });
  });

  it('is canceled at once if nothing works on it', () =>
    expect(transition(queued, { type: 'cancel', at: NOON, by: 'you' }).phase.state).toBe('canceled'));

  it('stays running after a request to cancel, until its run has really ended', () => {
    const asked = transition(running, { type: 'cancel', at: NOON, by: 'you' });
    expect(asked.phase.state).toBe('running');
    expect(asked.cancelAsked).toBeDefined();
    expect(settle(asked, 'succeeded').phase.state).toBe('canceled');
  });

  it('keeps its place in the queue after an edit', () => {
    const edited = transition(queued, { type: 'rewire', at: LATER, unmet: [] });
    expect(edited.phase).toEqual(queued.phase);
  });

  it('is marked for its dependants when it ends', () => {
    expect(settle({ ...running, awaited: 1 }, 'refused').untold).toBe(true);
    expect(settle(running, 'refused').untold).toBe(false);
  });
});

const BASE = 'a'.repeat(40);
const TIP = 'b'.repeat(40);
const holder = { kind: 'run', runId: run(1) } as const;

describe('finished work', () => {
  const work = { branch: 'b', target: 'main', base: BASE, tip: TIP, changes: { commits: 1, files: 1, added: 1, removed: 0 } };
  const verifying = { ...settle(running, 'succeeded'), work, gate: { commit: TIP, green: true } };
  const resting = transition(verifying, {
    type: 'block',
    at: NOON,
    fence: run(1),
    block: { cause: 'review', who: 'you', what: 'look' },
  });

  it('goes to the queue of its target branch, and can be sent back from there', () => {
    const merging = transition(verifying, { type: 'merge', at: NOON, fence: run(1) });
    expect(merging.phase).toMatchObject({ state: 'merging', holder });
    const sent = transition({ ...merging, attempts: 2 }, { type: 'repair', at: LATER, fence: run(1) });
    expect(sent).toMatchObject({ phase: { state: 'queued' }, repairs: 1, attempts: 0 });
    expect(conflict(() => transition(merging, { type: 'repair', at: LATER, fence: run(2) }))).toBe(true);
  });

  it('loses its proof when it is worked on again [WORK-05]', () => {
    const again = claim(transition(verifying, { type: 'repair', at: LATER, fence: run(1) }), 2);
    expect(again.gate).toBeUndefined();
    expect(again.work).toEqual({ branch: 'b', target: 'main', base: BASE });
  });

  it('rests until a person acts, and then lands or is verified again', () => {
    expect(transition(resting, { type: 'land', at: LATER, holder }).phase).toMatchObject({ state: 'merging', holder });
    expect(transition(resting, { type: 'reverify', at: LATER, holder }).phase).toMatchObject({ state: 'verifying', holder });
    expect(conflict(() => transition(running, { type: 'land', at: LATER, holder }))).toBe(true);
    const stuck = { ...resting, phase: { ...resting.phase, block: { cause: 'quarantine', who: 'you', what: 'x' } } } as Task;
    expect(conflict(() => transition(stuck, { type: 'land', at: LATER, holder }))).toBe(true);
  });

  it('can land once after the task is done', () => {
    const done = transition(verifying, { type: 'finish', at: NOON, fence: run(1) });
    expect(transition(done, { type: 'land', at: LATER, holder }).phase.state).toBe('merging');
    const landed = { ...done, work: { ...work, landed: { commit: TIP, at: NOON } } };
    expect(conflict(() => transition(landed, { type: 'land', at: LATER, holder }))).toBe(true);
  });

  it('is not sent back after a request to cancel', () => {
    const asked = transition(verifying, { type: 'cancel', at: NOON, by: 'you' });
    expect(transition(asked, { type: 'repair', at: NOON, fence: run(1) }).phase.state).toBe('canceled');
  });
});

const command: fc.Arbitrary<TaskCommand> = fc.oneof(
  fc.constantFrom<TaskCommand>(
    { type: 'dispatch', at: NOON, unmet: [] },
    { type: 'dispatch', at: NOON, unmet: [task(2)] },
    { type: 'release', at: LATER, unmet: [] },
    { type: 'release', at: LATER, unmet: [task(2)], dead: task(2) },
    { type: 'rewire', at: LATER, unmet: [task(3)] },
    { type: 'unblock', at: LATER },
    { type: 'cancel', at: LATER, by: 'you' },
  ),
  fc.nat(3).map((n) => ({ type: 'claim', at: NOON, holder: { kind: 'run', runId: run(n) } }) as const),
  fc
    .tuple(fc.nat(3), fc.constantFrom(...OUTCOMES))
    .map(([n, outcome]) => ({ type: 'settle', at: LATER, fence: run(n), outcome, retryAt: LATER }) as const),
  fc
    .tuple(fc.nat(3), fc.constantFrom('verify', 'finish', 'giveBack', 'merge', 'repair'))
    .map(([n, type]) => ({ type, at: LATER, fence: run(n) }) as TaskCommand),
);

describe('any sequence of commands', () => {
  it('leaves a valid task that never leaves a final phase and that only its holder moves on [TASK-07]', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 40 }), (commands) => {
        let now = draft;
        for (const next of commands) {
          let moved: Task;
          try {
            moved = transition(now, next);
          } catch (error) {
            if (!isFault(error, 'conflict')) throw error;
            continue;
          }
          expect(Task.safeParse(moved).success).toBe(true);
          expect(isFinal(now.phase)).toBe(false);
          if ('fence' in next && 'holder' in now.phase && now.phase.holder.kind === 'run')
            expect(now.phase.holder.runId).toBe(next.fence);
          now = moved;
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
