import { describe, expect, it } from 'vitest';
import { begun, COMMITS, created, drain, type EffectHouse, liveRuns, rewrite, stored } from '../../../test/laws/effect-house.ts';
import type { Task } from '../../domain/task/task.ts';
import { projects } from '../../store/records/projects.ts';
import { tasks } from '../../store/records/tasks.ts';
import { workspaces } from '../../store/records/workspaces.ts';
import { takeTurn } from '../controller.ts';
import { runGate } from './gate.ts';
import { placeFor } from './place.ts';
import { provision } from './provision.ts';

type Begun = Awaited<ReturnType<typeof begun>>;

const place = async ({ house, run, task }: Begun) => placeFor(run, await stored(house, task.id), house.needs);

const workspaceOf = async (house: EffectHouse, { work }: Pick<Task, 'work'>) =>
  work?.workspaceId ? (await workspaces.get(house.store, work.workspaceId))?.body : undefined;

async function placed(begin: Begun) {
  expect(await place(begin)).toEqual({ state: 'later' });
  return workspaceOf(begin.house, await stored(begin.house, begin.task.id));
}

/** Its workspace is given back, with all that is in it; when that is done, it gets another one. */
async function movedOn(begin: Begun) {
  const before = await placed(begin);
  expect(before).toMatchObject({ state: 'leaving' });
  const seen = await workspaces.get(begin.house.store, before?.id ?? '');
  if (!seen) throw new Error('nothing was made');
  await begin.house.store.commit([workspaces.remove(seen.body, seen.version)]);
  return placed(begin);
}

describe('the workspace of a task', () => {
  it.each([
    ['own', {}, 'worktree'],
    ['apart', { isolation: 'clone' }, 'clone'],
    ['sandboxed', { sandbox: true }, 'clone'],
  ] as const)('is that of its level, %s, and so is the one of its gate [RUN-16]', async (trust, task, isolation) => {
    const begin = await begun({ task });
    expect(await placed(begin)).toMatchObject({ trust, isolation });
    const { house } = begin;
    const seen = await tasks.get(house.store, begin.task.id);
    const project = (await projects.get(house.store, begin.task.projectId ?? ''))?.body;
    if (!seen || !project) throw new Error('nothing was made');
    await runGate(seen, { commit: COMMITS.tip }, project, house.needs);
    const { gate } = await stored(house, begin.task.id);
    expect(gate?.workspaceId && (await workspaces.get(house.store, gate.workspaceId))?.body).toMatchObject({
      trust,
      isolation,
      use: { kind: 'gate' },
    });
  });

  it('is neither chosen nor made while a disk has too little room, and no gate begins; the task says why [R18]', async () => {
    const begin = await begun({});
    const { house, task } = begin;
    let isShort = true;
    const short = { path: '/home', freeBytes: 1, reserveBytes: 1_024 ** 3 };
    const needs = { ...house.needs, diskShort: async () => (isShort ? short : undefined) };
    const again = async () => placeFor(begin.run, await stored(house, task.id), needs);
    expect(await again()).toEqual({ state: 'later' });
    const waiting = await stored(house, task.id);
    expect([waiting.work, waiting.trouble?.what]).toEqual([
      undefined,
      'disk_full: it waits until 1.0 GB are free on the disk of /home: free some, or lower disk_reserve_mb',
    ]);
    const seen = await tasks.get(house.store, task.id);
    const project = (await projects.get(house.store, task.projectId ?? ''))?.body;
    if (!seen || !project) throw new Error('nothing was made');
    expect(await runGate(seen, { commit: COMMITS.tip }, project, needs)).toEqual({ state: 'open', acted: false });
    isShort = false;
    await again();
    isShort = true;
    expect(await workspaceOf(house, await stored(house, task.id))).toMatchObject({ state: 'making' });
    const turn = await takeTurn(provision(needs));
    expect([turn.acted, turn.dueInMs]).toEqual([0, 2_000]);
  });

  it('is another one, with what was kept, once its level has changed [RUN-16]', async () => {
    const begin = await begun({});
    const { house, task } = begin;
    await placed(begin);
    const { work } = await stored(house, task.id);
    if (!work) throw new Error('nothing was made');
    const kept = { commit: COMMITS.other, ref: 'refs/fleet/kept/x', at: house.now() };
    await rewrite(house, task.id, { work: { ...work, kept } as NonNullable<Task['work']>, sandbox: true, isolation: 'clone' });
    expect(await movedOn(begin)).toMatchObject({ trust: 'sandboxed', isolation: 'clone', use: { start: COMMITS.other } });
  });

  it('of a sandboxed task of before there were levels, in a worktree, gives way to a private clone [RUN-16]', async () => {
    const begin = await begun({});
    const { house, task } = begin;
    await placed(begin);
    await rewrite(house, task.id, { sandbox: true });
    expect((await stored(house, task.id)).isolation).toBe('worktree');
    expect(await movedOn(begin)).toMatchObject({ trust: 'sandboxed', isolation: 'clone' });
  });

  it('is none for one of before that asks for a sandbox in place in a repository: a person is told what to do', async () => {
    const begin = await begun({ task: { isolation: 'in_place' } });
    await rewrite(begin.house, begin.task.id, { sandbox: true });
    expect(await place(begin)).toMatchObject({
      state: 'impossible',
      block: { who: 'you', what: expect.stringContaining('--isolation clone') },
    });
  });
});

describe('a task that waits for one of a lower level', () => {
  it('does not begin with work that nobody has let through, unless it is trusted no further [T12]', async () => {
    const waiting = async (more: object) => {
      const begin = await begun({ task: { sandbox: true } });
      const { house, task: lower } = begin;
      await placed(begin);
      const { work } = await stored(house, lower.id);
      await rewrite(house, lower.id, {
        phase: { state: 'done', at: house.now() as never },
        work: { ...work, tip: COMMITS.tip } as NonNullable<Task['work']>,
      });
      const { id } = await created(house, { task: { after: [lower.id], ...more } });
      await drain(house);
      const run = (await liveRuns(house)).find(({ taskId }) => taskId === id);
      if (!run) throw new Error(`${id} was not claimed`);
      return placeFor(run, await stored(house, id), house.needs);
    };
    expect(await waiting({})).toMatchObject({
      block: { what: expect.stringContaining('which is sandboxed and has not landed') },
    });
    expect(await waiting({ isolation: 'clone' })).toMatchObject({ state: 'impossible' });
    expect(await waiting({ sandbox: true })).toEqual({ state: 'later' });
    expect(await waiting({ strategy: 'new' })).toEqual({ state: 'later' });
  });
});
