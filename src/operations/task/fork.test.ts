import { describe, expect, it } from 'vitest';
import { type MemoryHouse, memoryHouse } from '../../../test/support/memory-house.ts';
import { refused } from '../../../test/support/shop.ts';
import type { Run, Watch } from '../../domain/run/run.ts';
import type { Task } from '../../domain/task/task.ts';
import { transition } from '../../domain/task/transition.ts';
import type { TaskId } from '../../domain/values.ts';
import type { Work } from '../../domain/work/work.ts';
import { creationWrites, entriesAfter } from '../../store/records/journal.ts';
import { runs } from '../../store/records/runs.ts';
import { tasks } from '../../store/records/tasks.ts';
import { workspaces } from '../../store/records/workspaces.ts';
import type { GitPort } from '../scope.ts';

const commit = (start: string) => start.padEnd(40, '0');
const BASE = commit('aa');
const KEPT = commit('bb');
const TIP = commit('cc');
const NOW = commit('dd');

const watch = (session?: string): Watch => ({
  offset: 0,
  skipping: false,
  state: null,
  outbox: { at: 0, tail: '' },
  ...(session ? { session } : {}),
  lines: 1,
  events: 1,
  droppedBytes: 0,
  lastWords: '',
  openTools: [],
  asks: [],
  signAt: '2030-01-01T12:00:00.000Z',
  activeMs: 1,
});

/** A task an agent has worked on, as the engine would have left it. */
async function worked(
  house: MemoryHouse,
  { more = {}, work = {}, ...run }: { more?: object; work?: Partial<Work> | null; watch?: Watch; executor?: string } = {},
) {
  const at = house.now();
  const { id } = await house.call('task.create', { project: 'shop', prompt: 'make it so', tag: ['a'], ...more });
  const seen = await tasks.get(house.store, id);
  if (!seen) throw new Error('it was not created');
  const runId = house.ids.run();
  const row: Run = {
    id: runId,
    seq: 1,
    taskId: id,
    kind: 'agent',
    attempt: 1,
    executor: 'scripted',
    host: 'here',
    holds: [],
    phase: { state: 'claimed', since: at },
    watch: watch('s-1'),
    createdAt: at,
    updatedAt: at,
    ...run,
  };
  const claimed = transition(seen.body, { type: 'claim', at, holder: { kind: 'run', runId } });
  const made: Work = { branch: 'scripted/x/1', target: 'main', base: BASE, runId, ...work };
  const task: Task = { ...claimed, ...(work === null ? {} : { work: made }) };
  await house.store.commit([
    tasks.put(task, seen.version),
    ...creationWrites(runs, row, { by: 'host here', at }, { what: 'claimed' }),
  ]);
  return { id, runId };
}

async function change(house: MemoryHouse, id: TaskId, next: (task: Task) => Task): Promise<void> {
  const seen = await tasks.get(house.store, id);
  if (seen) await house.store.commit([tasks.put(next(seen.body), seen.version)]);
}
const fails = (house: MemoryHouse, id: TaskId) =>
  change(house, id, (task) => ({ ...task, phase: { state: 'failed', at: house.now(), reason: 'crashed' } }));

async function shop(work: Partial<GitPort> = {}) {
  const house = memoryHouse({ work: { has: async () => true, ...work } });
  await house.call('project.add', { path: '/repo', name: 'shop' });
  return house;
}
const rowsOf = async (house: MemoryHouse) => (await house.call('task.list', {})).items.length;

describe('a fork', () => {
  it('begins with the kept work and the conversation; both histories tell it, and nothing else of the task changes', async () => {
    const house = await shop();
    const { id, runId } = await worked(house, { work: { kept: { commit: KEPT, ref: 'refs/x', at: house.now() } } });
    await fails(house, id);
    const before = await tasks.get(house.store, id);
    house.pass(1_000);
    const fork = await house.call('task.fork', { id, text: 'without the cache' });
    expect(fork).toMatchObject({
      title: 'make it so (fork)',
      prompt: 'make it so',
      tags: ['a'],
      executors: ['scripted'],
      targetBranch: 'main',
      phase: { state: 'queued' },
      messages: [{ n: 1, text: 'without the cache', state: 'waiting' }],
      forkedFrom: { taskId: id, runId, commit: KEPT, base: BASE },
    });
    expect(fork.work).toBeUndefined();
    const after = await tasks.get(house.store, id);
    expect(after?.body).toEqual({ ...before?.body, seq: (before?.body.seq ?? 0) + 1, updatedAt: house.now() });
    const [told] = await entriesAfter(house.store, id, before?.body.seq ?? 0, 1);
    expect(told).toMatchObject({ what: 'forked', by: 'you', data: { task: fork.id, commit: KEPT, run: runId } });
    const [born1] = await entriesAfter(house.store, fork.id, 0, 1);
    expect(born1).toMatchObject({ what: 'created', why: `forked from ${id}`, data: { task: id, commit: KEPT } });
  });

  it('begins with the committed work where there is some, and brings nothing that has landed', async () => {
    const house = await shop();
    const { id } = await worked(house, { work: { tip: TIP, kept: { commit: KEPT, ref: 'refs/x', at: house.now() } } });
    await fails(house, id);
    expect((await house.call('task.fork', { id })).forkedFrom).toMatchObject({ commit: TIP, base: BASE });
    await change(house, id, (task) => ({
      ...task,
      phase: { state: 'done', at: house.now() },
      work: { ...(task.work as Work), landed: { commit: commit('ee'), at: house.now() } },
    }));
    expect((await house.call('task.fork', { id })).forkedFrom).toMatchObject({ commit: TIP, base: TIP });
  });

  it('of a task that is worked on begins with what is there at this moment, else with what was kept', async () => {
    const asked: string[] = [];
    let now: { commit: string } | undefined = { commit: NOW };
    const house = await shop({
      snapshot: async (_site, { ref }) => {
        asked.push(ref);
        return now;
      },
    });
    const at = house.now();
    const { id } = await worked(house, {
      work: { workspaceId: 'ws_1' as Work['workspaceId'], kept: { commit: KEPT, ref: 'refs/x', at } },
    });
    const { projectId } = await house.call('task.show', { id });
    const use = { kind: 'task', taskId: id, branch: 'scripted/x/1', start: BASE } as const;
    const place = {
      id: 'ws_1' as never,
      n: 1,
      projectId: projectId as never,
      host: 'here',
      path: '/w',
      isolation: 'worktree',
    } as const;
    await house.store.commit([workspaces.put({ ...place, use, state: 'ready', createdAt: at, updatedAt: at }, 'absent')]);
    const fork = await house.call('task.fork', { id });
    expect(fork.forkedFrom?.commit).toBe(NOW);
    expect(asked).toEqual([`refs/fleet/kept/${fork.id}/start`]);
    now = undefined;
    expect((await house.call('task.fork', { id })).forkedFrom?.commit).toBe(KEPT);
  });

  it('hands nothing that belongs to one program to another', async () => {
    const house = await shop();
    const more = { executor: ['scripted', 'claude'], model: 'big', extraArg: ['-x'], effort: 'high', maxBudgetUsd: 2 };
    const { id } = await worked(house, { more, work: { tip: TIP } });
    expect(await house.call('task.fork', { id })).toMatchObject({
      executors: ['scripted', 'claude'],
      model: 'big',
      extraArgs: ['-x'],
    });
    const other = await house.call('task.fork', { id, executor: ['codex'], title: 'second' });
    expect(other).toMatchObject({ title: 'second', executors: ['codex'], extraArgs: [], effort: 'high', maxBudgetUsd: 2 });
    expect(other.model).toBeUndefined();
    expect((await house.call('task.fork', { id, executor: ['codex'], model: 'o9' })).model).toBe('o9');
  });

  it('goes on with the last conversation that has a name, and knows the one it was forked from', async () => {
    const house = await shop();
    const { id, runId } = await worked(house, { work: { tip: TIP } });
    const seen = await runs.get(house.store, runId);
    if (!seen) throw new Error('no run');
    house.pass(1_000);
    const cut: Run = { ...seen.body, id: house.ids.run(), watch: watch() };
    await house.store.commit(creationWrites(runs, cut, { by: 'host here', at: house.now() }, { what: 'claimed' }));
    expect((await house.call('task.fork', { id })).forkedFrom?.runId).toBe(runId);
  });

  it('in place has no work of its own to begin with', async () => {
    const house = await shop();
    const { id, runId } = await worked(house, { more: { isolation: 'in_place' }, work: null });
    const fork = await house.call('task.fork', { id });
    expect(fork).toMatchObject({ isolation: 'in_place', forkedFrom: { taskId: id, runId } });
    expect(fork.forkedFrom?.commit).toBeUndefined();
  });

  it('is a part of what the task is a part of, and counts there', async () => {
    const house = await shop();
    const { id: parent } = await house.call('task.create', { project: 'shop', prompt: 'whole' });
    const { id } = await worked(house, { more: { parent }, work: { tip: TIP } });
    expect(await house.call('task.fork', { id })).toMatchObject({ parentId: parent, depth: 1 });
    expect((await house.call('task.show', { id: parent })).children).toBe(2);
  });

  it('that cannot be is refused in clear words, and leaves nothing', async () => {
    const house = await shop({ has: async () => false });
    const { id: fresh } = await house.call('task.create', { project: 'shop', prompt: 'x' });
    const never = await worked(house, { work: { tip: TIP }, watch: undefined as unknown as Watch });
    const gone = await worked(house, { work: { tip: TIP } });
    const empty = await worked(house);
    const count = await rowsOf(house);
    const says = async (input: object) => {
      const { code, message } = await refused(house.call('task.fork', input as { id: string }));
      return `${code}: ${message}`;
    };
    expect(await says({ id: fresh })).toMatch(/^conflict: .*is queued and no agent has worked on it yet/);
    expect(await says({ id: never.id })).toMatch(/^conflict: .*no agent has worked on it yet/);
    expect(await says({ id: gone.id })).toMatch(/^conflict: .*its work cc0000000000 is gone from \/repo/);
    expect(await says({ id: empty.id })).toMatch(/^conflict: .*nothing of its work has been kept/);
    expect(await says({ id: 'zzzzzz' })).toMatch(/^not_found: /);
    expect(await says({ id: gone.id, executor: ['nobody'] })).toMatch(/^invalid: no executor "nobody"/);
    expect(await says({ id: gone.id, text: ' ' })).toMatch(/^invalid: text: is empty/);
    expect(await says({ id: gone.id, ifSeq: 99 })).toMatch(/^conflict: .*has changed/);
    expect(await rowsOf(house)).toBe(count);
  });
});
