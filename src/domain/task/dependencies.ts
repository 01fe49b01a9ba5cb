import { Fault } from '../fault.ts';
import type { TaskId } from '../values.ts';
import { awaitsReview, type Phase, type Task } from './task.ts';

export interface Dependency {
  readonly id: TaskId;
  readonly phase: Phase;
}

/** Whoever reviews is there to look at work that waits for somebody to look at it. */
export const looksAt = ({ kind, reviews }: Pick<Task, 'kind' | 'reviews'>, dependency: TaskId): boolean =>
  kind === 'review' || reviews === dependency;

/**
 * What the dependencies of a task mean for it now: which are still open, and whether one of them will never be done. For a
 * review, work that waits to be looked at is finished.
 */
export function weigh(
  dependencies: readonly Dependency[],
  task: Pick<Task, 'kind' | 'reviews'>,
): { unmet: TaskId[]; dead?: TaskId } {
  const isMet = ({ id, phase }: Dependency) => phase.state === 'done' || (looksAt(task, id) && awaitsReview(phase));
  const unmet = dependencies.filter((dependency) => !isMet(dependency)).map(({ id }) => id);
  const dead = dependencies.find(({ phase }) => phase.state === 'failed' || phase.state === 'canceled');
  return dead ? { unmet, dead: dead.id } : { unmet };
}

/**
 * The cycle that the edges `from → to` would close, as a path that begins and ends with `from`; undefined when there is
 * none. `dependsOn` answers for every task that can be reached.
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
      throw new Fault('limit', `more than ${most} tasks hang together: the dependency cannot be checked for cycles`);
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

export const refuseCycle = (path: readonly TaskId[]): Fault =>
  new Fault('invalid', `this dependency would close a cycle: ${path.join(' → ')}`, { cycle: path });
