import type { Run } from '../domain/run/run.ts';
import { PHASE_STATES, type Task } from '../domain/task/task.ts';
import type { Instant } from '../domain/values.ts';
import type { Store } from '../store/port.ts';
import { countAll, everyHit } from '../store/queries/every-hit.ts';
import { questionIndex, questions } from '../store/records/questions.ts';
import { runIndex, runs } from '../store/records/runs.ts';
import { type Gauge, gauges } from '../store/records/singles.ts';
import { taskIndex, tasks } from '../store/records/tasks.ts';
import type { Controller } from './controller.ts';
import type { EngineDeps } from './deps.ts';

type Counts = Omit<Gauge, 'id' | 'at'>;

/** Counts are never kept in step with every change; they are counted a moment after some, and shown with their age. */
const REST_MS = 1_000;
/** Where nothing changes there is nothing to count; what was missed is found then. */
const IDLE_MS = 60_000;
/** A count may take this share of the time: a long queue is counted less often. */
const REST_PER_MS_OF_WORK = 20;

export const gauge = ({
  store,
  now,
  elapsed,
  host,
}: Pick<EngineDeps, 'store' | 'now' | 'elapsed' | 'host'>): Controller<Counts | undefined, Counts> => {
  let restUntil = Number.NEGATIVE_INFINITY;
  return {
    name: 'gauge',
    everyMs: IDLE_MS,
    observe: async () => {
      const begun = elapsed();
      if (begun < restUntil) return undefined;
      const counts = await counted(store, host);
      const ended = elapsed();
      restUntil = ended + Math.max(REST_MS, (ended - begun) * REST_PER_MS_OF_WORK);
      return counts;
    },
    decide: (counts) => (counts ? [counts] : []),
    act: async (counts) => {
      const seen = await gauges.get(store, 'tasks');
      await store.commit([gauges.put({ id: 'tasks', at: now(), ...counts }, seen?.version ?? 'absent')]);
      // Its own write stirs the store: it must not count again because of it.
      return false;
    },
    wakesOn: ({ key }) => COUNTED.has(key.kind),
    dueInMs: (counts) => (counts ? undefined : Math.max(1, restUntil - elapsed())),
  };
};

/** How many of the queue are asked how long they have waited. */
const OLDEST = 100;

const COUNTED = new Set([tasks.kind, runs.kind, questions.kind]);

async function counted(store: Store, host: string): Promise<Counts> {
  const counts: Record<string, number> = {};
  let oldestReady: Instant | undefined;
  for (const state of PHASE_STATES) counts[state] = await countAll(store, taskIndex.state(state));
  // Who has waited longest is among those that were made first.
  const oldest = await store.scan({ index: taskIndex.state('queued'), limit: OLDEST });
  for (const { phase } of oldest.map(({ body }) => body as Task))
    if (phase.state === 'queued' && (oldestReady === undefined || phase.since < oldestReady)) oldestReady = phase.since;
  const live = new Map<string, NonNullable<Gauge['live']>[number]>();
  for await (const { body } of everyHit(store, runIndex.live(host))) {
    const { executor, kind } = body as Run;
    const key = `${kind} ${executor}`;
    live.set(key, { executor, kind, count: (live.get(key)?.count ?? 0) + 1 });
  }
  const questions = await countAll(store, questionIndex.pending);
  return { counts, ...(oldestReady === undefined ? {} : { oldestReady }), live: [...live.values()], questions };
}
