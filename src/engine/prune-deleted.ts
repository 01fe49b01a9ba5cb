import { LIMITS } from '../domain/limits.ts';
import { daysBefore, emptyTrash, forgetRequests } from '../store/queries/sweep.ts';
import type { Controller } from './controller.ts';
import type { EngineDeps } from './deps.ts';

const EVERY_MS = 60_000;

/** Sweeps up what nobody can ask for any more: the history of deleted things and old answers. */
export function pruneDeleted({
  store,
  now,
  elapsed,
}: Pick<EngineDeps, 'store' | 'now' | 'elapsed'>): Controller<boolean, 'trash' | 'requests'> {
  let sweptAt = Number.NEGATIVE_INFINITY;
  return {
    name: 'sweep',
    everyMs: EVERY_MS,
    observe: async () => elapsed() - sweptAt >= EVERY_MS,
    decide: (due) => (due ? ['requests', 'trash'] : []),
    act: async (what) => {
      if (what === 'requests') {
        await forgetRequests(store, daysBefore(now(), LIMITS.idempotencyDays.value), false);
        return false;
      }
      // A full page means that there is more: at once again.
      const more = (await emptyTrash(store)) === LIMITS.writesPerCommit.value;
      if (!more) sweptAt = elapsed();
      return more;
    },
  };
}
