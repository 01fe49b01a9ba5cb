import { type Instant, instantOf, msOf } from '../values.ts';
import type { Outcome } from './run.ts';

const FIRST_MS = 4_000;
const LONGEST_MS = 60_000;

/** 4, 8, 16 … 60 s, the `n`th time. `jitter` is 0 to 1: many that failed together must not come back together. */
export function backoffMs(n: number, jitter: number): number {
  const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.max(0, n - 1));
  return Math.round(full / 2 + (full / 2) * jitter);
}

/** How long to wait before the next attempt; a stall or a lost host need not wait. */
export const retryDelayMs = (outcome: Outcome, attempt: number, jitter: number): number =>
  outcome === 'stalled' || outcome === 'lost' || outcome === 'context_full' ? 0 : backoffMs(attempt, jitter);

interface Delay {
  /** When it was planned. */
  readonly since: Instant;
  readonly until: Instant;
}

/** Wall clocks are corrected by so much all the time. */
const CORRECTED_MS = 2_000;

/**
 * A delay that was planned while the wall clock was ahead lasts no longer than it was planned for: begun anew from now.
 * Undefined where the clock has not gone back behind its beginning.
 */
export function replanned({ since, until }: Delay, now: Instant): Delay | undefined {
  if (msOf(since) <= msOf(now) + CORRECTED_MS) return undefined;
  return { since: now, until: instantOf(msOf(now) + Math.max(0, msOf(until) - msOf(since))) };
}

/** When a waiting task is due: a moment somebody named stays, a delay is begun anew if need be. */
export function timely(
  { since, until }: Pick<Delay, 'since'> & { readonly until?: Instant | undefined },
  notBefore: Instant | undefined,
  now: Instant,
): Instant | undefined {
  if (until === undefined || until === notBefore) return until;
  return replanned({ since, until }, now)?.until ?? until;
}
