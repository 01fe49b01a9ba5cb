import { LIMITS } from '../domain/limits.ts';
import { daysBefore, emptyTrash, forgetRequests } from '../store/queries/sweep.ts';
import type { Controller } from './controller.ts';
import type { Needs } from './needs.ts';

/** Sweeps up what nobody can ask for any more: the history of deleted things and old answers. */
export const sweep = ({ store, now }: Pick<Needs, 'store' | 'now'>): Controller<undefined, 'trash' | 'requests'> => ({
  name: 'sweep',
  everyMs: 60_000,
  observe: async () => undefined,
  decide: () => ['trash', 'requests'],
  act: async (what) => {
    const swept =
      what === 'trash'
        ? await emptyTrash(store)
        : await forgetRequests(store, daysBefore(now(), LIMITS.idempotencyDays.value), false);
    return what === 'trash' && swept === LIMITS.writesPerCommit.value;
  },
});
