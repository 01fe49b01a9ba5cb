import { dueOf, laneKey, laneOf } from '../../domain/task/lane.ts';
import { openDependencies, Task } from '../../domain/task/task.ts';
import type { IndexEntry } from '../port.ts';
import { part, records } from './record.ts';

export const taskIndex = {
  /** Every task, oldest first. */
  all: 'task.all',
  /** Tasks that may be claimed: `<lane>/<due>/<id>`. */
  ready: 'task.ready',
  /** Tasks that wait for a moment: `<until>/<id>`. */
  timed: 'task.timed',
  /** Tasks that have ended and are waited for, until everybody has heard of it. */
  untold: 'task.untold',
  /** Ids read backwards, so that the end of an id finds its task. */
  tail: 'task.tail',
  /** Work that cannot land until something of the user's is out of its way. */
  parked: 'task.parked',
  state: (state: string) => `task.state/${state}`,
  project: (projectId: string) => `task.project/${projectId}`,
  parent: (parentId: string) => `task.parent/${parentId}`,
  team: (team: string) => `task.team/${part(team)}`,
  /** Tasks that cannot go on without this one. */
  waits: (dependency: string) => `task.waits/${dependency}`,
} as const;

/** Sparse on purpose: a task leaves an index by changing phase, so none needs cleaning. */
function entriesOf(task: Task): IndexEntry[] {
  const { id, phase } = task;
  const entries: IndexEntry[] = [
    { index: taskIndex.all, sort: id },
    { index: taskIndex.tail, sort: reversed(id) },
    { index: taskIndex.state(phase.state), sort: id },
  ];
  if (task.projectId) entries.push({ index: taskIndex.project(task.projectId), sort: id });
  if (task.parentId) entries.push({ index: taskIndex.parent(task.parentId), sort: id });
  if (task.team) entries.push({ index: taskIndex.team(task.team), sort: id });
  if (task.untold) entries.push({ index: taskIndex.untold, sort: id });
  if (phase.state === 'queued') {
    entries.push({ index: taskIndex.ready, sort: `${laneKey(laneOf(task))}/${dueOf(phase.since, task.priority)}/${id}` });
  }
  if (phase.state === 'waiting' && phase.on.length === 0 && phase.until) {
    entries.push({ index: taskIndex.timed, sort: `${phase.until}/${id}` });
  }
  if (phase.state === 'blocked' && phase.block.cause === 'checkout') entries.push({ index: taskIndex.parked, sort: id });
  for (const dependency of openDependencies(task)) entries.push({ index: taskIndex.waits(dependency), sort: id });
  return entries;
}

export const tasks = records<Task>({ kind: 'task', schema: Task, idOf: ({ id }) => id, entriesOf });

export const reversed = (text: string): string => [...text].reverse().join('');
