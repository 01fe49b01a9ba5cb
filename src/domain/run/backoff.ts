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
