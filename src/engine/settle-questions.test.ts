import { describe, expect, it } from 'vitest';
import { withRuns } from '../../test/support/run-house.ts';
import { reportOf } from '../domain/work/report.ts';
import { type SettledEnding, settle } from './settle.ts';
import { newWatch } from './supervise/ingest.ts';

/** A task whose agent has asked two questions, and how it stands once its run has ended. */
async function asked() {
  const house = await withRuns();
  const { id } = await house.create('x', { maxAttempts: 1 });
  const { runId, call } = await house.begin(id);
  const [one, two] = [await call('question.ask', { text: 'One?' }), await call('question.ask', { text: 'Two?' })];
  const ends = async (ending: Partial<SettledEnding>) => {
    await settle(
      runId,
      { outcome: 'blocked', retryInMs: 0, ...ending },
      { store: house.store, now: house.now, hostName: 'here' },
    );
    return house.call('task.show', { id });
  };
  return { ...house, runId, one, two, ends };
}

describe('a task whose agent has asked and is gone', () => {
  it.each(['blocked', 'crashed', 'refused', 'timed_out'] as const)(
    'stands still for the oldest open question after %s',
    async (outcome) => {
      const { one, ends } = await asked();
      expect((await ends({ outcome })).phase).toMatchObject({
        state: 'blocked',
        block: { cause: 'question', who: 'you', what: 'it asks: One?', questionId: one.id },
      });
    },
  );

  it('stands still when its agent left without a word, and is tried again after an accident of others', async () => {
    expect((await (await asked()).ends({ outcome: 'crashed', quiet: true })).phase.state).toBe('blocked');
    expect((await (await asked()).ends({ outcome: 'lost' })).phase.state).toBe('waiting');
  });

  it('is no success: whoever had not heard of the question has to look again', async () => {
    const { ends, call, one } = await asked();
    await expect(ends({ outcome: 'succeeded' })).rejects.toThrow(`has asked`);
    expect((await call('task.show', { id: one.taskId ?? '' })).phase.state).toBe('running');
  });

  it('is no success either where its report came after what it had said was gathered', async () => {
    const house = await withRuns();
    const { id } = await house.create('x');
    const { runId, call } = await house.begin(id);
    const report = reportOf({ runId, taskId: id, at: house.now(), outcome: 'succeeded' });
    await call('report.submit', { status: 'failed', summary: 'no' });
    const ending = { outcome: 'succeeded', retryInMs: 0, collected: { report, over: 'absent' } } as const;
    await expect(settle(runId, ending, { store: house.store, now: house.now, hostName: 'here' })).rejects.toThrow();
    expect((await house.call('task.show', { id })).phase.state).toBe('running');
  });

  it('goes on at once where the answers came before its end', async () => {
    const { call, one, two, runId, ends } = await asked();
    for (const { id } of [one, two]) await call('question.answer', { id, text: 'yes' });
    const task = await ends({});
    expect(task).toMatchObject({ phase: { state: 'queued' }, continues: runId });
    expect(task.messages.map(({ state }) => state)).toEqual(['waiting', 'waiting']);
  });

  it('tells its next agent what could no longer be passed on to the last', async () => {
    const { call, one, two, ends, store } = await asked();
    const [first, second] = [one.id, two.id];
    for (const id of [first, second]) await call('question.answer', { id, text: 'yes' });
    const watch = {
      ...newWatch({ state: null, events: [], send: [] }, one.createdAt),
      asks: [{ request: 'r', questionId: first }],
    };
    // As if it had been asked in the agent's own way: then there is no message yet.
    const seen = await store.get({ kind: 'task', id: one.taskId ?? '' });
    const body = { ...(seen?.body as object), messages: [] };
    await store.commit([
      { op: 'put', key: { kind: 'task', id: one.taskId ?? '' }, expect: seen?.version ?? '', body, entries: [] },
    ]);
    const task = await ends({ watch });
    expect(task.messages.map(({ answers }) => answers)).toEqual([first]);
    expect(task.phase.state).toBe('queued');
  });
});
