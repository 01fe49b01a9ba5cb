import { LIMITS } from '../../domain/limits.ts';
import { isFinal } from '../../domain/task/task.ts';
import { type Instant, instantOf, msOf } from '../../domain/values.ts';
import type { Store, Write } from '../port.ts';
import { evidence, evidenceIndex, reportIndex, reports } from '../records/findings.ts';
import { journalKeys } from '../records/journal.ts';
import { requestIndex, requests } from '../records/requests.ts';
import { runIndex, runs } from '../records/runs.ts';
import { taskIndex, tasks } from '../records/tasks.ts';
import { trash, trashIndex } from '../records/trash.ts';
import { allHits, everyHit } from './every-hit.ts';

const DAY_MS = 86_400_000;

export const daysBefore = (now: Instant, days: number): Instant => instantOf(msOf(now) - days * DAY_MS);

/** The history of deleted things, as much of each as fits in a commit. Returns how many were swept away completely. */
export async function emptyTrash(store: Store): Promise<number> {
  let gone = 0;
  for (const hit of await store.scan({ index: trashIndex.all, limit: LIMITS.writesPerCommit.value })) {
    const { id, seq, at } = trash.read(hit);
    const keys = journalKeys(id, seq).slice(-90);
    const rows = (await Promise.all(keys.map((key) => store.get(key)))).flatMap((row) => row ?? []);
    const removals: Write[] = rows.map(({ key, version }) => ({ op: 'delete', key, expect: version }));
    const rest = Math.max(0, seq - keys.length);
    await store.commit([
      ...removals,
      rest > 0 ? trash.put({ id, seq: rest, at }, hit.version) : trash.remove({ id, seq, at }, hit.version),
    ]);
    if (rest === 0) gone += 1;
  }
  return gone;
}

/** Answers to keyed commands that nobody can still be waiting for. */
export async function forgetRequests(store: Store, before: Instant, dryRun: boolean): Promise<number> {
  if (dryRun) return (await allHits(store, requestIndex.age, { to: before })).length;
  let count = 0;
  for (;;) {
    const hits = await store.scan({ index: requestIndex.age, to: before, limit: 90 });
    if (hits.length > 0) await store.commit(hits.map((hit) => requests.remove(requests.read(hit), hit.version)));
    count += hits.length;
    if (hits.length < 90) return count;
  }
}

/** Finished tasks that ended before `before` and that nothing refers to any more, with their runs and history. */
export async function forgetTasks(store: Store, before: Instant, dryRun: boolean): Promise<number> {
  let count = 0;
  for (const state of ['done', 'failed', 'canceled']) {
    for await (const hit of everyHit(store, taskIndex.state(state))) {
      const task = tasks.read(hit);
      if (!isFinal(task.phase) || task.updatedAt >= before || task.untold) continue;
      if (await referredTo(store, task.id)) continue;
      if (!dryRun) await forgetTask(store, task.id);
      count += 1;
    }
  }
  return count;
}

async function referredTo(store: Store, id: string): Promise<boolean> {
  const found = await Promise.all([taskIndex.waits(id), taskIndex.parent(id)].map((index) => store.scan({ index, limit: 1 })));
  return found.some((hits) => hits.length > 0);
}

/** What its runs reported and what gates found, as much at a time as fits in a commit. */
async function forgetFindings(store: Store, id: string): Promise<void> {
  for (const [kind, index] of [
    [reports, reportIndex.task(id)],
    [evidence, evidenceIndex.task(id)],
  ] as const) {
    for (;;) {
      const hits = await store.scan({ index, limit: 90 });
      if (hits.length > 0)
        await store.commit(hits.map(({ key, version }): Write => ({ op: 'delete', key: kind.key(key.id), expect: version })));
      if (hits.length < 90) break;
    }
  }
}

async function forgetTask(store: Store, id: string): Promise<void> {
  const seen = await tasks.get(store, id);
  if (!seen) return;
  const at = seen.body.updatedAt;
  const ended = (await store.scan({ index: runIndex.task(id), limit: 40 })).map((hit) => ({
    run: runs.read(hit),
    version: hit.version,
  }));
  // A task with more runs than fit in one commit loses them over several prunes.
  if (ended.length === 40) {
    await store.commit(
      ended.flatMap(({ run, version }) => [runs.remove(run, version), trash.put({ id: run.id, seq: run.seq, at }, 'absent')]),
    );
    return forgetTask(store, id);
  }
  await forgetFindings(store, id);
  await store.commit([
    tasks.remove(seen.body, seen.version),
    trash.put({ id, seq: seen.body.seq, at }, 'absent'),
    ...ended.flatMap(({ run, version }) => [runs.remove(run, version), trash.put({ id: run.id, seq: run.seq, at }, 'absent')]),
  ]);
}
