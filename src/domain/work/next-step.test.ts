import { describe, expect, it } from 'vitest';
import { Task } from '../task/task.ts';
import { nextStep } from './next-step.ts';

const NOON = '2030-01-01T12:00:00.000Z';
const finishedTask = Task.parse({
  id: `task_${'0'.repeat(26)}`,
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
  phase: { state: 'verifying', since: NOON, holder: { kind: 'run', runId: `run_${'0'.repeat(26)}` } },
  attempts: 1,
  createdAt: NOON,
  createdBy: 'you',
  updatedAt: NOON,
});
const BASE = 'a'.repeat(40);
const TIP = 'b'.repeat(40);
const TREE = 'c'.repeat(40);
const changes = { commits: 1, files: 2, added: 10, removed: 1 };
const work = { branch: 'scripted/tidy/1', target: 'main', base: BASE, tip: TIP, tree: TREE, changes };
const task = (over: Partial<Task>): Task => ({ ...finishedTask, integration: 'review', work, ...over });
const verify = { verify: 'npm test' };
const green = { commit: TIP, tree: TREE, green: true };

describe('the next step of finished work [WORK-05]', () => {
  it('is first to gather what the run left', () => {
    const { tip: _tip, ...ungathered } = work;
    expect(nextStep(task({ work: ungathered }), verify)).toEqual({ step: 'gather' });
  });

  it('is a repair for success without a change, if a change is expected', () => {
    const nothing = { ...work, changes: { ...changes, files: 0 } };
    expect(nextStep(task({ work: nothing }), verify)).toEqual({ step: 'repair', because: 'no_changes' });
    expect(nextStep(task({ work: nothing, expectsChanges: false }), verify)).toEqual({ step: 'finish' });
  });

  it('is the gate on exactly this commit', () => {
    expect(nextStep(task({}), verify)).toEqual({ step: 'gate' });
    expect(nextStep(task({ gate: { ...green, commit: BASE } }), verify)).toEqual({ step: 'gate' });
    expect(nextStep(task({ gate: { commit: TIP } }), verify)).toEqual({ step: 'gate' });
    expect(nextStep(task({ gate: { ...green, green: false } }), verify)).toEqual({ step: 'repair', because: 'gate' });
  });

  it('accepts a gate result on any commit for work without a branch', () => {
    const { work: _none, ...plain } = task({});
    expect(nextStep(plain, verify)).toEqual({ step: 'gate' });
    expect(nextStep({ ...plain, gate: { commit: BASE, green: true } }, verify)).toEqual({ step: 'finish' });
    expect(nextStep({ ...plain, gate: { commit: BASE, green: false } }, verify)).toEqual({ step: 'repair', because: 'gate' });
    expect(nextStep({ ...plain, gate: { green: true } }, verify)).toEqual({ step: 'finish' });
  });

  it('needs no gate if the project has none', () => {
    expect(nextStep(task({ integration: 'none' }), {})).toEqual({ step: 'finish' });
  });

  it('follows the integration mode', () => {
    expect(nextStep(task({ gate: green, integration: 'none' }), verify)).toEqual({ step: 'finish' });
    expect(nextStep(task({ gate: green, integration: 'auto' }), verify)).toEqual({ step: 'merge' });
    expect(nextStep(task({ gate: green }), verify).step).toBe('review');
    const approval = { by: 'you', at: finishedTask.createdAt, commit: TIP };
    expect(nextStep(task({ gate: green, work: { ...work, approval } }), verify)).toEqual({ step: 'merge' });
  });

  it('says so if the rejected tree is offered again unchanged', () => {
    const rejected = { by: 'you', at: finishedTask.createdAt, text: 'once more', tree: TREE };
    const again = nextStep(task({ gate: green, work: { ...work, rejected } }), verify);
    expect(again).toEqual({ step: 'review', what: expect.stringMatching(/^nothing has changed since it was rejected/) });
    const other = nextStep(task({ gate: green, work: { ...work, rejected: { ...rejected, tree: BASE } } }), verify);
    expect(other).toEqual({ step: 'review', what: expect.not.stringContaining('rejected;') });
  });

  it('ignores the approval of another commit [T31]', () => {
    const approval = { by: 'you', at: finishedTask.createdAt, commit: BASE };
    expect(nextStep(task({ gate: green, work: { ...work, approval } }), verify).step).toBe('review');
  });

  it('is a review for a guarded path, in any mode [T31]', () => {
    const step = nextStep(
      task({ gate: green, integration: 'auto', work: { ...work, guarded: ['.github/workflows/ci.yml'] } }),
      verify,
    );
    expect(step).toEqual({ step: 'review', what: expect.stringContaining('.github/workflows/ci.yml') });
  });

  it('is to cancel after a request to cancel', () => {
    expect(nextStep(task({ cancelAsked: { at: finishedTask.createdAt, by: 'you' } }), verify)).toEqual({ step: 'cancel' });
  });

  it('is the gate alone for work in place', () => {
    const { work: _none, ...inPlace } = task({});
    expect(nextStep(inPlace, verify)).toEqual({ step: 'gate' });
    expect(nextStep({ ...inPlace, gate: { green: true } }, verify)).toEqual({ step: 'finish' });
    expect(nextStep(inPlace, {})).toEqual({ step: 'finish' });
  });
});
