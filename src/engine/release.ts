import { dueAt } from '../domain/run/backoff.ts';
import { isReviewOf, weigh } from '../domain/task/dependencies.ts';
import { isFinal, type Task } from '../domain/task/task.ts';
import { transition } from '../domain/task/transition.ts';
import { type Instant, msOf, type TaskId } from '../domain/values.ts';
import { allHits } from '../store/queries/every-hit.ts';
import { changeWrites } from '../store/records/journal.ts';
import { after } from '../store/records/record.ts';
import { taskIndex, tasks } from '../store/records/tasks.ts';
import type { Controller } from './controller.ts';
import type { EngineDeps } from './deps.ts';

type Release = Pick<EngineDeps, 'store' | 'now'>;

export interface ReleaseView {
  /** Ended tasks, each with those that still wait for it as if it had not. */
  readonly ended: readonly { readonly task: TaskId; readonly unnotified: readonly TaskId[] }[];
  /** Tasks whose moment has come. */
  readonly due: readonly TaskId[];
  readonly nextDueInMs?: number | undefined;
}

export type ReleaseAction =
  | { readonly type: 'reconsider'; readonly task: TaskId }
  | { readonly type: 'told'; readonly task: TaskId };

const ENDED_PER_TURN = 50;
const UNAWARE_PER_TASK = 200;

/** Walks from what has ended to what waits for it, one dependant at a time, and wakes what waits for a moment. */
export function release(needs: Release): Controller<ReleaseView, ReleaseAction> {
  const memory: Memory = { at: undefined };
  return controllerOf(needs, memory);
}

const controllerOf = (needs: Release, memory: Memory): Controller<ReleaseView, ReleaseAction> => ({
  name: 'release',
  everyMs: 15_000,
  observe: () => observe(needs, memory),
  decide,
  act: (action) => (action.type === 'told' ? markNotified(action.task, needs) : reconsider(action.task, needs)),
  wakesOn: ({ op, key, ...write }) => {
    if (key.kind !== tasks.kind || op !== 'put') return false;
    const { untold, phase } = (write as { body: Task }).body;
    return untold || phase.state === 'waiting';
  },
  dueInMs: ({ nextDueInMs }) => nextDueInMs,
});

/** A task is told off the list only after a look that found nobody unaware. */
export const decide = ({ ended, due }: ReleaseView): readonly ReleaseAction[] => {
  const waking = [...new Set([...ended.flatMap(({ unnotified }) => unnotified), ...due])];
  return [
    ...waking.map((task) => ({ type: 'reconsider', task }) as const),
    ...ended.filter(({ unnotified }) => unnotified.length === 0).map(({ task }) => ({ type: 'told', task }) as const),
  ];
};

interface Memory {
  /** When the last look was, by the wall clock. */
  at: Instant | undefined;
}

async function observe({ store, now }: Release, memory: Memory): Promise<ReleaseView> {
  const at = now();
  const ahead = memory.at === undefined || at < memory.at ? await plannedAhead(store, at) : [];
  memory.at = at;
  const [untold, due, later] = await Promise.all([
    store.scan({ index: taskIndex.untold, limit: ENDED_PER_TURN }),
    store.scan({ index: taskIndex.timed, to: after(`${at}/`), limit: UNAWARE_PER_TASK }),
    store.scan({ index: taskIndex.timed, from: after(`${at}/`), limit: 1 }),
  ]);
  const ended = await Promise.all(
    untold.map(async (hit) => ({ task: hit.key.id as TaskId, unnotified: await unnotifiedDependants(tasks.read(hit), store) })),
  );
  const next = later[0] && tasks.read(later[0]).phase;
  return {
    ended,
    due: [...due.map((hit) => hit.key.id as TaskId), ...ahead],
    nextDueInMs: next?.state === 'waiting' && next.until ? Math.max(1, msOf(next.until) - msOf(at)) : undefined,
  };
}

/** Delays that were planned while the wall clock was ahead: they begin anew. Looked for only when it has gone back. */
async function plannedAhead(store: Release['store'], at: Instant): Promise<TaskId[]> {
  const hits = await allHits(store, taskIndex.timed, { from: after(`${at}/`) });
  return hits
    .map(tasks.read)
    .filter(({ phase, notBefore }) => phase.state === 'waiting' && dueAt(phase, notBefore, at) !== phase.until)
    .map(({ id }) => id);
}

async function unnotifiedDependants(task: Task, store: Release['store']): Promise<TaskId[]> {
  const unaware: TaskId[] = [];
  let from = '';
  while (unaware.length < UNAWARE_PER_TASK) {
    const hits = await store.scan({ index: taskIndex.waits(task.id), from, limit: UNAWARE_PER_TASK });
    unaware.push(
      ...hits
        .map(tasks.read)
        .filter((waiting) => !knows(waiting, task))
        .map(({ id }) => id),
    );
    const last = hits.at(-1);
    if (!last || hits.length < UNAWARE_PER_TASK) break;
    from = `${last.sort} `;
  }
  return unaware;
}

/** A draft asks when it is handed over; whoever is blocked by one dead dependency need not hear of a second. */
const knows = (waiting: Task, ended: Task): boolean =>
  waiting.phase.state === 'draft' ||
  (!isFinal(ended.phase) && !isReviewOf(waiting, ended.id)) ||
  (waiting.phase.state === 'blocked' && ended.phase.state !== 'done');

/** Looks at all dependencies of one waiting task again, and moves it if that changes anything. */
async function reconsider(id: TaskId, { store, now }: Release): Promise<boolean> {
  const seen = await tasks.get(store, id);
  const phase = seen?.body.phase;
  const waits = phase?.state === 'waiting' || (phase?.state === 'blocked' && phase.block.cause === 'dependency');
  if (!seen || !waits) return false;
  const dependencies = (await Promise.all(seen.body.dependsOn.map((dependency) => tasks.get(store, dependency)))).flatMap(
    (found) => (found ? [found.body] : []),
  );
  const at = now();
  const next = transition(seen.body, { type: 'release', at, ...weigh(dependencies, seen.body) });
  if (samePlace(seen.body, next)) return false;
  const note = { what: 'release', from: seen.body.phase.state, to: next.phase.state };
  await store.commit(changeWrites(tasks, seen, next, { author: { by: 'fleet', at }, note }), { flush: true });
  return true;
}

const samePlace = (before: Task, next: Task): boolean => {
  if (before.phase.state !== next.phase.state) return false;
  const { since: _a, ...was } = before.phase as { since?: string };
  const { since: _b, ...is } = next.phase as { since?: string };
  return JSON.stringify(was) === JSON.stringify(is);
};

/** Conditional on the task as it was when nobody was found unaware: a new dependant changes it and is looked for again. */
async function markNotified(id: TaskId, { store }: Release): Promise<boolean> {
  const seen = await tasks.get(store, id);
  if (!seen?.body.untold) return false;
  if ((await unnotifiedDependants(seen.body, store)).length > 0) return false;
  await store.commit([tasks.put({ ...seen.body, untold: false }, seen.version)]);
  return true;
}
