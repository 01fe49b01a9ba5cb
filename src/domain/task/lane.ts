import { type AccountRef, accountRefOf, DEFAULT_ACCOUNT } from '../hold/account.ts';
import { type Instant, instantOf, msOf } from '../values.ts';
import { executorNow } from './failover.ts';
import type { Task } from './task.ts';

/** One step of priority counts as much as ten minutes of waiting. */
export const PRIORITY_STEP_MS = 10 * 60_000;

/**
 * The sort time of a queued task. Ageing is linear, so of two queued tasks the same one stays ahead for ever, and passing time
 * rewrites no row.
 */
export const dueOf = (since: Instant, priority: number): Instant => instantOf(msOf(since) + priority * PRIORITY_STEP_MS);

/** What a queued task competes for. Tasks that compete for the same share one lane, so a full lane is skipped at its head. */
export interface Lane {
  readonly executor: string;
  readonly account: string;
  /** The project, or the directory for work in place. */
  readonly place: { readonly kind: 'project' | 'directory'; readonly id: string };
  readonly placement: 'any' | 'in_place';
}

/** The lane of a task. Without a project the task runs in place, and one place takes one run at a time. */
export const laneOf = (task: Pick<Task, 'executors' | 'executorAt' | 'projectId' | 'directory' | 'isolation'>): Lane => ({
  ...accountRefOf(executorNow(task) ?? 'default'),
  place:
    task.projectId === undefined ? { kind: 'directory', id: task.directory ?? '/' } : { kind: 'project', id: task.projectId },
  placement: task.projectId === undefined || task.isolation === 'in_place' ? 'in_place' : 'any',
});

/** Encodes a part as printable ASCII without the separators of index keys. */
const plain = (part: string) => encodeURIComponent(part).replaceAll('~', '%7E');

export const laneKey = ({ executor, account, place, placement }: Lane): string =>
  [executor, account, `${place.kind}:${place.id}`, placement].map(plain).join('~');

/** The common prefix of the keys of all lanes of one account. */
export const accountLanePrefix = ({ executor, account = DEFAULT_ACCOUNT }: AccountRef): string =>
  `${plain(executor)}~${plain(account)}~`;

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
