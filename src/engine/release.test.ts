import { describe, expect, it } from 'vitest';
import { engineHouse } from '../../test/support/engine-house.ts';
import { instantOf, msOf } from '../domain/values.ts';
import { tasks } from '../store/records/tasks.ts';
import { takeTurn } from './controller.ts';
import { release } from './release.ts';

type House = ReturnType<typeof engineHouse>;

async function settleAll(house: House): Promise<number | undefined> {
  for (;;) {
    const { acted, dueInMs } = await takeTurn(release(house.needs));
    if (acted === 0) return dueInMs;
  }
}

const create = (house: House, prompt: string, more: object = {}) =>
  house.call('task.create', { directory: '/plain', prompt, ...more });

async function done(house: House, id: string): Promise<void> {
  await house.call('task.claim', { id });
  await house.call('task.complete', { id });
}

const stateOf = async (house: House, id: string) => (await house.call('task.show', { id })).phase.state;

describe('release', () => {
  it('queues a task when the last of its dependencies is done, and not before [TASK-03]', async () => {
    const house = engineHouse();
    const a = await create(house, 'a');
    const b = await create(house, 'b');
    const joined = await create(house, 'join', { after: [a.id, b.id] });
    await done(house, a.id);
    await settleAll(house);
    expect(await stateOf(house, joined.id)).toBe('waiting');
    await done(house, b.id);
    await settleAll(house);
    expect(await stateOf(house, joined.id)).toBe('queued');
  });

  it('releases every dependant of a wide fan, once each', async () => {
    const house = engineHouse();
    const root = await create(house, 'root');
    const fan = [];
    for (let n = 0; n < 250; n += 1) fan.push(await create(house, `leaf ${n}`, { after: [root.id] }));
    await done(house, root.id);
    await settleAll(house);
    for (const { id } of fan) {
      const { items } = await house.call('task.events', { id });
      expect(items.filter(({ to }) => to === 'queued')).toHaveLength(1);
    }
    expect((await house.call('task.show', { id: root.id })).untold).toBe(false);
  });

  it('blocks what waits for a task that was canceled, naming it, and hears no more of it', async () => {
    const house = engineHouse();
    const a = await create(house, 'a');
    const b = await create(house, 'b', { after: [a.id] });
    await house.call('task.cancel', { id: a.id });
    await settleAll(house);
    expect((await house.call('task.show', { id: b.id })).phase).toMatchObject({
      state: 'blocked',
      block: { cause: 'dependency', taskId: a.id, who: 'you' },
    });
    await house.call('task.edit', { id: b.id, clear: ['after'] });
    expect(await stateOf(house, b.id)).toBe('queued');
  });

  it('wakes a task at its moment, and knows when the next one is', async () => {
    const house = engineHouse();
    const later = new Date(Date.parse(house.now()) + 60_000).toISOString();
    const { id, phase } = await create(house, 'later', { notBefore: later });
    expect(phase).toMatchObject({ state: 'waiting', until: later });
    expect(await settleAll(house)).toBe(60_000);
    house.pass(59_999);
    expect(await settleAll(house)).toBe(1);
    expect(await stateOf(house, id)).toBe('waiting');
    house.pass(1);
    expect(await settleAll(house)).toBeUndefined();
    expect(await stateOf(house, id)).toBe('queued');
  });

  it('begins a delay anew that was planned while the clock was ahead, and leaves a named moment alone [R38]', async () => {
    const house = engineHouse();
    const DAY = 86_400_000;
    const retried = await create(house, 'again');
    const named = await create(house, 'later', { notBefore: instantOf(msOf(house.now()) + 3 * DAY) });
    const planned = instantOf(msOf(house.now()) + DAY);
    const seen = await tasks.get(house.store, retried.id);
    if (!seen) throw new Error('the task is gone');
    const phase = { state: 'waiting' as const, since: planned, on: [], until: instantOf(msOf(planned) + 8_000) };
    await house.store.commit([tasks.put({ ...seen.body, phase }, seen.version)]);
    expect(await settleAll(house)).toBeLessThanOrEqual(8_000);
    expect(await stateOf(house, retried.id)).toBe('waiting');
    house.pass(8_001);
    await settleAll(house);
    expect(await stateOf(house, retried.id)).toBe('queued');
    expect(await stateOf(house, named.id)).toBe('waiting');
  });
});
