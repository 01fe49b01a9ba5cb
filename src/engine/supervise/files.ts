import type { Run } from '../../domain/run/run.ts';
import type { Task } from '../../domain/task/task.ts';
import { msOf } from '../../domain/values.ts';
import type { SuperviseDeps } from './deps.ts';
import type { SuperviseMemory } from './memory.ts';

/** From which share of its patience on a silent run's files are looked at, and how often from then on. */
const FROM = 1 / 2;
const EVERY = 1 / 8;

export interface Silence {
  readonly run: Run;
  readonly task: Task | undefined;
  readonly silentMs: number;
  readonly patienceMs: number;
}

/**
 * Changed files are a sign of life of last resort: a look costs thousands of calls, so that only who is about to be taken
 * for stalled gets one, and beside the turn. What it finds counts at the next turn.
 */
export function lookAtFiles({ run, task, silentMs, patienceMs }: Silence, needs: SuperviseDeps, memory: SuperviseMemory): void {
  const before = memory.files.get(run.id);
  const now = needs.elapsed();
  const isDue = silentMs > patienceMs * FROM && (!before || (!before.isLooking && now - before.at > patienceMs * EVERY));
  if (!isDue || !task) return;
  memory.files.set(run.id, { at: now, isLooking: true, newest: before?.newest });
  void needs
    .changedAt(run, task)
    .catch((error: unknown) => {
      needs.log('files.unseen', { taskId: run.taskId, runId: run.id, error: String(error) });
      return undefined;
    })
    .then((newest) => {
      memory.files.set(run.id, { at: now, isLooking: false, newest: newest ?? before?.newest });
      const pulse = memory.pulses.get(run.id);
      // The same as at the last look is no news, whatever the wall clock says about how long ago it was.
      if (!pulse || newest === undefined || newest === before?.newest) return;
      const ageMs = Math.max(0, msOf(needs.now()) - newest);
      const changedAt = needs.elapsed() - ageMs;
      memory.pulses.set(run.id, {
        ...pulse,
        at: Math.max(pulse.at, changedAt),
        spokeAt: Math.max(pulse.spokeAt, changedAt),
      });
    });
}
