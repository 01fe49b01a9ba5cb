import { expect, it } from 'vitest';
import { engineHouse } from '../../test/support/engine-house.ts';
import type { RunId } from '../domain/values.ts';
import type { Store } from '../store/port.ts';
import { holds } from '../store/records/holds.ts';
import { runIndex, runs } from '../store/records/runs.ts';
import { tasks } from '../store/records/tasks.ts';
import { takeTurn } from './controller.ts';
import { dispatch } from './dispatch.ts';
import { settle, settleAll } from './settle.ts';

const ENDING = { outcome: 'succeeded', retryInMs: 0, proved: true } as const;

async function houseWithRuns(count: number) {
  const house = engineHouse({ fleet: 50 });
  await house.call('project.add', { path: '/repo', name: 'shop' });
  for (let n = 0; n < count; n += 1) await house.call('task.create', { project: 'shop', prompt: `t${n}` });
  while ((await takeTurn(dispatch(house.needs))).acted > 0);
  const live = (await house.store.scan({ index: runIndex.live('here'), limit: 100 })).map(runs.read);
  const states = async () => {
    const { items } = await house.call('task.list', { limit: 100 });
    return items.map(({ phase }) => phase.state).toSorted();
  };
  return { house, live, states };
}

it('records everything that ended together in one commit, and frees its places', async () => {
  const { house, live, states } = await houseWithRuns(12);
  let commits = 0;
  const counted: Store = Object.assign(Object.create(house.store) as Store, {
    limits: house.store.limits,
    get: (key: Parameters<Store['get']>[0]) => house.store.get(key),
    scan: (query: Parameters<Store['scan']>[0]) => house.store.scan(query),
    commit: (...commit: Parameters<Store['commit']>) => {
      commits += 1;
      return house.store.commit(...commit);
    },
  });
  const ended = live.map(({ id: runId }) => ({ runId, ending: ENDING }));
  expect(await settleAll(ended, { ...house.needs, store: counted })).toEqual(live.map(({ id }) => id));
  expect(commits).toBe(1);
  expect(await states()).toEqual(live.map(() => 'done'));
  expect((await holds.get(house.store, 'fleet'))?.body.holders).toEqual([]);
  // Once more changes nothing.
  await settleAll(ended, house.needs);
  expect(await states()).toEqual(live.map(() => 'done'));
});

it('records the others one by one when somebody has changed one of them meanwhile', async () => {
  const { house, live, states } = await houseWithRuns(4);
  const rival = live[1];
  let commits = 0;
  const raced: Store = Object.assign(Object.create(house.store) as Store, {
    limits: house.store.limits,
    get: (key: Parameters<Store['get']>[0]) => house.store.get(key),
    scan: (query: Parameters<Store['scan']>[0]) => house.store.scan(query),
    commit: async (...commit: Parameters<Store['commit']>) => {
      commits += 1;
      if (commits === 1) await house.call('task.cancel', { id: rival?.taskId ?? '' });
      return house.store.commit(...commit);
    },
  });
  const ended = live.map(({ id: runId }) => ({ runId, ending: ENDING }));
  expect(await settleAll(ended, { ...house.needs, store: raced })).toHaveLength(4);
  expect(commits).toBe(5);
  expect((await states()).filter((state) => state === 'running')).toEqual([]);
  expect((await holds.get(house.store, 'fleet'))?.body.holders).toEqual([]);
});

it('records what an agent confirmed with its last words', async () => {
  const house = engineHouse();
  const { id } = await house.call('task.create', { directory: '/plain', prompt: 'x', executor: ['claude'] });
  await takeTurn(dispatch(house.needs));
  for (const text of ['one', 'two']) await house.call('task.send', { id, text });
  const [run] = (await house.store.scan({ index: runIndex.live('here'), limit: 10 })).map(runs.read);
  await settle(run?.id as RunId, { ...ENDING, heard: [2] }, house.needs);
  expect((await tasks.get(house.store, id))?.body.messages.map(({ state }) => state)).toEqual(['waiting', 'heard']);
});
