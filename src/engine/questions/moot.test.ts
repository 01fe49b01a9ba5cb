import { describe, expect, it } from 'vitest';
import { withRuns } from '../../../test/support/run-house.ts';
import { refused } from '../../../test/support/shop.ts';
import type { Fence } from '../../domain/task/transition.ts';
import { transition } from '../../domain/task/transition.ts';
import type { RunId } from '../../domain/values.ts';
import { changeWrites } from '../../store/records/journal.ts';
import { tasks } from '../../store/records/tasks.ts';
import { settle } from '../settle.ts';
import { withdrawing } from './moot.ts';

/** A task whose run has asked; `store` is the engine's, without any controller. */
async function asked(questions = 1) {
  const house = await withRuns();
  const store = withdrawing(house.store, house.now);
  const { id: taskId } = await house.create('x');
  const { runId, call } = await house.begin(taskId);
  const ids: string[] = [];
  for (let n = 0; n < questions; n += 1) ids.push((await call('question.ask', { text: `Question ${n}?` })).id);
  const states = () =>
    Promise.all(ids.map(async (id) => (await house.call('question.show', { id })).state)).then((all) => [...new Set(all)]);
  const end = (runId: RunId) => settle(runId, { outcome: 'canceled', retryInMs: 0 }, { store, now: house.now, hostName: 'here' });
  return { ...house, engine: store, taskId, runId, ask: call, ids, states, endRun: end };
}

describe('the commit that ends a task', () => {
  it('withdraws all it asked, and says why', async () => {
    const house = await asked(20);
    await house.call('task.cancel', { id: house.taskId });
    expect(await house.states()).toEqual(['pending']);
    await house.endRun(house.runId);
    expect((await house.call('task.show', { id: house.taskId })).phase.state).toBe('canceled');
    expect(await house.states()).toEqual(['withdrawn']);
    expect((await house.call('question.list', {})).items).toEqual([]);
    const shown = await house.call('question.show', { id: house.ids[0] ?? '' });
    expect(shown.withdrawn).toMatchObject({ by: 'fleet', why: `task ${house.taskId} is canceled` });
  });

  it('does so however it ends, and never before', async () => {
    const house = await asked();
    const seen = await tasks.get(house.store, house.taskId);
    if (!seen) throw new Error('gone');
    const at = house.now();
    const fence: Fence = house.runId;
    const author = { by: 'fleet', at };
    const verifying = transition(seen.body, { type: 'verify', at, fence });
    const version = await house.engine.commit(changeWrites(tasks, seen, verifying, { author, note: { what: 'verify' } }));
    expect(await house.states()).toEqual(['pending']);
    const done = transition({ ...verifying, seq: seen.body.seq + 1 }, { type: 'finish', at, fence });
    await house.engine.commit(changeWrites(tasks, { version }, done, { author, note: { what: 'finish' } }));
    expect(await house.states()).toEqual(['withdrawn']);
  });

  it('is refused when something was asked meanwhile', async () => {
    const house = await asked();
    const seen = await tasks.get(house.store, house.taskId);
    if (!seen) throw new Error('gone');
    const at = house.now();
    const canceled = transition(seen.body, { type: 'settle', at, fence: house.runId, outcome: 'canceled', retryAt: at });
    await house.ask('question.ask', { text: 'And this?' });
    const writes = changeWrites(tasks, seen, canceled, { author: { by: 'fleet', at }, note: { what: 'settle' } });
    expect((await refused(house.engine.commit(writes))).code).toBe('conflict');
    expect((await house.call('question.list', {})).items).toHaveLength(2);
  });

  it('leaves the questions of every other task alone', async () => {
    const house = await asked();
    const other = await house.create('y');
    const { call } = await house.begin(other.id);
    const { id } = await call('question.ask', { text: 'Mine?' });
    await house.call('task.cancel', { id: house.taskId });
    await house.endRun(house.runId);
    expect((await house.call('question.show', { id })).state).toBe('pending');
  });
});
