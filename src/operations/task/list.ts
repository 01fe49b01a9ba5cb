import { Fault } from '../../domain/fault.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Task } from '../../domain/task/task.ts';
import { laneHeads } from '../../store/queries/lanes.ts';
import { entriesAfter } from '../../store/records/journal.ts';
import { taskIndex, tasks } from '../../store/records/tasks.ts';
import { findProject, findTask } from '../find.ts';
import { type Handlers, plan, type Scope } from '../scope.ts';
import { effectiveOf, isUnbegun, warningsFor } from './doable.ts';
import { heldUpBy } from './held-up.ts';
import { liveView, viewOf, wholeView } from './view.ts';

type Listing = Parameters<Handlers['task.list']>[0];

export const taskListHandlers: Pick<Handlers, 'task.list' | 'task.ready' | 'task.show' | 'task.events'> = {
  'task.list': async (input, scope) => {
    const { index, matches } = await selection(input, scope);
    const { found, cursor } = await pageOf({ index, matches, limit: input.limit, cursor: input.cursor }, scope);
    return plan({ items: await Promise.all(found.map((task) => viewOf(task, scope))), ...(cursor ? { cursor } : {}) });
  },

  'task.ready': async ({ limit }, scope) => {
    const heads = await laneHeads(scope.reads, LIMITS.lanes.value);
    const perLane = await Promise.all(
      heads.map(({ lane }) => scope.reads.scan({ index: taskIndex.ready, from: `${lane}/`, to: `${lane}0`, limit })),
    );
    const inOrder = perLane.flat().sort((a, b) => (dueIn(a.sort) < dueIn(b.sort) ? -1 : 1));
    return plan({ items: await Promise.all(inOrder.slice(0, limit).map((hit) => viewOf(tasks.read(hit), scope))) });
  },

  'task.show': async ({ id }, scope) => {
    const { body } = await findTask(scope, id);
    const [why, view, effective, warnings] = await Promise.all([
      heldUpBy(body, scope),
      wholeView(body, scope).then((whole) => liveView(whole, scope)),
      effectiveOf(body, scope),
      isUnbegun(body) ? warningsFor(body, scope) : [],
    ]);
    return plan({
      ...view,
      effective,
      ...(why === undefined ? {} : { heldUp: why }),
      ...(warnings.length > 0 ? { warnings } : {}),
    });
  },

  'task.events': async ({ id, after, limit }, scope) => {
    const { body } = await findTask(scope, id);
    const items = await entriesAfter(scope.reads, body.id, after, limit);
    return plan({ items, next: items.at(-1)?.n ?? after });
  },
};

const dueIn = (sort: string) => sort.slice(sort.indexOf('/') + 1);

/** The narrowest index, and what is left to compare row by row. */
async function selection(input: Listing, scope: Scope): Promise<{ index: string; matches: (task: Task) => boolean }> {
  const project = input.project === undefined ? undefined : (await findProject(scope, input.project)).body.id;
  const parent = input.parent === undefined ? undefined : (await findTask(scope, input.parent)).body.id;
  const { state, tag, assignee, team } = input;
  const onlyState = state?.length === 1 ? state[0] : undefined;
  const index = parent
    ? taskIndex.parent(parent)
    : team
      ? taskIndex.team(team)
      : onlyState
        ? taskIndex.state(onlyState)
        : project
          ? taskIndex.project(project)
          : taskIndex.all;
  const matches = (task: Task) =>
    (project === undefined || task.projectId === project) &&
    (state === undefined || state.includes(task.phase.state)) &&
    (tag === undefined || task.tags.includes(tag)) &&
    (assignee === undefined || task.assignee === assignee) &&
    (team === undefined || task.team === team);
  return { index, matches };
}

interface PageWish {
  readonly index: string;
  readonly limit: number;
  readonly cursor: string | undefined;
  readonly matches: (task: Task) => boolean;
}

/** Newest first. Looks at a bounded number of rows: a page may be short and still have a cursor. */
async function pageOf(
  { index, matches, limit, cursor }: PageWish,
  { reads }: Scope,
): Promise<{ found: Task[]; cursor?: string }> {
  const found: Task[] = [];
  let to = cursor;
  if (cursor !== undefined && !/^task_[0-9a-z]{26}$/.test(cursor))
    throw new Fault('invalid', `${JSON.stringify(cursor)} is not a cursor of this list`);
  for (let examined = 0; examined < LIMITS.examinedPerPage.value; ) {
    const wanted = Math.min(Math.max(limit - found.length + 1, 50), reads.limits.rowsPerScan);
    const hits = await reads.scan({ index, limit: wanted, reverse: true, ...(to === undefined ? {} : { to }) });
    for (const hit of hits) {
      if (found.length === limit) return { found, cursor: to ?? hit.sort };
      to = hit.sort;
      const task = tasks.read(hit);
      if (matches(task)) found.push(task);
    }
    if (hits.length < wanted) return { found };
    examined += hits.length;
  }
  return to === undefined ? { found } : { found, cursor: to };
}
