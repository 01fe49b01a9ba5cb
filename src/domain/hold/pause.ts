import { z } from 'zod';
import { backoffMs, replanned } from '../run/backoff.ts';
import { Instant, instantOf, msOf, Name, RunId } from '../values.ts';
import { DEFAULT_ACCOUNT, type Lender } from './account.ts';

/** A stretch of time in which nothing is started on one account, because its provider refuses more work. */
export const Pause = z.strictObject({
  id: z.string(),
  seq: z.int().min(1),
  executor: Name,
  account: Name,
  since: Instant,
  until: Instant,
  /** The provider said until when; otherwise it is our guess, and longer each time. */
  stated: z.boolean(),
  /** Guesses in a row that were too short. */
  guesses: z.int().min(0),
  why: z.string(),
  /** The run that was refused. */
  runId: RunId,
  /** It ended before its time. */
  over: z.strictObject({ at: Instant, by: z.string() }).optional(),
});
export type Pause = z.infer<typeof Pause>;

export const pauseId = ({ executor, account = DEFAULT_ACCOUNT }: Lender): string =>
  `pause_${encodeURIComponent(executor)}/${encodeURIComponent(account)}`;

/** What was guessed while the wall clock was ahead is none any more: nobody knows how much of it is over. */
export const isInForce = (pause: Pause | undefined, now: Instant): pause is Pause =>
  pause !== undefined && pause.over === undefined && pause.until > now && (pause.stated || replanned(pause, now) === undefined);

/** What one run met with. */
export interface Refusal extends Lender {
  readonly runId: RunId;
  /** When that run was claimed: one that was under way before the pause began says nothing new about its length. */
  readonly claimedAt: Instant;
  readonly at: Instant;
  /** When the provider said it will work again; a moment that has passed is none. */
  readonly until?: Instant | undefined;
  readonly why: string;
  /** 0 to 1. */
  readonly jitter: number;
}

/** After so long without a refusal, the next one is the first again. */
const FORGOTTEN_MS = 10 * 60_000;

/**
 * The pause that follows. What a provider has stated outweighs a guess, and of two statements the later one holds. Guesses
 * grow only when a run that was started after the last of them is refused again.
 */
export function refused(before: Pause | undefined, refusal: Refusal): Pause {
  const { executor, account = DEFAULT_ACCOUNT, runId, at, until, why, jitter } = refusal;
  const held = isInForce(before, at) ? before : undefined;
  const told = { id: pauseId(refusal), seq: before?.seq ?? 1, executor, account, since: held?.since ?? at, why, runId };
  const last = before?.guesses ?? 0;
  if (until !== undefined && until > at) {
    if (held?.stated && held.until >= until) return held;
    return { ...told, until, stated: true, guesses: last };
  }
  if (held?.stated || (held && refusal.claimedAt < held.since)) return held;
  const isForgotten = before !== undefined && msOf(at) - msOf(before.until) > FORGOTTEN_MS;
  const guesses = (isForgotten ? 0 : last) + 1;
  const guess = instantOf(msOf(at) + backoffMs(guesses, jitter));
  return { ...told, until: held && held.until > guess ? held.until : guess, stated: false, guesses };
}

/** A run went well: what was guessed is no longer so. What a provider has stated stays. */
export function provedWrong(pause: Pause, { at, by }: { readonly at: Instant; readonly by: string }): Pause | undefined {
  if (pause.stated && isInForce(pause, at)) return undefined;
  if (pause.guesses === 0 && !isInForce(pause, at)) return undefined;
  return { ...pause, guesses: 0, ...(isInForce(pause, at) ? { over: { at, by } } : {}) };
}

/** A person knows better. */
export const lifted = (pause: Pause, over: { readonly at: Instant; readonly by: string }): Pause => ({
  ...pause,
  guesses: 0,
  over,
});
