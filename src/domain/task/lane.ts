import { DEFAULT_ACCOUNT, type Lender, lenderOf } from '../hold/account.ts';
import { type Instant, instantOf, msOf } from '../values.ts';
import { executorNow } from './failover.ts';
import type { Task } from './task.ts';

/** One step of priority weighs as much as ten minutes of waiting. */
export const PRIORITY_STEP_MS = 10 * 60_000;

/**
 * When the task is due to be taken. Ageing is linear, so of two queued tasks the same one stays ahead for ever:
 * time passing changes no order and rewrites no row.
 */
export const dueOf = (since: Instant, priority: number): Instant => instantOf(msOf(since) + priority * PRIORITY_STEP_MS);

/** What a queued task needs room in. Tasks that need the same rooms stand in one lane, so a full lane hides behind its head. */
export interface Lane {
  readonly executor: string;
  readonly account: string;
  /** The project, or the directory for work in place. */
  readonly place: { readonly kind: 'project' | 'directory'; readonly id: string };
  readonly placement: 'any' | 'in_place';
}

/** A place that is worked in without a copy of its own admits one run at a time. */
export const laneOf = (task: Pick<Task, 'executors' | 'executorAt' | 'projectId' | 'directory' | 'isolation'>): Lane => ({
  ...lenderOf(executorNow(task) ?? 'default'),
  place:
    task.projectId === undefined ? { kind: 'directory', id: task.directory ?? '/' } : { kind: 'project', id: task.projectId },
  placement: task.projectId === undefined || task.isolation === 'in_place' ? 'in_place' : 'any',
});

/** Printable ASCII without the separators of index keys. */
const plain = (part: string) => encodeURIComponent(part).replaceAll('~', '%7E');

export const laneKey = ({ executor, account, place, placement }: Lane): string =>
  [executor, account, `${place.kind}:${place.id}`, placement].map(plain).join('~');

/** What the keys of all lanes of one account begin with. */
export const lenderPrefix = ({ executor, account = DEFAULT_ACCOUNT }: Lender): string => `${plain(executor)}~${plain(account)}~`;

export function laneFromKey(key: string): Lane {
  const [executor = '', account = '', place = '', placement = ''] = key.split('~').map(decodeURIComponent);
  const kind = place.startsWith('project:') ? 'project' : 'directory';
  return {
    executor,
    account,
    place: { kind, id: place.slice(kind.length + 1) },
    placement: placement === 'in_place' ? 'in_place' : 'any',
  };
}
