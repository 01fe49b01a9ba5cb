import { describe, expect, it } from 'vitest';
import { memoryHouse } from '../../../test/support/memory-house.ts';

const ABSENT = { why: 'its program claude was not found', repair: 'npm install -g claude', isAbsent: true };

describe('a task that nobody here can do', () => {
  it('is made with a warning, and shown with it until an agent has begun', async () => {
    const unready = new Map([['claude', ABSENT]]);
    const { call } = memoryHouse({ unready });
    const { id, warnings } = await call('task.create', { directory: '/plain', prompt: 'x' });
    expect(warnings).toEqual([
      'executor claude cannot be started here: its program claude was not found; try: npm install -g claude',
    ]);
    expect(await call('task.show', { id })).toMatchObject({ warnings, effective: { executor: 'claude' } });
    unready.clear();
    expect(await call('task.show', { id })).not.toHaveProperty('warnings');
    expect(await call('task.create', { directory: '/plain', prompt: 'x', executor: ['scripted'] })).not.toHaveProperty(
      'warnings',
    );
    unready.set('claude', ABSENT);
    expect(await call('task.edit', { id, executor: ['scripted'] })).not.toHaveProperty('warnings');
    expect(await call('task.edit', { id, executor: ['claude'] })).toMatchObject({ warnings });
    unready.clear();
    await call('task.claim', { id });
    unready.set('claude', ABSENT);
    expect(await call('task.show', { id })).not.toHaveProperty('warnings');
  });

  it('is stuck for whoever waits, and so is what waits for it, for a draft or for a person', async () => {
    const { call } = memoryHouse();
    const make = async (more: object) => (await call('task.create', { directory: '/plain', prompt: 'x', ...more })).id;
    const waited = async (id: string) => {
      const { pending, stuck, items } = await call('task.wait', { ids: [id] });
      return { pending, stuck, why: items[0]?.heldUp };
    };
    const startable = await make({ executor: ['scripted'] });
    expect(await waited(startable)).toEqual({ pending: 1, stuck: 0, why: undefined });
    expect(await waited(await make({ executor: ['scripted'], after: [startable] }))).toMatchObject({ stuck: 0 });
    const alone = await make({ executor: ['codex'] });
    expect(await waited(alone)).toMatchObject({ pending: 1, stuck: 1, why: expect.stringContaining('no executor codex') });
    const second = await make({ executor: ['scripted'], after: [startable, alone] });
    const third = await make({ executor: ['scripted'], after: [second] });
    expect((await waited(third)).why).toMatch(
      /^it waits for \w{8} \(waiting\): it waits for \w{8} \(queued\): no executor codex/,
    );
    const draft = await make({ draft: true });
    expect((await waited(await make({ after: [draft] }))).why).toContain('it is a draft');
    expect(await waited(await make({ after: [], notBefore: '2030-06-01T00:00:00.000Z' }))).toMatchObject({
      pending: 1,
      stuck: 0,
    });
  });

  it('names the executor and model that are in force, and who chose them', async () => {
    const { call } = memoryHouse();
    const effective = async (more: object) => {
      const { id } = await call('task.create', { directory: '/plain', prompt: 'x', ...more });
      return (await call('task.show', { id })).effective;
    };
    expect(await effective({})).toEqual({ executor: 'claude', executorFrom: 'the settings' });
    expect(await effective({ model: 'opus' })).toMatchObject({ executor: 'claude', model: 'opus', modelFrom: 'the task' });
    expect(await effective({ executor: ['codex'], model: 'gpt' })).toEqual({
      executor: 'codex',
      executorFrom: 'the task',
      model: 'gpt',
      modelFrom: 'the task',
    });
  });
});
