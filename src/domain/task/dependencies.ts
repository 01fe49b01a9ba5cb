import { Fault } from '../fault.ts';
import type { TaskId } from '../values.ts';
import { awaitsReview, type Phase, type Task } from './task.ts';

export interface Dependency {
  readonly id: TaskId;
  readonly phase: Phase;
}

/** Whether the task reviews this dependency, so that it must start while the dependency still waits for a review. */
export const isReviewOf = ({ kind, reviews }: Pick<Task, 'kind' | 'reviews'>, dependency: TaskId): boolean =>
  kind === 'review' || reviews === dependency;

/**
 * Which dependencies of a task are still unmet, and which one (if any) will never be done. For a review, a dependency that
 * waits for a review counts as met.
 */
export function weigh(
  dependencies: readonly Dependency[],
  task: Pick<Task, 'kind' | 'reviews'>,
): { unmet: TaskId[]; dead?: TaskId } {
  const isMet = ({ id, phase }: Dependency) => phase.state === 'done' || (isReviewOf(task, id) && awaitsReview(phase));
  const unmet = dependencies.filter((dependency) => !isMet(dependency)).map(({ id }) => id);
  const dead = dependencies.find(({ phase }) => phase.state === 'failed' || phase.state === 'canceled');
  return dead ? { unmet, dead: dead.id } : { unmet };
}

/**
 * The cycle that the edges `from → to` would close, as a path that begins and ends with `from`; undefined if there is none.
 * `dependsOn` must answer for every reachable task.
 */
export async function findCycle(
  from: TaskId,
  to: readonly TaskId[],
  dependsOn: (id: TaskId) => Promise<readonly TaskId[]>,
  most: number,
): Promise<readonly TaskId[] | undefined> {
  const cameFrom = new Map<TaskId, TaskId>();
  const open = [...to];
  for (const id of to) cameFrom.set(id, from);
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (id === from) return pathTo(from, cameFrom);
    if (cameFrom.size > most)
      throw new Fault('limit', `more than ${most} tasks depend on each other: the new dependency cannot be checked for cycles`);
    for (const next of await dependsOn(id)) {
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, id);
      open.push(next);
    }
  }
  return undefined;
}

function pathTo(from: TaskId, cameFrom: ReadonlyMap<TaskId, TaskId>): TaskId[] {
  const path: TaskId[] = [from];
  for (let id = cameFrom.get(from); id !== undefined; id = cameFrom.get(id)) {
    path.unshift(id);
    if (id === from) break;
  }
  return path;
}

export const cycleFault = (path: readonly TaskId[]): Fault =>
  new Fault('invalid', `this dependency would close a cycle: ${path.join(' → ')}`, { cycle: path });
