import { describe, expect, it } from 'vitest';
import { withRuns } from '../../../test/support/run-house.ts';
import { refused } from '../../../test/support/shop.ts';
import { settle } from '../settle.ts';

describe('a question that is withdrawn', () => {
  it('lets the task it blocked go on, whose agent is told to decide itself', async () => {
    const house = await withRuns();
    const { id: taskId } = await house.create('x');
    const { runId, call } = await house.begin(taskId);
    const { id } = await call('question.ask', { text: 'Which colour?' });
    await settle(runId, { outcome: 'blocked', retryInMs: 0 }, { store: house.store, now: house.now, hostName: 'here' });
    expect((await house.call('task.show', { id: taskId })).phase).toMatchObject({ block: { questionId: id } });
    const gone = await house.call('question.withdraw', { id: id.slice(-6), why: 'either will do' });
    expect(gone).toMatchObject({ state: 'withdrawn', withdrawn: { why: 'either will do' } });
    const task = await house.call('task.show', { id: taskId });
    expect(task).toMatchObject({ phase: { state: 'queued' }, continues: runId, attempts: 0 });
    expect(task.messages.map(({ text }) => text)).toEqual([
      expect.stringContaining('withdrawn (either will do). Decide it yourself'),
    ]);
    expect((await refused(house.call('question.answer', { id, text: 'red' }))).message).toContain('withdrawn already');
    expect((await refused(house.call('question.withdraw', { id }))).code).toBe('conflict');
  });

  it('leaves its task blocked by the next one, where there is another', async () => {
    const house = await withRuns();
    const { id: taskId } = await house.create('x');
    const { runId, call } = await house.begin(taskId);
    const [one, two] = [await call('question.ask', { text: 'One?' }), await call('question.ask', { text: 'Two?' })];
    await settle(runId, { outcome: 'blocked', retryInMs: 0 }, { store: house.store, now: house.now, hostName: 'here' });
    await house.call('question.withdraw', { id: one.id });
    expect((await house.call('task.show', { id: taskId })).phase).toMatchObject({
      state: 'blocked',
      block: { questionId: two.id },
    });
    await house.call('question.answer', { id: two.id, text: 'yes' });
    expect((await house.call('task.show', { id: taskId })).phase.state).toBe('queued');
  });

  it('may be taken back by the run that asked, and by no other agent', async () => {
    const house = await withRuns();
    const [mine, other] = [await house.create('x'), await house.create('y')];
    const { call } = await house.begin(mine.id);
    const { id } = await call('question.ask', { text: 'Which colour?' });
    const stranger = await house.begin(other.id);
    expect((await refused(stranger.call('question.withdraw', { id }))).code).toBe('not_found');
    expect((await call('question.withdraw', { id })).state).toBe('withdrawn');
    expect((await house.call('task.show', { id: mine.id })).messages).toEqual([]);
  });

  it('that is asked again by the next run of the task is open for that run', async () => {
    const house = await withRuns();
    const { id: taskId } = await house.create('x');
    const first = await house.begin(taskId);
    const { id } = await first.call('question.ask', { text: 'Which colour?' });
    await settle(first.runId, { outcome: 'lost', retryInMs: 0, neverRan: true }, { ...house, hostName: 'here' });
    const second = await house.begin(taskId);
    expect((await second.call('question.ask', { text: 'Which  colour?' })).id).toBe(id);
    expect(await house.call('question.show', { id })).toMatchObject({ runId: second.runId });
  });
});
