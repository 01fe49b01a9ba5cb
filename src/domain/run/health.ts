import { type Instant, msOf } from '../values.ts';
import type { Run, Watch } from './run.ts';

export const HEALTHS = ['healthy', 'degraded', 'unhealthy'] as const;
export type Health = (typeof HEALTHS)[number];

/** A tool the agent has called may be silent this many times longer: builds are. */
const TOOL_PATIENCE = 10;

/**
 * A conversing agent that does nothing but use the processor is believed in this many times longer: some spin while they
 * wait for an answer that never comes.
 */
const SPINNING_PATIENCE = 10;

/** How long a run may go with no other sign of life than use of the processor. */
export const spinningMs = (watch: Pick<Watch, 'openTools'> | undefined, stallMs: number): number =>
  patienceMs(watch, stallMs) * SPINNING_PATIENCE;

/** How long a run may go without any sign of life. */
export const patienceMs = (watch: Pick<Watch, 'openTools'> | undefined, stallMs: number): number =>
  stallMs * ((watch?.openTools.length ?? 0) > 0 ? TOOL_PATIENCE : 1);

/** From one look to the next so much may pass, and count as silence of who was looked at. */
const MOST_BETWEEN_LOOKS_MS = 5_000;

/**
 * How much of the time since the last look nobody was there to see a sign of life: Fleet was stopped, the machine slept or
 * was too busy. It is no silence of anybody.
 */
export const unwatchedMs = (sinceLookMs: number, stallMs: number): number =>
  Math.max(0, sinceLookMs - Math.min(MOST_BETWEEN_LOOKS_MS, stallMs / 4));

/**
 * How a run that goes on is doing. It is unhealthy when its patience is used up or it is being ended, degraded when half of
 * it is, or when it is not the first attempt. Who waits for a person is in good health.
 */
export function healthOf(
  { phase, watch, attempt }: Pick<Run, 'phase' | 'watch' | 'attempt'>,
  { now, stallMs }: { readonly now: Instant; readonly stallMs: number },
): Health | undefined {
  if (phase.state === 'ending') return 'unhealthy';
  if (phase.state !== 'running' || !watch) return undefined;
  const silentMs = watch.asks.length > 0 ? 0 : msOf(now) - msOf(watch.signAt);
  const used = silentMs / patienceMs(watch, stallMs);
  if (used > 1) return 'unhealthy';
  return used > 1 / 2 || attempt > 1 ? 'degraded' : 'healthy';
}
