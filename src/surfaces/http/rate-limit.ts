import { Fault } from '../../domain/fault.ts';
import type { WebDeps } from './web.ts';

/** Nobody needs a second's worth at once; a page that opens, or a script in a loop, may have a few. */
const BURST_SECONDS = 10;
const CALLERS = 10_000;

interface Bucket {
  tokens: number;
  at: number;
}

/** So many requests a second for each caller, of a run fewer, with some in reserve; whoever goes past it waits, and nobody else does. */
export function rateLimit({ rules, elapsed }: Pick<WebDeps, 'rules' | 'elapsed'>): WebDeps['within'] {
  const buckets = new Map<string, Bucket>();
  return (caller, calls = 1) => {
    const isRun = caller.startsWith('run_');
    const rate = isRun ? rules().runRate : rules().rate;
    const now = elapsed();
    const most = rate * BURST_SECONDS;
    const seen = buckets.get(caller);
    if (!seen && buckets.size >= CALLERS) buckets.clear();
    const tokens = seen ? Math.min(most, seen.tokens + ((now - seen.at) / 1_000) * rate) : most;
    if (tokens < calls)
      throw new Fault('limit', `more than ${rate} requests in a second: wait a moment`, {
        setting: isRun ? 'run_rate_limit' : 'rate_limit',
      });
    if (seen) Object.assign(seen, { tokens: tokens - calls, at: now });
    else buckets.set(caller, { tokens: tokens - calls, at: now });
  };
}
