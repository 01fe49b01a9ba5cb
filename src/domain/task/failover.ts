import { accountRefOf } from '../hold/account.ts';

/** What a task does while its executor is paused: `off` waits, `next` moves on to the next executor of its list. */
export const FAILOVERS = ['off', 'next'] as const;
export type Failover = (typeof FAILOVERS)[number];

/** The fields of a task that choose its executor. */
interface ExecutorChoice {
  readonly executors: readonly string[];
  readonly executorAt?: number | undefined;
  readonly failover?: Failover | undefined;
}

/** The executor whose turn it is, with its account if named; undefined means the default executor. */
export const executorNow = ({ executors, executorAt = 0 }: ExecutorChoice): string | undefined =>
  executors[executorAt] ?? executors[0];

/** Whether this is the task's first executor, on any account. Only that one gets the task's model name and extra arguments. */
export const isFirstExecutor = ({ executors: [first] }: ExecutorChoice, executor: string): boolean =>
  first === undefined || accountRefOf(first).executor === executor;

/** The index of the free executor the task moves on to; undefined if it stays. */
export function failoverIndex(
  task: ExecutorChoice,
  isFree: (executor: string) => boolean,
  fallback: Failover,
): number | undefined {
  if ((task.failover ?? fallback) === 'off') return undefined;
  const now = executorNow(task);
  const at = task.executors.findIndex((executor) => executor !== now && isFree(executor));
  return at === -1 ? undefined : at;
}
