import { z } from 'zod';
import { backoffMs, replanned } from '../run/backoff.ts';
import { Instant, instantOf, msOf, Name, RunId } from '../values.ts';
import { type AccountRef, DEFAULT_ACCOUNT } from './account.ts';

/** A time in which nothing is started on one account, because its provider refuses more work. */
export const Pause = z.strictObject({
  id: z.string(),
  seq: z.int().min(1),
  executor: Name,
  account: Name,
  since: Instant,
  until: Instant,
  /** Whether the provider stated `until`; otherwise `until` is a guess of Fleet, longer each time. */
  stated: z.boolean(),
  /** How many guesses in a row were too short. */
  guesses: z.int().min(0),
  why: z.string(),
  /** The refused run. */
  runId: RunId,
  /** Set if the pause ended early. */
  over: z.strictObject({ at: Instant, by: z.string() }).optional(),
});
export type Pause = z.infer<typeof Pause>;

export const pauseId = ({ executor, account = DEFAULT_ACCOUNT }: AccountRef): string =>
  `pause_${encodeURIComponent(executor)}/${encodeURIComponent(account)}`;

/** A pause guessed while the wall clock was ahead is not in force: how much of it has passed is unknown. */
export const isInForce = (pause: Pause | undefined, now: Instant): pause is Pause =>
  pause !== undefined && pause.over === undefined && pause.until > now && (pause.stated || replanned(pause, now) === undefined);

/** One refusal that a run met. */
export interface Refusal extends AccountRef {
  readonly runId: RunId;
  /** When the run was claimed. A run claimed before the pause began says nothing about the length of the pause. */
  readonly claimedAt: Instant;
  readonly at: Instant;
  /** The time the provider named for a retry. A time in the past counts as absent. */
  readonly until?: Instant | undefined;
  readonly why: string;
  /** From 0 to 1. */
  readonly jitter: number;
}

/** After this long without a refusal, guesses begin anew. */
const FORGOTTEN_MS = 10 * 60_000;

/**
 * The pause after a refusal. A stated time outweighs a guess, and of two stated times the later one counts. Guesses grow only
 * if a run started after the last guess is refused again.
 */
export function pauseAfterRefusal(before: Pause | undefined, refusal: Refusal): Pause {
  const { executor, account = DEFAULT_ACCOUNT, runId, at, until, why, jitter } = refusal;
  const current = isInForce(before, at) ? before : undefined;
  const common = { id: pauseId(refusal), seq: before?.seq ?? 1, executor, account, since: current?.since ?? at, why, runId };
  const last = before?.guesses ?? 0;
  if (until !== undefined && until > at) {
    if (current?.stated && current.until >= until) return current;
    return { ...common, until, stated: true, guesses: last };
  }
  if (current?.stated || (current && refusal.claimedAt < current.since)) return current;
  const isForgotten = before !== undefined && msOf(at) - msOf(before.until) > FORGOTTEN_MS;
  const guesses = (isForgotten ? 0 : last) + 1;
  const guess = instantOf(msOf(at) + backoffMs(guesses, jitter));
  return { ...common, until: current && current.until > guess ? current.until : guess, stated: false, guesses };
}

/** The pause after a successful run: a guess ends, a time that the provider stated stays. Undefined if nothing changes. */
export function pauseAfterSuccess(pause: Pause, { at, by }: { readonly at: Instant; readonly by: string }): Pause | undefined {
  if (pause.stated && isInForce(pause, at)) return undefined;
  if (pause.guesses === 0 && !isInForce(pause, at)) return undefined;
  return { ...pause, guesses: 0, ...(isInForce(pause, at) ? { over: { at, by } } : {}) };
}

/** The pause after a person ended it. */
export const liftedPause = (pause: Pause, over: { readonly at: Instant; readonly by: string }): Pause => ({
  ...pause,
  guesses: 0,
  over,
});
