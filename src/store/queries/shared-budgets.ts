import { LIMITS } from '../../domain/limits.ts';
import { type SharedBudget, sharesBudget } from '../../domain/run/budget.ts';
import { added, type Usage } from '../../domain/run/usage.ts';
import type { Task } from '../../domain/task/task.ts';
import type { Store } from '../port.ts';
import { runs } from '../records/runs.ts';
import { taskIndex, tasks } from '../records/tasks.ts';

interface Reads {
  readonly store: Pick<Store, 'get' | 'scan'>;
  /** What was found before: a family is looked at once for all of its members. */
  readonly found?: Map<string, Promise<Usage | undefined>>;
}

/** The budgets that hold for a task besides its own count: of what it is a part of, and its own where it has parts. */
export async function sharedBudgets(task: Task, { store, found = new Map() }: Reads): Promise<readonly SharedBudget[]> {
  const budgets: SharedBudget[] = [];
  for (let at: Task | undefined = task; at; at = await sharedWith(at, store)) {
    const isLimited = at.maxBudgetUsd !== undefined || at.maxTokens !== undefined;
    if (!isLimited || (at.id === task.id && at.children === 0)) continue;
    const usage = found.get(at.id) ?? takenBy(at, store);
    found.set(at.id, usage);
    budgets.push({ task: at, usage: await usage });
  }
  return budgets;
}

const sharedWith = async (task: Task, store: Reads['store']): Promise<Task | undefined> =>
  task.parentId !== undefined && sharesBudget(task) ? (await tasks.get(store, task.parentId))?.body : undefined;

/** What a task and all that share its budget have taken, their running agents included. */
export async function takenBy(task: Task, store: Reads['store']): Promise<Usage | undefined> {
  const own = added(task.usage, await runningUsage(task, store));
  if (task.children === 0) return own;
  const parts = await store.scan({ index: taskIndex.parent(task.id), limit: 2 * LIMITS.subTasks.value });
  const sharing = parts.map(tasks.read).filter(sharesBudget);
  return (await Promise.all(sharing.map((part) => takenBy(part, store)))).reduce(added, own);
}

/** What its ended runs have taken stands in the task. */
async function runningUsage({ phase }: Task, store: Reads['store']): Promise<Usage | undefined> {
  if (phase.state !== 'running' || phase.holder.kind !== 'run') return undefined;
  const run = (await runs.get(store, phase.holder.runId))?.body;
  return run && run.phase.state !== 'ended' ? run.watch?.usage : undefined;
}
