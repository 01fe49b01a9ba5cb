import { lenderOf } from '../hold/account.ts';

/** What becomes of a task whose executor is paused: it waits, or it moves on to the next of its list. */
export const FAILOVERS = ['off', 'next'] as const;
export type Failover = (typeof FAILOVERS)[number];

/** What a task says of who does it. */
interface Listed {
  readonly executors: readonly string[];
  readonly executorAt?: number | undefined;
  readonly failover?: Failover | undefined;
}

/** The executor whose turn it is, with its account if it names one; undefined: the default one. */
export const executorNow = ({ executors, executorAt = 0 }: Listed): string | undefined => executors[executorAt] ?? executors[0];

/** Names of models and arguments belong to the first executor, on whichever account: no other is given them. */
export const isFirst = ({ executors: [first] }: Listed, executor: string): boolean =>
  first === undefined || lenderOf(first).executor === executor;

/** Where in its list the task moves on to: the first that is free. Undefined where it stays. */
export function movesTo(task: Listed, isFree: (executor: string) => boolean, otherwise: Failover): number | undefined {
  if ((task.failover ?? otherwise) === 'off') return undefined;
  const now = executorNow(task);
  const at = task.executors.findIndex((executor) => executor !== now && isFree(executor));
  return at === -1 ? undefined : at;
}
