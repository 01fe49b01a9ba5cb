import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { engineHouse } from '../../../test/support/engine-house.ts';
import { Fault } from '../../domain/fault.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Run } from '../../domain/run/run.ts';
import type { Task } from '../../domain/task/task.ts';
import type { Workspace } from '../../domain/work/workspace.ts';
import { tasks } from '../../store/records/tasks.ts';
import { workspaces } from '../../store/records/workspaces.ts';
import { takeTurn } from '../controller.ts';
import type { WorkDeps } from './deps.ts';
import { provision } from './provision.ts';
import { WorkSaver } from './save-work.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const COMMIT = 'a'.repeat(40);
const HANGS = () => new Promise<never>(() => undefined);

/** A run that has ended, in a workspace where keeping does as it is told. */
async function house(keep: () => Promise<unknown>, more: { keepSeconds?: number; putAside?: () => Promise<void> } = {}) {
  const made = engineHouse();
  await made.call('project.add', { path: '/repo', name: 'shop' });
  const { id } = await made.call('task.create', { project: 'shop', prompt: 'sort' });
  const seen = await tasks.get(made.store, id);
  if (!seen) throw new Error('no task');
  const workspaceId = 'ws_1' as Workspace['id'];
  const work = { branch: 'b', target: 'main', base: COMMIT, workspaceId };
  const at = made.now();
  const row: Workspace = {
    id: workspaceId,
    n: 1,
    projectId: seen.body.projectId ?? ('' as never),
    host: 'here',
    path: '/w/1',
    isolation: 'worktree',
    use: { kind: 'task', taskId: id, branch: 'b', start: COMMIT },
    state: 'ready',
    createdAt: at,
    updatedAt: at,
  };
  await made.store.commit([tasks.put({ ...seen.body, work }, seen.version), workspaces.put(row, 'absent')]);
  const [tried, moved, logged] = [vi.fn(keep), vi.fn(more.putAside ?? (async () => undefined)), vi.fn()];
  const needs = {
    ...made.needs,
    elapsed: () => performance.now(),
    log: logged,
    workRules: () => ({ keepSeconds: more.keepSeconds ?? 300, pool: 1 }),
    gitWork: {
      within: <Answer>(_signal: AbortSignal, act: () => Promise<Answer>) => act(),
      save: tried,
      changes: async () => ({ commits: [], totals: { commits: 0, files: 0, added: 0, removed: 0 }, files: [] }),
      asidePathOf: ({ id: name }: Workspace) => `/aside/${name}-now`,
      putAside: moved,
    },
  } as unknown as WorkDeps;
  const keeper = new WorkSaver(needs, { over: async () => undefined });
  const run = { id: made.ids.run(), kind: 'agent' } as Run;
  const furnishing = provision(needs);
  const look = async (task: Partial<Task> = {}) => {
    const now = await tasks.get(made.store, id);
    const taken = keeper.take(run, { ...(now?.body as Task), ...task });
    await vi.advanceTimersByTimeAsync(50);
    const saved = await taken;
    await Promise.all([takeTurn(furnishing), vi.advanceTimersByTimeAsync(50)]);
    return saved;
  };
  return {
    ...made,
    tried,
    moved,
    logged,
    look,
    run,
    row: async () => (await workspaces.get(made.store, workspaceId))?.body,
    /** Looks as often as a supervisor does, until something has become of it. */
    settled: async (forSeconds: number, task: Partial<Task> = {}) => {
      for (let second = 0; second < forSeconds; second += 2) {
        const saved = await look(task);
        if (saved) return { saved, second };
        await vi.advanceTimersByTimeAsync(1_900);
      }
      return undefined;
    },
  };
}

const ASKED = { cancelAsked: { at: '2030-01-01T12:00:00.000Z', by: 'you' } } as Partial<Task>;

describe('what a run left', () => {
  it('is kept, and tried again when that failed', async () => {
    const keep = vi.fn(async () => ({ commit: COMMIT, isOurs: false, left: [] as string[] }));
    keep.mockRejectedValueOnce(new Fault('unavailable', 'a race'));
    const { settled, row } = await house(keep);
    expect(await settled(60)).toMatchObject({ saved: { kept: { commit: COMMIT } } });
    expect((await row())?.state).toBe('ready');
  });

  it('is given up after a few tries, and its workspace put aside', async () => {
    const { settled, tried, row, logged, run } = await house(() => Promise.reject(new Fault('unavailable', 'bad object')));
    expect(await settled(60)).toMatchObject({
      saved: { unkept: { workspaceId: 'ws_1', path: '/aside/ws_1-now', why: 'bad object' } },
    });
    expect(tried).toHaveBeenCalledTimes(LIMITS.keepAttempts.value);
    expect(await row()).toMatchObject({ state: 'aside', why: 'bad object', aside: { path: '/aside/ws_1-now', runId: run.id } });
    expect(logged.mock.calls.filter(([event]) => event === 'action.failed')).toHaveLength(2);
  });

  it('is given up when all its tries together took too long', async () => {
    const { settled, tried } = await house(HANGS, { keepSeconds: 20 });
    const found = await settled(60);
    expect(found?.saved.unkept?.why).toBe('it took longer than 20 s');
    expect(found?.second).toBeLessThan(30);
    expect(tried).toHaveBeenCalledTimes(1);
  });

  it('waits while the machine refuses, for longer than any other failure, and tells its task', async () => {
    const keep = vi.fn((): Promise<unknown> => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' })));
    const { settled, row, call } = await house(keep);
    expect(await settled(600)).toBeUndefined();
    expect(keep.mock.calls.length).toBeGreaterThan(LIMITS.keepAttempts.value);
    expect((await call('task.list', {})).items[0]?.trouble?.what).toBe('full');
    keep.mockResolvedValue({ commit: COMMIT, isOurs: false, left: [] });
    expect(await settled(60)).toMatchObject({ saved: { kept: { commit: COMMIT } } });
    expect((await row())?.state).toBe('ready');
  });

  it('does not keep its task from being canceled, however long it takes or whatever refuses', async () => {
    const hanging = await house(HANGS);
    expect(await hanging.look()).toBeUndefined();
    const found = await hanging.settled(60, ASKED);
    expect(found?.saved.unkept?.why).toBe('its task was canceled meanwhile');
    expect(found?.second).toBeLessThan(25);
    const refused = await house(() => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' })));
    expect((await refused.settled(10, ASKED))?.saved.unkept?.why).toBe('full');
  });

  it('is where it was when it cannot even be put aside, and its place is given up', async () => {
    const putAside = () => Promise.reject(new Error('EXDEV'));
    const { settled, row } = await house(() => Promise.reject(new Error('bad object')), { putAside });
    const found = await settled(60);
    expect(found?.saved.unkept).toMatchObject({ path: '/w/1', why: 'bad object; it could not be moved either: EXDEV' });
    expect(await row()).toMatchObject({ state: 'aside', n: 1, path: '/w/1' });
    expect((await row())?.aside).not.toHaveProperty('path');
  });
});
