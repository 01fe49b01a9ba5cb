import type { Task } from '../../domain/task/task.ts';
import type { TaskId } from '../../domain/values.ts';
import { changeWrites } from '../../store/records/journal.ts';
import { tasks } from '../../store/records/tasks.ts';
import type { WorkDeps } from './deps.ts';

const SAID = 500;

/** How long the machine may keep something from going on before a person must look. */
export const PATIENCE_MS = 30 * 60_000;

/** In words; what is thrown is an error but where somebody has thrown something else. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : JSON.stringify(error));

/** Says at its task what keeps it from going on, or that nothing does any more. Only news is written. */
export async function recordTrouble(taskId: TaskId, error: unknown, needs: Pick<WorkDeps, 'store' | 'now'>): Promise<void> {
  const seen = await tasks.get(needs.store, taskId);
  if (!seen) return;
  const { trouble, ...rest } = seen.body;
  const what = error === undefined ? undefined : reasonOf(error).slice(0, SAID);
  if (what === trouble?.what) return;
  const at = needs.now();
  const next: Task = what === undefined ? rest : { ...rest, trouble: { what, since: trouble?.since ?? at } };
  const note = what === undefined ? { what: 'trouble over' } : { what: 'trouble', why: what };
  await needs.store.commit(changeWrites(tasks, seen, next, { author: { by: 'fleet', at }, note }));
}
