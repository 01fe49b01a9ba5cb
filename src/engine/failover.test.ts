import { describe, expect, it } from 'vitest';
import { engineHouse } from '../../test/support/engine-house.ts';
import { failoverIndex } from '../domain/task/failover.ts';
import type { RunId } from '../domain/values.ts';
import type { Store } from '../store/port.ts';
import { runIndex, runs } from '../store/records/runs.ts';
import { takeTurn } from './controller.ts';
import { dispatch } from './dispatch.ts';
import { failover } from './failover.ts';
import { settle } from './settle.ts';

type House = ReturnType<typeof engineHouse>;

const liveRuns = async ({ store }: House) => (await store.scan({ index: runIndex.live('here'), limit: 100 })).map(runs.read);

async function turns(house: House): Promise<void> {
  for (;;) {
    const moved = await takeTurn(failover(house.needs));
    const claimed = await takeTurn(dispatch(house.needs));
    if (moved.acted + claimed.acted === 0) return;
  }
}

/** One task of Claude that has just met with its limit, with Codex to take over. */
async function limitedHouse(policy: 'off' | 'next', more: object = {}) {
  const plain = engineHouse();
  const house: House = { ...plain, needs: { ...plain.needs, failover: () => policy } };
  await house.call('project.add', { path: '/repo', name: 'shop' });
  const wish = { project: 'shop', prompt: 'x', executor: ['claude', 'codex'], model: 'opus', ...more };
  const { id } = await house.call('task.create', wish);
  await turns(house);
  const [first] = await liveRuns(house);
  const until = new Date(Date.parse(house.now()) + 600_000).toISOString();
  await settle(
    first?.id as RunId,
    { outcome: 'rate_limited', retryInMs: 0, detail: 'enough', refusal: { jitter: 1, until } },
    house.needs,
  );
  return { house, id, first, until };
}

describe('a task whose provider refuses more work', () => {
  it('waits for it, unless somebody wants otherwise [RUN-05]', async () => {
    const { house, id } = await limitedHouse('off');
    await turns(house);
    expect(await liveRuns(house)).toEqual([]);
    expect(await house.call('task.show', { id })).toMatchObject({ phase: { state: 'queued' } });
    const { house: other } = await limitedHouse('next', { failover: 'off' });
    await turns(other);
    expect(await liveRuns(other)).toEqual([]);
  });

  it.each([
    ['by the setting', 'next', {}],
    ['by its own wish', 'off', { failover: 'next' }],
  ] as const)(
    'moves on to the next of its executors %s, without the model of the first, and says why [RUN-05] [EXEC-09]',
    async (_by, policy, more) => {
      const { house, id, first, until } = await limitedHouse(policy, more);
      expect(first).toMatchObject({ executor: 'claude', model: 'opus' });
      await turns(house);
      const [second] = await liveRuns(house);
      expect(second).toMatchObject({ executor: 'codex', attempt: 2 });
      expect(second?.model).toBeUndefined();
      const { items } = await house.call('task.events', { id });
      expect(items.find(({ what }) => what === 'failover')).toMatchObject({
        from: 'claude',
        to: 'codex',
        why: `claude is paused until ${until}: enough`,
      });
      // Later tasks begin with the first again as soon as it is free.
      house.pass(600_001);
      await house.call('task.create', { project: 'shop', prompt: 'y', executor: ['claude', 'codex'], model: 'opus' });
      await turns(house);
      expect((await liveRuns(house)).map(({ executor, model }) => [executor, model])).toContainEqual(['claude', 'opus']);
    },
  );

  it('goes back to one that is free when the next is limited too, and waits when none is [RUN-05]', async () => {
    const { house, id } = await limitedHouse('next');
    await turns(house);
    const [second] = await liveRuns(house);
    await settle(second?.id as RunId, { outcome: 'rate_limited', retryInMs: 0, refusal: { jitter: 1 } }, house.needs);
    await turns(house);
    expect(await liveRuns(house)).toEqual([]);
    await house.call('pause.lift', { executor: 'claude' });
    await turns(house);
    expect(await liveRuns(house)).toMatchObject([{ executor: 'claude', model: 'opus', taskId: id }]);
  });

  it('stays when its pause is lifted at the same moment [RUN-05]', async () => {
    const { house, id } = await limitedHouse('next');
    const late: Store = Object.assign(Object.create(house.store) as Store, {
      limits: house.store.limits,
      get: (key: Parameters<Store['get']>[0]) => house.store.get(key),
      scan: (query: Parameters<Store['scan']>[0]) => house.store.scan(query),
      commit: async (...commit: Parameters<Store['commit']>) => {
        await house.call('pause.lift', { executor: 'claude' });
        return house.store.commit(...commit);
      },
    });
    expect(await takeTurn(failover({ ...house.needs, store: late }))).toMatchObject({ acted: 0, lost: 1 });
    await turns(house);
    expect(await liveRuns(house)).toMatchObject([{ executor: 'claude', taskId: id }]);
  });

  it('is begun anew with the first of its executors, and keeps no model when it is given another', async () => {
    const { house, id } = await limitedHouse('next');
    await turns(house);
    await house.call('task.cancel', { id });
    const [second] = await liveRuns(house);
    await settle(second?.id as RunId, { outcome: 'canceled', retryInMs: 0 }, house.needs);
    expect((await house.call('task.retry', { id })).executorAt).toBeUndefined();
    const edited = await house.call('task.edit', { id, executor: ['codex'] });
    expect([edited.executors, edited.model]).toEqual([['codex'], undefined]);
    expect((await house.call('task.edit', { id, executor: ['claude'], model: 'haiku' })).model).toBe('haiku');
  });
});

it('moves to the first of the list that is free, never to where it is', () => {
  const task = { executors: ['a', 'b', 'c'] };
  expect(failoverIndex(task, () => true, 'next')).toBe(1);
  expect(failoverIndex({ ...task, executorAt: 1 }, () => true, 'next')).toBe(0);
  expect(failoverIndex(task, (name) => name === 'c', 'next')).toBe(2);
  expect(failoverIndex(task, () => false, 'next')).toBeUndefined();
  expect(failoverIndex({ executors: [] }, () => true, 'next')).toBeUndefined();
  expect(failoverIndex(task, () => true, 'off')).toBeUndefined();
});
