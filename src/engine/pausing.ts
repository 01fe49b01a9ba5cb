import type { AccountRef } from '../domain/hold/account.ts';
import { type Pause, pauseAfterRefusal, pauseAfterSuccess, pauseId, type Refusal } from '../domain/hold/pause.ts';
import type { Outcome, Run } from '../domain/run/run.ts';
import type { Instant } from '../domain/values.ts';
import type { Store, Write } from '../store/port.ts';
import { type Author, changeWrites, creationWrites } from '../store/records/journal.ts';
import { pauses } from '../store/records/pauses.ts';
import type { Versioned } from '../store/records/record.ts';

/** What is known of a run that has ended. */
interface End {
  readonly outcome: Outcome;
  readonly detail?: string | undefined;
  readonly refusal?: Pick<Refusal, 'until' | 'jitter'> | undefined;
}

export type Paused = ReadonlyMap<string, Versioned<Pause> | undefined>;

/** The pauses of these accounts as they are now, read consistently: a claim is conditional on each of them. */
export async function pausesOf(store: Pick<Store, 'get'>, lenders: Iterable<AccountRef>): Promise<Paused> {
  const ids = [...new Set([...lenders].map(pauseId))];
  const found = await Promise.all(ids.map((id) => pauses.get(store, id)));
  return new Map(ids.map((id, index) => [id, found[index]]));
}

/** Whoever claims believes that there is no pause, or none but this one, which is over. */
export const unpaused = (paused: Paused): Write[] =>
  [...paused].map(([id, seen]) => ({ op: 'check', key: pauses.key(id), expect: seen?.version ?? 'absent' }));

/** What the ends of runs tell of the accounts they ran on. */
export function pausing(
  ended: readonly { readonly run: Versioned<Run>; readonly ending: End }[],
  paused: Paused,
  author: Author,
): Write[] {
  const now = new Map([...paused].map(([id, seen]) => [id, seen?.body]));
  for (const { run, ending } of ended) {
    const id = pauseId(run.body);
    if (run.body.kind === 'agent') now.set(id, after(now.get(id), run.body, ending, author.at));
  }
  return [...now].flatMap(([id, pause]) => {
    const before = paused.get(id);
    if (!pause || pause === before?.body) return [];
    return before
      ? changeWrites(pauses, before, pause, { author, note: noteOf(pause) })
      : creationWrites(pauses, pause, author, noteOf(pause));
  });
}

function after(pause: Pause | undefined, run: Run, { outcome, detail, refusal }: End, at: Instant): Pause | undefined {
  if (outcome === 'rate_limited') {
    const why = detail ?? 'its provider refused more work';
    const { id: runId, executor, account, createdAt: claimedAt } = run;
    return pauseAfterRefusal(pause, {
      executor,
      account,
      runId,
      claimedAt,
      at,
      why,
      until: refusal?.until,
      jitter: refusal?.jitter ?? 1,
    });
  }
  const wentWell = outcome === 'succeeded' || outcome === 'no_changes';
  return (wentWell && pause && pauseAfterSuccess(pause, { at, by: run.id })) || pause;
}

const noteOf = ({ over, until, why }: Pause) => (over ? { what: 'lifted', why: over.by } : { what: 'paused', to: until, why });
