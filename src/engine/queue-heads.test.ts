import { expect, it } from 'vitest';
import { engineHouse } from '../../test/support/engine-house.ts';
import type { Store } from '../store/port.ts';
import { taskIndex } from '../store/records/tasks.ts';
import { CommitFeed, engineStore } from './commit-feed.ts';
import { takeTurn } from './controller.ts';
import { dispatch } from './dispatch.ts';
import { QueueHeads } from './queue-heads.ts';

async function houseWithLanes(count: number) {
  const house = engineHouse({ fleet: 2 });
  const news = new CommitFeed();
  let scans = 0;
  const counted: Store = {
    limits: house.store.limits,
    get: (key) => house.store.get(key),
    scan: (query) => {
      scans += 1;
      return house.store.scan(query);
    },
    count: (query) => house.store.count(query),
    commit: (writes, options) => house.store.commit(writes, options),
    watch: (signal, options) => house.store.watch(signal, options),
    close: () => house.store.close(),
  };
  const store = engineStore(counted, () => ({ op: 'check', key: { kind: 'lease', id: 'none' }, expect: 'absent' }), news);
  const create = async (place: string) => {
    house.places.set(place, { kind: 'directory', path: place });
    return house.call('task.create', { directory: place, prompt: 'x', executor: ['claude'] });
  };
  for (let n = 0; n < count; n += 1) {
    await create(`/place-${n}`);
    house.pass(1_000);
  }
  const needs = { ...house.needs, store, commitFeed: news };
  const scansOf = async (work: () => Promise<unknown>) => {
    const before = scans;
    await work();
    return scans - before;
  };
  return { house, news, needs, create, scansOf };
}

it('finds the heads of many short lanes with few questions, earliest due first', async () => {
  const { needs, scansOf } = await houseWithLanes(200);
  const heads = new QueueHeads(needs);
  expect(await scansOf(() => heads.look())).toBeLessThan(12);
  const found = await heads.look();
  expect(found).toHaveLength(200);
  expect(found.map(({ due }) => due)).toEqual(found.map(({ due }) => due).toSorted());
});

it('asks again only for the lanes the engine has changed, until somebody else has written', async () => {
  const { house, news, needs, create, scansOf } = await houseWithLanes(30);
  const heads = new QueueHeads(needs);
  await heads.look();
  expect(await scansOf(() => heads.look())).toBe(0);
  expect((await takeTurn(dispatch(needs))).acted).toBe(1);
  expect(await scansOf(() => heads.look())).toBe(2);
  expect(await heads.look()).toHaveLength(28);
  await create('/place-new');
  news.other();
  expect(await heads.look()).toHaveLength(29);
  house.pass(60_000);
  expect(await scansOf(() => heads.look())).toBeGreaterThan(0);
});

it('asks again for what the engine writes while it looks, and for nothing else', async () => {
  const { needs, news, scansOf } = await houseWithLanes(30);
  let during = async () => {};
  const heads = new QueueHeads({
    ...needs,
    store: {
      ...needs.store,
      scan: async (query) => {
        const hits = await needs.store.scan(query);
        await during();
        return hits;
      },
    },
  });
  const [first] = await needs.store.scan({ index: taskIndex.ready, limit: 1 });
  // What it sees is as old as what it was told of.
  during = async () => news.own([{ op: 'delete', key: { kind: 'task', id: first?.key.id ?? '' }, expect: '1' }], '2');
  await heads.look();
  during = async () => {};
  expect(await scansOf(() => heads.look())).toBe(1);
  expect(await scansOf(() => heads.look())).toBe(0);
});

it('lets the earliest due go first, however many lanes stand before theirs and are full', async () => {
  const { house, needs } = await houseWithLanes(30);
  const started = async () => {
    const { items } = await house.call('task.list', { state: ['running'], limit: 100 });
    return items.map(({ directory }) => directory ?? '').toSorted();
  };
  while ((await takeTurn(dispatch(needs))).acted > 0);
  expect(await started()).toEqual(['/place-0', '/place-1']);
  const only29 = { ...needs, capacity: async () => ({ fleet: 3, executor: {}, account: {}, project: {} }) };
  // A second task for each of the first places is due before all others and cannot start.
  for (const place of ['/place-0', '/place-1'])
    await house.call('task.create', { directory: place, prompt: 'x', executor: ['claude'], priority: 0 });
  while ((await takeTurn(dispatch(only29))).acted > 0);
  expect(await started()).toEqual(['/place-0', '/place-1', '/place-2']);
});
