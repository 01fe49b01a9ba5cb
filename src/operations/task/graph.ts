import { Fault } from '../../domain/fault.ts';
import { LIMITS } from '../../domain/limits.ts';
import { cycleFault, findCycle, weigh } from '../../domain/task/dependencies.ts';
import { isFinal, type Task } from '../../domain/task/task.ts';
import type { TaskId } from '../../domain/values.ts';
import type { Write } from '../../store/port.ts';
import type { Versioned } from '../../store/records/record.ts';
import { graph } from '../../store/records/singles.ts';
import { tasks } from '../../store/records/tasks.ts';
import { findTask } from '../find.ts';
import type { Scope } from '../scope.ts';

/** The dependencies that were asked for, as they are now. */
export async function findDependencies(refs: readonly string[], scope: Scope): Promise<readonly Versioned<Task>[]> {
  const found = await Promise.all(refs.map((ref) => findTask(scope, ref)));
  return [...new Map(found.map((seen) => [seen.body.id, seen])).values()];
}

/**
 * A task that is waited for knows it: whoever ends it then leaves word for those who wait, and none that began to wait
 * at the same moment is overlooked, because both change this row.
 */
export const awaited = (dependencies: readonly Versioned<Task>[]): Write[] =>
  dependencies.flatMap((seen) =>
    isFinal(seen.body.phase) ? beliefsIn([seen]) : [tasks.put({ ...seen.body, awaited: seen.body.awaited + 1 }, seen.version)],
  );

/** A decision on the state of other tasks holds only while they are in that state. */
export const beliefsIn = (seen: readonly Versioned<Task>[]): Write[] =>
  seen.map(({ body, version }) => ({ op: 'check', key: tasks.key(body.id), expect: version }));

/** Open dependencies; one that will never be done is refused at once, before anybody waits for it. */
export function openOnes(dependencies: readonly Versioned<Task>[], task: Pick<Task, 'kind' | 'reviews'>): TaskId[] {
  const { unmet, dead } = weigh(
    dependencies.map(({ body }) => body),
    task,
  );
  if (dead) throw new Fault('invalid', `task ${dead} failed or was canceled and will not be done: it cannot be waited for`);
  return unmet;
}

/**
 * New edges between existing tasks. They pass through one row, one change at a time: two that are harmless alone could
 * close a cycle together.
 */
export async function edgesChecked(from: TaskId, to: readonly TaskId[], { reads }: Scope): Promise<Write[]> {
  const seen = await graph.get(reads, 'edges');
  const dependsOn = async (id: TaskId) => (await tasks.get(reads, id))?.body.dependsOn ?? [];
  const cycle = await findCycle(from, to, dependsOn, LIMITS.graphWalk.value);
  if (cycle) throw cycleFault(cycle);
  return [graph.put({ id: 'edges', changes: (seen?.body.changes ?? 0) + 1 }, seen?.version ?? 'absent')];
}
