import type { TaskView } from '../../contract/shapes.ts';
import { isFinal, type Task } from '../../domain/task/task.ts';
import { tasks } from '../../store/records/tasks.ts';
import { findTask } from '../find.ts';
import { type Handlers, plan, type Scope } from '../scope.ts';
import { hindranceOf } from './held-up.ts';
import { viewOf } from './view.ts';

/** So many tasks that others wait for are looked at for one answer; beyond that, something is taken to go on. */
const MOST_LOOKED_AT = 500;

export const waitHandler: Handlers['task.wait'] = async ({ ids }, scope) => {
  const found = await Promise.all(ids.map((id) => findTask(scope, id)));
  const look = stuckLook(scope);
  const items: TaskView[] = [];
  let stuck = 0;
  for (const { body } of found) {
    const why = isPending(body) ? await look(body) : undefined;
    if (why !== undefined) stuck += 1;
    const told = why ?? (await toldOf(body, scope));
    items.push({ ...(await viewOf(body, scope)), ...(told === undefined ? {} : { heldUp: told }) });
  }
  return plan({ items, pending: found.filter(({ body }) => isPending(body)).length, stuck });
};

/** What a person should know of it although it may go on by itself. */
async function toldOf(task: Task, scope: Scope): Promise<string | undefined> {
  const hindrance = await hindranceOf(task, scope);
  return hindrance?.isTold ? hindrance.why : undefined;
}

const isPending = ({ phase }: Task): boolean => !isFinal(phase) && phase.state !== 'blocked';

/** Why a task cannot go on by itself, however long one waits; undefined when something may still happen to it. */
function stuckLook(scope: Scope): (task: Task) => Promise<string | undefined> {
  const known = new Map<string, Promise<string | undefined>>();
  const look = (task: Task): Promise<string | undefined> => {
    const before = known.get(task.id);
    if (before) return before;
    // A circle, which nobody can make, would be taken to go on.
    known.set(task.id, Promise.resolve(undefined));
    const found = known.size > MOST_LOOKED_AT ? Promise.resolve(undefined) : why(task);
    known.set(task.id, found);
    return found;
  };
  const why = async (task: Task): Promise<string | undefined> => {
    const { phase } = task;
    if (phase.state === 'draft') return 'it is a draft: fleet task dispatch hands it over';
    if (phase.state === 'queued') {
      const hindrance = await hindranceOf(task, scope);
      return hindrance?.isLasting ? hindrance.why : undefined;
    }
    if (phase.state !== 'waiting') return undefined;
    for (const id of phase.on) {
      const other = (await tasks.get(scope.reads, id))?.body;
      const reason = other && (other.phase.state === 'blocked' ? other.phase.block.what : await look(other));
      if (other && reason !== undefined) return `it waits for ${other.id.slice(-8)} (${other.phase.state}): ${reason}`;
    }
    return undefined;
  };
  return look;
}
