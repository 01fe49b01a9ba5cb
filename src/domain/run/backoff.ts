import type { Outcome } from './run.ts';

const FIRST_MS = 4_000;
const LONGEST_MS = 60_000;

/** How long to wait before the next attempt: 4, 8, 16 … 60 s; a stall or a lost host need not wait. `jitter` is 0 to 1. */
export function retryDelayMs(outcome: Outcome, attempt: number, jitter: number): number {
  if (outcome === 'stalled' || outcome === 'lost' || outcome === 'context_full') return 0;
  const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.max(0, attempt - 1));
  // Many that failed together must not come back together.
  return Math.round(full / 2 + (full / 2) * jitter);
}
