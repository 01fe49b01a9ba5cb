import { describe, expect, it } from 'vitest';
import { engineHouse } from '../../test/support/engine-house.ts';
import type { DiskShortage } from '../domain/hold/disk-room.ts';
import type { RunId } from '../domain/values.ts';
import { runIndex, runs } from '../store/records/runs.ts';
import { takeTurn } from './controller.ts';
import { dispatch } from './dispatch.ts';
import { settle } from './settle.ts';

const MB = 1_024 * 1_024;

type House = ReturnType<typeof engineHouse>;

const liveRuns = async ({ store }: House) => (await store.scan({ index: runIndex.live('here'), limit: 1_000 })).map(runs.read);

async function drain(house: House): Promise<void> {
  while ((await takeTurn(dispatch(house.needs))).acted > 0);
}

const finish = (house: House, runId: RunId) => settle(runId, { outcome: 'succeeded', retryInMs: 0 }, house.needs);

describe('dispatch', () => {
  it('queues what is over the limit and never fails it: 60 tasks, limit 50 [TASK-04]', async () => {
    const house = engineHouse({ fleet: 50 });
    await house.call('project.add', { path: '/repo', name: 'shop' });
    for (let n = 0; n < 60; n += 1) await house.call('task.create', { project: 'shop', prompt: `t${n}` });
    await drain(house);
    expect(await liveRuns(house)).toHaveLength(50);
    expect((await house.call('task.list', { state: ['queued'], limit: 100 })).items).toHaveLength(10);
    for (const { id } of await liveRuns(house)) await finish(house, id);
    await drain(house);
    expect(await liveRuns(house)).toHaveLength(10);
    expect((await house.call('task.list', { state: ['failed', 'blocked', 'canceled'] })).items).toEqual([]);
  });

  it('looks again soon for an executor that is not here, and only then [EXEC-05]', async () => {
    const house = engineHouse();
    expect((await takeTurn(dispatch(house.needs))).dueInMs).toBeUndefined();
    await house.call('task.create', { directory: '/plain', prompt: 'x', executor: ['scripted'] });
    expect((await takeTurn(dispatch(house.needs))).dueInMs).toBe(2_000);
  });

  it('starts nothing while a disk has too little room, says why, and looks again soon [R18]', async () => {
    const disk: { short?: DiskShortage | undefined } = {
      short: { path: '/home', freeBytes: 410 * MB, reserveBytes: 1_024 * MB },
    };
    const house = engineHouse({}, { disk });
    const needs = { ...house.needs, startable: async () => () => true };
    const { id } = await house.call('task.create', { directory: '/plain', prompt: 'x', executor: ['scripted'] });
    const turn = await takeTurn(dispatch(needs));
    expect([turn.acted, turn.dueInMs, await liveRuns(house)]).toEqual([0, 2_000, []]);
    const why = expect.stringMatching(/^disk_full: 410 MB free on the disk of \/home, new runs wait until 1\.0 GB/);
    expect((await house.call('task.show', { id })).heldUp).toEqual(why);
    expect(await house.call('task.wait', { ids: [id] })).toMatchObject({ pending: 1, stuck: 0, items: [{ heldUp: why }] });
    expect(await house.call('fleet.status', {})).toMatchObject({ heldUp: [{ why, tasks: 1 }], problems: [why] });
    disk.short = undefined;
    const after = await takeTurn(dispatch(needs));
    expect([after.acted, after.dueInMs]).toEqual([1, undefined]);
    expect(await liveRuns(house)).toHaveLength(1);
    expect((await house.call('fleet.status', {})).problems).toEqual([]);
  });

  it('keeps the limits of executor, account and project, and lets the others go on [TASK-04]', async () => {
    const perProject: Record<string, number> = {};
    const house = engineHouse({ executor: { codex: 4 }, account: { 'claude/default': 3 }, project: perProject });
    const { id: projectId } = await house.call('project.add', { path: '/repo', name: 'shop' });
    perProject[projectId] = 1;
    house.places.set('/beside', { kind: 'repository', path: '/beside', branch: 'main', hasCommit: true });
    await house.call('project.add', { path: '/beside', name: 'beside' });
    for (const executor of ['codex', 'claude', 'claude', 'codex', 'codex', 'claude', 'claude'])
      await house.call('task.create', { project: 'beside', prompt: 'x', executor: [executor] });
    for (let n = 0; n < 6; n += 1) await house.call('task.create', { project: 'shop', prompt: 'x', executor: ['codex'] });
    const live = async (executor: string) => (await liveRuns(house)).filter((run) => run.executor === executor);
    const inShop = async () => {
      const owners = await Promise.all((await live('codex')).map(({ taskId }) => house.call('task.show', { id: taskId })));
      return owners.filter((task) => task.projectId === projectId).length;
    };
    await drain(house);
    expect(await live('claude')).toHaveLength(3);
    expect(await live('codex')).toHaveLength(4);
    expect(await inShop()).toBe(1);
    // When the three beside the project are through, the executor has room for three; the project has none.
    for (const { id, taskId } of await live('codex'))
      if ((await house.call('task.show', { id: taskId })).projectId !== projectId) await finish(house, id);
    await drain(house);
    expect([(await live('codex')).length, await inShop()]).toEqual([1, 1]);
  });

  it('lets one run at a time work in place in one directory [TASK-06]', async () => {
    const house = engineHouse();
    house.places.set('/other', { kind: 'directory', path: '/other' });
    for (const directory of ['/plain', '/plain', '/other']) await house.call('task.create', { directory, prompt: 'x' });
    await drain(house);
    const first = await liveRuns(house);
    expect(
      first
        .map(({ holds }) => holds)
        .flat()
        .toSorted(),
    ).toEqual(['place:/other', 'place:/plain']);
    for (const { id } of first) await finish(house, id);
    await drain(house);
    expect(await liveRuns(house)).toHaveLength(1);
  });

  it('takes the oldest due task first, whichever lane it stands in [TASK-05]', async () => {
    const house = engineHouse({ fleet: 1 });
    await house.call('project.add', { path: '/repo', name: 'shop' });
    await house.call('task.create', { project: 'shop', prompt: 'late', priority: 9, executor: ['codex'] });
    house.pass(60_000);
    const soon = await house.call('task.create', { project: 'shop', prompt: 'soon', priority: 1 });
    await drain(house);
    expect((await liveRuns(house)).map(({ taskId }) => taskId)).toEqual([soon.id]);
  });

  it('gives a task without a model the default one of the house, never to another executor [TASK-02]', async () => {
    const house = engineHouse();
    await house.call('project.add', { path: '/repo', name: 'shop' });
    await house.call('task.create', { project: 'shop', prompt: 'x' });
    await house.call('task.create', { project: 'shop', prompt: 'x', executor: ['codex'] });
    await drain(house);
    const models = Object.fromEntries((await liveRuns(house)).map(({ executor, model }) => [executor, model]));
    expect(models).toEqual({ claude: 'house model', codex: undefined });
  });

  it('gives an executor that was put into the notes of a task neither model nor effort of the default one [TASK-02]', async () => {
    const house = engineHouse();
    const { id } = await house.call('task.create', { directory: '/plain', prompt: 'x' });
    const needs = {
      ...house.needs,
      defaults: async () => ({ executor: 'claude', model: 'house model', effort: 'high' as const }),
      edits: async () => ({ executors: ['codex'] }),
    };
    // Only a task with a history has notes that somebody can have changed.
    await house.call('task.edit', { id, title: 'y' });
    expect((await takeTurn(dispatch(needs))).acted).toBe(1);
    const [run] = await liveRuns(house);
    expect(run).toMatchObject({ executor: 'codex' });
    expect([run?.model, run?.effort]).toEqual([undefined, undefined]);
  });

  it('gives a task without an effort the one its project has, and leaves what another executor does to that one [TASK-02]', async () => {
    const house = engineHouse();
    const needs: typeof house.needs = { ...house.needs, defaults: async () => ({ executor: 'claude', effort: 'max' }) };
    await house.call('project.add', { path: '/repo', name: 'shop' });
    for (const more of [{ title: 'none' }, { title: 'own', effort: 'low' as const }, { title: 'other', executor: ['codex'] }])
      await house.call('task.create', { project: 'shop', prompt: 'x', ...more });
    await drain({ ...house, needs });
    const said = (await liveRuns(house)).map(async ({ taskId, effort }) => [
      (await house.call('task.show', { id: taskId })).title,
      effort,
    ]);
    expect(Object.fromEntries(await Promise.all(said))).toEqual({ none: 'max', own: 'low', other: undefined });
  });

  it('leaves alone what this host cannot start, and what somebody asked to stop', async () => {
    const house = engineHouse();
    await house.call('project.add', { path: '/repo', name: 'shop' });
    await house.call('task.create', { project: 'shop', prompt: 'x', executor: ['scripted'] });
    const { id } = await house.call('task.create', { project: 'shop', prompt: 'x' });
    await house.call('task.cancel', { id });
    await drain(house);
    expect(await liveRuns(house)).toEqual([]);
  });

  it('claims each task once when several dispatchers race for them [TASK-04]', async () => {
    const house = engineHouse({ fleet: 20 });
    await house.call('project.add', { path: '/repo', name: 'shop' });
    for (let n = 0; n < 30; n += 1) await house.call('task.create', { project: 'shop', prompt: `t${n}` });
    await Promise.all(['a', 'b', 'c'].map((host) => drain({ ...house, needs: { ...house.needs, host } })));
    const all = (await Promise.all(['a', 'b', 'c'].map((host) => house.store.scan({ index: runIndex.live(host), limit: 100 }))))
      .flat()
      .map(runs.read);
    expect(all).toHaveLength(20);
    expect(new Set(all.map(({ taskId }) => taskId)).size).toBe(20);
  });
});
