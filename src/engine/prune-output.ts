import type { Run } from '../domain/run/run.ts';
import { isFinal } from '../domain/task/task.ts';
import { type Instant, instantOf, msOf, type RunId } from '../domain/values.ts';
import { changeWrites } from '../store/records/journal.ts';
import { runs } from '../store/records/runs.ts';
import { tasks } from '../store/records/tasks.ts';
import type { Controller } from './controller.ts';
import type { EngineDeps } from './deps.ts';

/** The run directories of this machine. */
export interface Spools {
  /** Runs that have one, oldest first. */
  names(): Promise<readonly RunId[]>;
  bytesOf(runId: RunId): Promise<number>;
  /** Removes all of it; done already is fine. */
  remove(runId: RunId): Promise<void>;
}

export interface Retention {
  readonly spools: Spools;
  /** How long output is kept, and how much of it in all. */
  rules(): { readonly days: number; readonly bytes: number };
}

/** What one run keeps on the disk. */
export interface StoredOutput {
  readonly runId: RunId;
  readonly bytes: number;
  /** When it ended; absent: it may still be needed, and is never removed. */
  readonly endedAt?: Instant;
  /** It was decided before that it goes, and whoever decided it did not come to the end. */
  readonly isLeaving?: boolean;
}

export interface OutputView {
  /** Oldest first. */
  readonly kept: readonly StoredOutput[];
  readonly oldest: Instant;
  readonly mostBytes: number;
}

const EVERY_MS = 3_600_000;
/** An engine that has just started has better things to do. */
const FIRST_AFTER_MS = 60_000;
const DAY_MS = 86_400_000;
const AT_ONCE = 32;

/** Removes the output of runs nobody will go on with: what is too old, then the oldest while there is too much. */
export function pruneOutput(
  needs: Pick<EngineDeps, 'store' | 'now' | 'elapsed'> &
    Retention & { log(event: string, fields: Record<string, unknown>): void },
): Controller<OutputView, RunId> {
  let dueAt = needs.elapsed() + FIRST_AFTER_MS;
  return {
    name: 'retain',
    everyMs: EVERY_MS,
    dueInMs: () => Math.max(0, dueAt - needs.elapsed()),
    observe: async () => {
      const { days, bytes } = needs.rules();
      const oldest = instantOf(msOf(needs.now()) - days * DAY_MS);
      if (needs.elapsed() < dueAt) return { kept: [], oldest, mostBytes: bytes };
      dueAt = needs.elapsed() + EVERY_MS;
      return { kept: await keptNow(needs), oldest, mostBytes: bytes };
    },
    decide: outputToPrune,
    act: (runId) => remove(runId, needs),
  };
}

export function outputToPrune({ kept, oldest, mostBytes }: OutputView): readonly RunId[] {
  let bytes = kept.reduce((sum, one) => sum + one.bytes, 0);
  return kept.flatMap((one) => {
    if (one.endedAt === undefined || (!one.isLeaving && one.endedAt >= oldest && bytes <= mostBytes)) return [];
    bytes -= one.bytes;
    return [one.runId];
  });
}

async function keptNow(needs: Pick<EngineDeps, 'store'> & Retention): Promise<readonly StoredOutput[]> {
  const names = await needs.spools.names();
  const kept: StoredOutput[] = [];
  for (let from = 0; from < names.length; from += AT_ONCE)
    kept.push(...(await Promise.all(names.slice(from, from + AT_ONCE).map((runId) => lookAt(runId, needs)))));
  return kept;
}

async function lookAt(runId: RunId, { store, spools }: Pick<EngineDeps, 'store'> & Retention): Promise<StoredOutput> {
  const [bytes, run] = await Promise.all([spools.bytesOf(runId), runs.get(store, runId)]);
  const endedAt = run && (await endOf(run.body, store));
  return { runId, bytes, ...(endedAt ? { endedAt, isLeaving: run.body.outputRemovedAt !== undefined } : {}) };
}

/** When it ended, if nobody can go on with it. Of what is in no row nothing is known: `fleet db prune` removes it. */
async function endOf({ phase, taskId }: Run, store: EngineDeps['store']): Promise<Instant | undefined> {
  if (phase.state !== 'ended') return undefined;
  const task = await tasks.get(store, taskId);
  return task && !isFinal(task.body.phase) ? undefined : phase.at;
}

/** It is written down first: whoever asks for output that is gone learns why, also after a crash in between. */
async function remove(runId: RunId, { store, now, spools, log }: Parameters<typeof pruneOutput>[0]): Promise<boolean> {
  const seen = await runs.get(store, runId);
  if (!seen || (await endOf(seen.body, store)) === undefined) return false;
  const at = now();
  if (seen.body.outputRemovedAt === undefined) {
    const note = { what: 'output-removed', why: 'retention' };
    await store.commit(
      changeWrites(runs, seen, { ...seen.body, outputRemovedAt: at }, { author: { by: 'retention', at }, note }),
    );
  }
  await spools.remove(runId);
  log('output.removed', { taskId: seen.body.taskId, runId });
  return true;
}
