import { describe, expect, it } from 'vitest';
import { engineHouse } from '../../test/support/engine-house.ts';
import { pauseId } from '../domain/hold/pause.ts';
import type { RunId } from '../domain/values.ts';
import type { Store } from '../store/port.ts';
import { pauses } from '../store/records/pauses.ts';
import { runIndex, runs } from '../store/records/runs.ts';
import { takeTurn } from './controller.ts';
import { dispatch } from './dispatch.ts';
import { type SettledEnding, settle, settleAll } from './settle.ts';

type House = ReturnType<typeof engineHouse>;

const CLAUDE = pauseId({ executor: 'claude' });
const liveRuns = async ({ store }: House) => (await store.scan({ index: runIndex.live('here'), limit: 1_000 })).map(runs.read);
const executorsAtWork = async (house: House) => (await liveRuns(house)).map(({ executor }) => executor).toSorted();

async function drain(house: House): Promise<number | undefined> {
  for (;;) {
    const { acted, dueInMs } = await takeTurn(dispatch(house.needs));
    if (acted === 0) return dueInMs;
  }
}

const limited = (until?: string): SettledEnding => ({ outcome: 'rate_limited', retryInMs: 0, refusal: { jitter: 1, until } });
const paused = async ({ store }: House) => (await pauses.get(store, CLAUDE))?.body;

/** Two tasks in one project: one for Claude, one for Codex. */
async function houseAtWork(): Promise<House & { readonly claude: string }> {
  const house = engineHouse();
  await house.call('project.add', { path: '/repo', name: 'shop' });
  const { id } = await house.call('task.create', { project: 'shop', prompt: 'x', executor: ['claude'] });
  await house.call('task.create', { project: 'shop', prompt: 'x', executor: ['codex'] });
  await drain(house);
  return { ...house, claude: id };
}

const runOf = async (house: House, executor: string): Promise<RunId> => {
  const run = (await liveRuns(house)).find((one) => one.executor === executor);
  if (!run) throw new Error(`no run of ${executor}`);
  return run.id;
};

describe('a limit of a provider', () => {
  it('pauses that account until the stated moment and nothing else, and is no attempt [RUN-04]', async () => {
    const house = await houseAtWork();
    const until = new Date(Date.parse(house.now()) + 600_000).toISOString();
    await settle(await runOf(house, 'claude'), { ...limited(until), detail: 'weekly limit' }, house.needs);
    for (const executor of ['claude', 'codex', 'claude'])
      await house.call('task.create', { project: 'shop', prompt: 'y', executor: [executor] });
    // The default executor is the same account.
    await house.call('task.create', { project: 'shop', prompt: 'z' });
    expect(await drain(house)).toBe(600_000);
    expect(await executorsAtWork(house)).toEqual(['codex', 'codex']);
    const task = await house.call('task.show', { id: house.claude });
    expect(task).toMatchObject({ phase: { state: 'queued' }, attempts: 1, uncounted: 1, refusedTimes: 0 });
    expect(await paused(house)).toMatchObject({ until, stated: true, why: 'weekly limit' });
    house.pass(600_001);
    expect(await drain(house)).toBeUndefined();
    expect(await executorsAtWork(house)).toEqual(['claude', 'claude', 'claude', 'claude', 'codex', 'codex']);
    const again = (await liveRuns(house)).find(({ taskId }) => taskId === house.claude);
    expect(again?.attempt).toBe(2);
  });

  it('is tried three times blindly, with longer and longer pauses, and then fails [RUN-04]', async () => {
    const house = await houseAtWork();
    const lengths: number[] = [];
    for (let n = 0; n < 3; n += 1) {
      await settle(await runOf(house, 'claude'), limited(), house.needs);
      lengths.push(Date.parse((await paused(house))?.until ?? '') - Date.parse(house.now()));
      await drain(house);
      expect(await executorsAtWork(house)).toEqual(['codex']);
      house.pass((lengths.at(-1) ?? 0) + 1);
      await drain(house);
    }
    expect(lengths).toEqual([4_000, 8_000, 16_000]);
    expect((await house.call('task.show', { id: house.claude })).phase).toMatchObject({
      state: 'failed',
      reason: 'rate_limited 3 times, and its provider did not say until when',
    });
  });

  it('is over as soon as a run on the same account goes well, if it was a guess [RUN-04]', async () => {
    const house = await houseAtWork();
    const { id } = await house.call('task.create', { project: 'shop', prompt: 'x', executor: ['claude'] });
    await drain(house);
    const [first, second] = (await liveRuns(house)).filter(({ executor }) => executor === 'claude');
    await settle(first?.id as RunId, limited(), house.needs);
    await drain(house);
    expect(await executorsAtWork(house)).toEqual(['claude', 'codex']);
    await settle(second?.id as RunId, { outcome: 'succeeded', retryInMs: 0 }, house.needs);
    expect(await paused(house)).toMatchObject({ guesses: 0, over: { by: second?.id } });
    await drain(house);
    expect(await executorsAtWork(house)).toEqual(['claude', 'codex']);
    expect((await house.call('task.show', { id })).phase.state).toBe('verifying');
  });

  it('is written down once for all that end together, and the later reset wins [RUN-04]', async () => {
    const house = engineHouse();
    await house.call('project.add', { path: '/repo', name: 'shop' });
    for (let n = 0; n < 3; n += 1) await house.call('task.create', { project: 'shop', prompt: 'x', executor: ['claude'] });
    await drain(house);
    const live = await liveRuns(house);
    const inSeconds = [30, 90, 60].map((seconds) => new Date(Date.parse(house.now()) + seconds * 1_000).toISOString());
    await settleAll(
      live.map(({ id: runId }, n) => ({ runId, ending: limited(inSeconds[n]) })),
      house.needs,
    );
    expect(await paused(house)).toMatchObject({ seq: 1, until: inSeconds[1], runId: live[1]?.id });
    expect(await drain(house)).toBe(90_000);
    expect(await liveRuns(house)).toEqual([]);
  });

  it('is heeded by a dispatcher that looked before it was there [RUN-04] [TASK-04]', async () => {
    const house = await houseAtWork();
    const runId = await runOf(house, 'claude');
    await house.call('task.create', { project: 'shop', prompt: 'y', executor: ['claude'] });
    let commits = 0;
    const late: Store = Object.assign(Object.create(house.store) as Store, {
      limits: house.store.limits,
      get: (key: Parameters<Store['get']>[0]) => house.store.get(key),
      scan: (query: Parameters<Store['scan']>[0]) => house.store.scan(query),
      commit: async (...commit: Parameters<Store['commit']>) => {
        commits += 1;
        if (commits === 1) await settle(runId, limited(), house.needs);
        return house.store.commit(...commit);
      },
    });
    expect(await takeTurn(dispatch({ ...house.needs, store: late }))).toMatchObject({ acted: 0, lost: 1 });
    expect(await executorsAtWork(house)).toEqual(['codex']);
    await drain(house);
    expect(await executorsAtWork(house)).toEqual(['codex']);
  });

  it('is shown wherever somebody asks why nothing happens, and a person can end it [RUN-04]', async () => {
    const plain = engineHouse();
    const house: House = { ...plain, needs: { ...plain.needs, startable: async () => () => true } };
    const { id } = await house.call('task.create', { directory: '/plain', prompt: 'x', executor: ['scripted'] });
    await drain(house);
    const until = new Date(Date.parse(house.now()) + 600_000).toISOString();
    await settle(await runOf(house, 'scripted'), { ...limited(until), detail: 'weekly limit' }, house.needs);
    const why = `scripted is paused until ${until}: weekly limit; \`fleet pause lift scripted\` ends that`;
    expect((await house.call('task.show', { id })).heldUp).toBe(why);
    const status = await house.call('fleet.status', {});
    expect(status.heldUp).toEqual([{ why, tasks: 1, atLeast: false, first: id }]);
    expect(status.pauses).toMatchObject([{ executor: 'scripted', until, stated: true }]);
    expect((await house.call('pause.list', {})).items).toEqual(status.pauses);
    expect(await house.call('pause.lift', { executor: 'scripted' })).toMatchObject({ seq: 2, over: { by: 'you' } });
    expect((await house.call('pause.list', {})).items).toEqual([]);
    expect((await house.call('pause.list', { all: true })).items).toHaveLength(1);
    await expect(house.call('pause.lift', { executor: 'scripted' })).rejects.toMatchObject({ code: 'not_found' });
    expect((await house.call('task.show', { id })).heldUp).toBeUndefined();
    await drain(house);
    expect(await executorsAtWork(house)).toEqual(['scripted']);
    const { items } = await house.call('task.events', { id });
    expect(items.find(({ what }) => what === 'settle')).toMatchObject({ why: 'rate_limited', data: { until } });
  });
});
