import { PHASE_STATES } from '../domain/task/task.ts';
import { everyHit } from '../store/queries/every-hit.ts';
import { gauges } from '../store/records/singles.ts';
import { taskIndex } from '../store/records/tasks.ts';
import type { Controller } from './controller.ts';
import type { Needs } from './needs.ts';

type Counts = Readonly<Record<string, number>>;

/** Counts are never kept in step with every change; they are counted now and then, and shown with their age. */
const REST_MS = 5_000;
/** A count may take this share of the time: a long queue is counted less often. */
const REST_PER_MS_OF_WORK = 20;

export const gauge = ({
  store,
  now,
  elapsed,
}: Pick<Needs, 'store' | 'now' | 'elapsed'>): Controller<Counts | undefined, Counts> => {
  let restUntil = Number.NEGATIVE_INFINITY;
  return {
    name: 'gauge',
    everyMs: REST_MS,
    observe: async () => {
      const begun = elapsed();
      if (begun < restUntil) return undefined;
      const counts: Record<string, number> = {};
      for (const state of PHASE_STATES) {
        counts[state] = 0;
        for await (const _hit of everyHit(store, taskIndex.state(state))) counts[state] += 1;
      }
      const ended = elapsed();
      restUntil = ended + Math.max(REST_MS, (ended - begun) * REST_PER_MS_OF_WORK);
      return counts;
    },
    decide: (counts) => (counts ? [counts] : []),
    act: async (counts) => {
      const seen = await gauges.get(store, 'tasks');
      await store.commit([gauges.put({ id: 'tasks', at: now(), counts }, seen?.version ?? 'absent')]);
      // Its own write stirs the store: it must not count again because of it.
      return false;
    },
  };
};
