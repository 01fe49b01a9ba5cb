import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { engineHouse } from '../../../test/support/engine-house.ts';
import type { Run } from '../../domain/run/run.ts';
import type { Task } from '../../domain/task/task.ts';
import type { RunId, TaskId } from '../../domain/values.ts';
import type { Workspace } from '../../domain/work/workspace.ts';
import { workspaces } from '../../store/records/workspaces.ts';
import type { WorkDeps } from './deps.ts';
import { TurnSaver } from './save-turns.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Runs with a workspace each; keeping one takes a second. */
async function house(count: number) {
  const made = engineHouse();
  await made.call('project.add', { path: '/repo', name: 'shop' });
  const { id: projectId } = await made.call('project.show', { project: 'shop' });
  const kept: string[] = [];
  let [going, most] = [0, 0];
  const needs = {
    ...made.needs,
    elapsed: () => performance.now(),
    log: () => undefined,
    gitWork: {
      within: <Answer>(_signal: AbortSignal, work: () => Promise<Answer>) => work(),
      save: async (_site: unknown, { ref }: { ref: string }) => {
        most = Math.max(most, ++going);
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        going -= 1;
        kept.push(ref.slice(ref.lastIndexOf('/') + 1));
        return { commit: 'c', isOurs: true, left: [] };
      },
    },
  } as unknown as WorkDeps;
  const at = made.now();
  const agents = Array.from({ length: count }, (_, n) => {
    const workspaceId = `ws_${n + 1}` as Workspace['id'];
    const task = { id: `task_${n}` as TaskId, title: 't', work: { branch: 'b', target: 'main', base: 'x', workspaceId } } as Task;
    return { run: { id: `run_${n}` as RunId, kind: 'agent' } as Run, task, workspaceId, n: n + 1 };
  });
  for (const { task, workspaceId, n } of agents) {
    const use = { kind: 'task', taskId: made.ids.task(), branch: 'b', start: 'a'.repeat(40) } as const;
    Object.assign(task, { id: use.taskId });
    const place = {
      id: workspaceId,
      n,
      projectId,
      host: 'here',
      path: `/w/${n}`,
      isolation: 'worktree',
      state: 'ready',
    } as const;
    await made.store.commit([workspaces.put({ ...place, use, createdAt: at, updatedAt: at }, 'absent')]);
  }
  return { keeper: new TurnSaver(needs), agents, kept, most: () => most };
}

it('keeps each turn but the many that follow each other fast, few runs at once', async () => {
  const { keeper, agents, kept, most } = await house(5);
  const [first] = agents;
  if (!first) throw new Error('nobody');
  for (const { run, task } of agents) keeper.turnOver(run, task);
  for (let n = 0; n < 20; n += 1) {
    keeper.turnOver(first.run, first.task);
    await vi.advanceTimersByTimeAsync(200);
  }
  expect(most()).toBe(2);
  expect(kept.toSorted()).toEqual(['run_0', 'run_1', 'run_2', 'run_3', 'run_4']);
  // The last turn is kept too, when its time has come.
  await vi.advanceTimersByTimeAsync(60_000);
  expect(kept.filter((run) => run === 'run_0')).toHaveLength(2);
});

it('begins nothing after the run has ended, and lets nothing overtake what is kept then', async () => {
  const { keeper, agents, kept } = await house(2);
  const [one, two] = agents;
  if (!one || !two) throw new Error('nobody');
  for (const { run, task } of agents) keeper.turnOver(run, task);
  await keeper.over(two.run.id);
  await vi.advanceTimersByTimeAsync(400);
  let isOver = false;
  const over = keeper.over(one.run.id).then(() => {
    isOver = true;
  });
  await vi.advanceTimersByTimeAsync(500);
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(500);
  await over;
  expect(kept).toEqual(['run_0']);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(kept).toEqual(['run_0']);
});
