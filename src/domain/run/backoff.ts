import { type Instant, instantOf, msOf } from '../values.ts';
import type { Outcome } from './run.ts';

const FIRST_MS = 4_000;
const LONGEST_MS = 60_000;

/** The `n`th delay: 4, 8, 16 … 60 s. `jitter`, from 0 to 1, spreads the retries of runs that failed together. */
export function backoffMs(n: number, jitter: number): number {
  const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.max(0, n - 1));
  return Math.round(full / 2 + (full / 2) * jitter);
}

/** The delay before the next attempt. After a stall, a lost host or a full window there is none. */
export const retryDelayMs = (outcome: Outcome, attempt: number, jitter: number): number =>
  outcome === 'stalled' || outcome === 'lost' || outcome === 'context_full' ? 0 : backoffMs(attempt, jitter);

interface Delay {
  /** When the delay was planned. */
  readonly since: Instant;
  readonly until: Instant;
}

/** Ordinary corrections of a wall clock are no larger. */
const CORRECTED_MS = 2_000;

/**
 * The delay begun anew from now, if it was planned while the wall clock was ahead; so it lasts no longer than planned.
 * Undefined if the clock has not gone back behind the beginning of the delay.
 */
export function replanned({ since, until }: Delay, now: Instant): Delay | undefined {
  if (msOf(since) <= msOf(now) + CORRECTED_MS) return undefined;
  return { since: now, until: instantOf(msOf(now) + Math.max(0, msOf(until) - msOf(since))) };
}

/** When a waiting task is due: a time that somebody named stays, a delay is replanned if the clock went back. */
export function dueAt(
  { since, until }: Pick<Delay, 'since'> & { readonly until?: Instant | undefined },
  notBefore: Instant | undefined,
  now: Instant,
): Instant | undefined {
  if (until === undefined || until === notBefore) return until;
  return replanned({ since, until }, now)?.until ?? until;
}
