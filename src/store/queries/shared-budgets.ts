import { LIMITS } from '../../domain/limits.ts';
import { type SharedBudget, sharesBudget, turnUsd } from '../../domain/run/budget.ts';
import type { Run } from '../../domain/run/run.ts';
import { type Usage, usageSum } from '../../domain/run/usage.ts';
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

/**
 * The same before one of those who share begins, with what the others at work may take meanwhile: a turn of each. Of those
 * that are only about to begin, the ones that came first count. What it is a part of waits for it, and is looked at anyway.
 */
export async function budgetsBefore(run: Run, task: Task, store: Reads['store']): Promise<readonly SharedBudget[]> {
  const budgets = await sharedBudgets(task, { store });
  const above = await tasksAbove(task, store);
  return Promise.all(
    budgets.map(async (one) => {
      const top = (await tasks.get(store, one.task.id))?.body;
      if (!top || one.task.maxBudgetUsd === undefined) return one;
      const members = await sharingBelow(top, store);
      const isOther = (other: Run) => other.id !== run.id && (other.phase.state !== 'claimed' || other.id < run.id);
      const working = members.filter(({ task: { id }, at }) => at && isOther(at) && !above.has(id));
      const usual = Math.max(0, ...members.map(usualTurn));
      const aheadUsd = working.reduce((sum, { at }) => sum + ((at?.watch && turnUsd(at.watch)) ?? usual), 0);
      return { ...one, aheadUsd };
    }),
  );
}

async function tasksAbove(task: Task, store: Reads['store']): Promise<ReadonlySet<string>> {
  const above = new Set<string>([task.id]);
  for (let at = await sharedWith(task, store); at; at = await sharedWith(at, store)) above.add(at.id);
  return above;
}

interface Member {
  readonly task: Task;
  /** The run that is at work on it. */
  readonly at: Run | undefined;
}

const usualTurn = ({ task: { usage, turns }, at }: Member): number =>
  Math.max(usage?.costUsd !== undefined && turns > 0 ? usage.costUsd / turns : 0, (at?.watch && turnUsd(at.watch)) ?? 0);

async function sharingBelow(task: Task, store: Reads['store']): Promise<readonly Member[]> {
  const own = { task, at: await runningOf(task, store) };
  if (task.children === 0) return [own];
  const parts = await store.scan({ index: taskIndex.parent(task.id), limit: 2 * LIMITS.subTasks.value });
  const below = await Promise.all(
    parts
      .map(tasks.read)
      .filter(sharesBudget)
      .map((part) => sharingBelow(part, store)),
  );
  return [own, ...below.flat()];
}

const sharedWith = async (task: Task, store: Reads['store']): Promise<Task | undefined> =>
  task.parentId !== undefined && sharesBudget(task) ? (await tasks.get(store, task.parentId))?.body : undefined;

/** What a task and all that share its budget have taken, their running agents included. */
export async function takenBy(task: Task, store: Reads['store']): Promise<Usage | undefined> {
  const own = usageSum(task.usage, await runningUsage(task, store));
  if (task.children === 0) return own;
  const parts = await store.scan({ index: taskIndex.parent(task.id), limit: 2 * LIMITS.subTasks.value });
  const sharing = parts.map(tasks.read).filter(sharesBudget);
  return (await Promise.all(sharing.map((part) => takenBy(part, store)))).reduce(usageSum, own);
}

/** What its ended runs have taken stands in the task. */
const runningUsage = async (task: Task, store: Reads['store']): Promise<Usage | undefined> =>
  (await runningOf(task, store))?.watch?.usage;

async function runningOf({ phase }: Task, store: Reads['store']): Promise<Run | undefined> {
  if (phase.state !== 'running' || phase.holder.kind !== 'run') return undefined;
  const run = (await runs.get(store, phase.holder.runId))?.body;
  return run && run.phase.state !== 'ended' ? run : undefined;
}
