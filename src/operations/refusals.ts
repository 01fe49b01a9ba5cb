import type { Operation } from '../contract/operation.ts';
import type { Caller } from '../domain/authority.ts';
import { type Fault, isFault } from '../domain/fault.ts';
import { LIMITS } from '../domain/limits.ts';
import type { Instant } from '../domain/values.ts';
import type { Store } from '../store/port.ts';
import { changeWrites } from '../store/records/journal.ts';
import { tasks } from '../store/records/tasks.ts';
import type { Scope } from './scope.ts';

interface Refused {
  readonly operation: Pick<Operation, 'name' | 'kind'>;
  readonly error: Fault;
}

interface Ground extends Pick<Scope, 'output'> {
  readonly store: Store;
  now(): Instant;
}

/** Whether it reached for more than it has: for what its role may not do, or to change what is not its own. */
export const isReach = (operation: Refused['operation'], error: unknown): error is Fault =>
  isFault(error, 'forbidden') || (operation.kind === 'command' && isFault(error, 'not_found'));

/**
 * An agent that reaches for more than it has is refused, and that stands in the history of its task, where a person reads it.
 * So many of them; a further one is refused like the others, and only counted.
 */
export async function noteRefusal({ run, name }: Caller, { operation, error }: Refused, ground: Ground): Promise<void> {
  if (!run) return;
  const clean = await ground.output.redactor(run.runId);
  for (let attempt = 1; attempt <= LIMITS.commitAttempts.value; attempt += 1) {
    const seen = await tasks.get(ground.store, run.taskId);
    if (!seen || (seen.body.refusals ?? 0) >= LIMITS.refusalsTold.value) return;
    const refusals = (seen.body.refusals ?? 0) + 1;
    const isLast = refusals === LIMITS.refusalsTold.value;
    const why = clean(error.message).slice(0, LIMITS.excerptCharacters.value);
    const data = { operation: operation.name, run: run.runId, code: error.code, ...(isLast ? { more: 'are not told' } : {}) };
    const author = { by: name, at: ground.now() };
    const writes = changeWrites(tasks, seen, { ...seen.body, refusals }, { author, note: { what: 'refused', why, data } });
    try {
      await ground.store.commit(writes);
      return;
    } catch (other) {
      // Lost a race: look again. Whatever else keeps it from being written, the refusal itself holds.
      if (!isFault(other, 'conflict')) return;
    }
  }
}
