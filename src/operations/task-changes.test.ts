import { describe, expect, it } from 'vitest';
import { memoryHouse } from '../../test/support/memory-house.ts';
import { refused, withProject } from '../../test/support/shop.ts';

describe('people', () => {
  it('claim a task, exactly one of them, and finish it [TASK-15]', async () => {
    const { as, create } = await withProject();
    const { id } = await create('x');
    const names = Array.from({ length: 20 }, (_, n) => `person${n}`);
    const outcomes = await Promise.allSettled(names.map((name) => as(name, 'worker')('task.claim', { id })));
    const winner = names[outcomes.findIndex(({ status }) => status === 'fulfilled')] ?? '';
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const loser = names.find((name) => name !== winner) ?? '';
    expect((await refused(as(loser)('task.complete', { id }))).code).toBe('forbidden');
    expect((await as(winner)('task.complete', { id, summary: 'did it' })).phase.state).toBe('done');
  });

  it('cannot get past the verify command of a project by saying they are finished [TASK-15]', async () => {
    const { call } = memoryHouse();
    await call('project.add', { path: '/repo', name: 'shop', verify: 'npm test' });
    const { id } = await call('task.create', { project: 'shop', prompt: 'x' });
    await call('task.claim', { id });
    expect((await call('task.complete', { id })).phase.state).toBe('verifying');
  });

  it('give a task back to the queue, where it keeps no trace of them', async () => {
    const { call, create } = await withProject();
    const { id } = await create('x');
    await call('task.claim', { id, as: 'ann' });
    expect((await call('task.unclaim', { id, as: 'ann' })).phase.state).toBe('queued');
  });
});
