import { isMachineError } from '../../domain/machine-error.ts';
import { fenceOf, type Task } from '../../domain/task/task.ts';
import { transition } from '../../domain/task/transition.ts';
import { landingRef } from '../../domain/work/work.ts';
import { changeWrites } from '../../store/records/journal.ts';
import { tasks } from '../../store/records/tasks.ts';
import type { WorkDeps } from './deps.ts';
import { holderOf, stop } from './repair.ts';
import type { Setback } from './setbacks.ts';
import { PATIENCE_MS, reasonOf, recordTrouble } from './trouble.ts';
import type { WaitingToLand } from './waiting.ts';

/** Tries of a landing before a person must look. */
const MOST_TRIES = 6;

/**
 * What the machine refuses for a while is waited out. Anything else is begun anew, from putting the work together with what the
 * target is now: what was made for it may be gone. After a few times a person must look, and those behind it go on.
 */
export async function landingFailed(
  waiting: WaitingToLand,
  error: unknown,
  { times, forMs }: Setback,
  needs: WorkDeps,
): Promise<boolean> {
  const { seen } = waiting;
  const { id, cancelAsked } = seen.body;
  const isPassing = isMachineError(error);
  const isPatient = isPassing ? forMs < PATIENCE_MS : times < MOST_TRIES;
  // The wish of a person to stop it does not wait for a repository to come to itself: its work is kept.
  if (cancelAsked && (times >= MOST_TRIES || !isPatient)) return canceled(waiting, needs, reasonOf(error));
  if (cancelAsked || (isPassing && isPatient)) {
    await recordTrouble(id, error, needs);
    return false;
  }
  const why = reasonOf(error);
  if (isPatient) return beginAnew(waiting, why, needs);
  const what = `it could not land: ${why}; fleet task merge ${id} tries again`;
  return stop(seen, { cause: 'conflict', who: 'you', what }, needs);
}

/** The same work on the same target gives the same commit, so what the gate has said of it still counts. */
async function beginAnew({ seen, work }: WaitingToLand, why: string, needs: WorkDeps): Promise<boolean> {
  const { gate, ...task } = seen.body;
  const { landing: _gone, ...rest } = work;
  const next: Task = { ...task, work: rest, ...(gate?.green ? { gate } : {}) };
  const note = { what: 'landing begun anew', why };
  await needs.store.commit(changeWrites(tasks, seen, next, { author: { by: 'fleet', at: needs.now() }, note }));
  return false;
}

export async function canceled({ seen, project }: WaitingToLand, needs: WorkDeps, why?: string): Promise<boolean> {
  const at = needs.now();
  const fence = fenceOf(holderOf(seen.body));
  const next = transition(seen.body, { type: 'settle', at, fence, outcome: 'canceled', retryAt: at });
  await needs.gitWork
    .dropRef(project, landingRef(seen.body.id))
    .catch((error: unknown) => needs.log('landing.ref-stays', { task: seen.body.id, error: String(error) }));
  const note = { what: 'settle', from: 'merging', to: next.phase.state, ...(why ? { why } : {}) };
  await needs.store.commit(changeWrites(tasks, seen, next, { author: { by: 'fleet', at }, note }), { flush: true });
  return true;
}
