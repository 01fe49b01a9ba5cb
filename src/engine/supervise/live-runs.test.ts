import { expect, it } from 'vitest';
import { engineHouse } from '../../../test/support/engine-house.ts';
import type { Store } from '../../store/port.ts';
import { runs } from '../../store/records/runs.ts';
import { tasks } from '../../store/records/tasks.ts';
import { CommitFeed, engineStore } from '../commit-feed.ts';
import { takeTurn } from '../controller.ts';
import { dispatch } from '../dispatch.ts';
import { settle } from '../settle.ts';
import { LiveRuns } from './live-runs.ts';

/** An engine's store that counts its reads, and can be made to wait in the middle of a look. */
function pictureHouse() {
  const house = engineHouse();
  const news = new CommitFeed();
  const line: { reads: number; afterScan?: () => Promise<void> } = { reads: 0 };
  const watched: Store = {
    limits: house.store.limits,
    get: (key) => {
      line.reads += 1;
      return house.store.get(key);
    },
    scan: async (query) => {
      line.reads += 1;
      const hits = await house.store.scan(query);
      await line.afterScan?.();
      return hits;
    },
    count: (query) => house.store.count(query),
    commit: (writes, options) => house.store.commit(writes, options),
    watch: (signal, options) => house.store.watch(signal, options),
    close: () => house.store.close(),
  };
  const store = engineStore(watched, () => ({ op: 'check', key: { kind: 'lease', id: 'none' }, expect: 'absent' }), news);
  const needs = { ...house.needs, store, commitFeed: news };
  const picture = new LiveRuns(needs);
  const create = async (place: string) => {
    house.places.set(place, { kind: 'directory', path: place });
    return house.call('task.create', { directory: place, prompt: 'x', executor: ['claude'] });
  };
  const claim = () => takeTurn(dispatch(needs));
  const readsOf = async (work: () => Promise<unknown>) => {
    const before = line.reads;
    await work();
    return line.reads - before;
  };
  return { house, news, needs, picture, line, create, claim, readsOf };
}

it('knows what the engine itself has claimed and settled without reading it', async () => {
  const { house, needs, picture, create, claim, readsOf } = pictureHouse();
  await picture.look();
  const { id } = await create('/a');
  await claim();
  let known = await picture.look();
  expect(await readsOf(() => picture.look())).toBe(0);
  expect(known).toMatchObject([{ isNew: true, run: { body: { phase: { state: 'claimed' } } }, task: { body: { id } } }]);
  expect(known[0]?.task?.version).toBe((await tasks.get(house.store, id))?.version);
  picture.begins(known[0]?.run.body.id ?? '');
  known = await picture.look();
  expect(known[0]?.isNew).toBe(false);
  await settle(known[0]?.run.body.id as never, { outcome: 'succeeded', retryInMs: 0 }, needs);
  expect(await picture.look()).toEqual([]);
});

it('reads again when somebody else has written, when a commit has failed, and now and then', async () => {
  const { house, news, needs, picture, create, claim, readsOf } = pictureHouse();
  const { id } = await create('/a');
  await claim();
  await picture.look();
  await house.call('task.cancel', { id });
  expect((await picture.look())[0]?.task?.body.cancelAsked).toBeUndefined();
  news.other();
  expect((await picture.look())[0]?.task?.body.cancelAsked).toBeDefined();
  const stale = { op: 'check', key: { kind: 'task', id }, expect: 'absent' } as const;
  await expect(needs.store.commit([stale])).rejects.toThrow('expected absent');
  expect(await readsOf(() => picture.look())).toBeGreaterThan(0);
  house.pass(60_000);
  expect(await readsOf(() => picture.look())).toBeGreaterThan(0);
});

it('keeps what the engine wrote while a look was under way', async () => {
  const { news, picture, line, create, claim } = pictureHouse();
  await create('/a');
  news.other();
  line.afterScan = async () => {
    delete line.afterScan;
    await claim();
  };
  expect(await picture.look()).toHaveLength(1);
});

it('of a predecessor knows nothing to be new: whatever is on the machine is looked at', async () => {
  const { needs, create, claim } = pictureHouse();
  await create('/a');
  await claim();
  expect(await new LiveRuns({ ...needs, commitFeed: new CommitFeed() }).look()).toMatchObject([{ isNew: false }]);
});

it('finds the task of a run that came without it, as a set-up for finished work does', async () => {
  const { house, needs, picture, create, claim } = pictureHouse();
  await picture.look();
  const { id } = await create('/a');
  await claim();
  const [known] = await picture.look();
  if (!known) throw new Error('nothing was claimed');
  await settle(known.run.body.id, { outcome: 'succeeded', retryInMs: 0 }, needs);
  expect(await picture.look()).toEqual([]);
  const chore = { ...known.run.body, id: house.needs.ids.run(), kind: 'setup' as const };
  await needs.store.commit([runs.put(chore, 'absent')]);
  expect((await picture.look()).map(({ task }) => task?.body.id)).toEqual([id]);
});
