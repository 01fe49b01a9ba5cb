import { type Instant, msOf } from '../values.ts';
import type { Run, Watch } from './run.ts';

export const RUN_HEALTHS = ['healthy', 'degraded', 'unhealthy'] as const;
export type RunHealth = (typeof RUN_HEALTHS)[number];

/** With an open tool the run may be silent this many times longer, because builds are. */
const TOOL_PATIENCE = 10;

/**
 * CPU use alone counts as a sign of life for this many times longer: some agents spin while they wait for an answer that
 * never comes.
 */
const SPINNING_PATIENCE = 10;

/** How long CPU use may be the only sign of life of a run. */
export const spinPatienceMs = (watch: Pick<Watch, 'openTools'> | undefined, stallMs: number): number =>
  patienceMs(watch, stallMs) * SPINNING_PATIENCE;

/** How long a run may go without any sign of life. */
export const patienceMs = (watch: Pick<Watch, 'openTools'> | undefined, stallMs: number): number =>
  stallMs * ((watch?.openTools.length ?? 0) > 0 ? TOOL_PATIENCE : 1);

/** The most time between two looks that counts as silence of the run. */
const MOST_BETWEEN_LOOKS_MS = 5_000;

/**
 * How much of the time since the last look Fleet could not have seen a sign of life, because it was stopped, or the machine
 * slept or was too busy. That time is not silence of the run.
 */
export const unwatchedMs = (sinceLookMs: number, stallMs: number): number =>
  Math.max(0, sinceLookMs - Math.min(MOST_BETWEEN_LOOKS_MS, stallMs / 4));

/**
 * The health of a run that is not over. It is unhealthy if it has been silent for too long or is being ended, and degraded
 * after half of that time or if it is not the first attempt. A run that waits for a person is not silent.
 */
export function healthOf(
  { phase, watch, attempt }: Pick<Run, 'phase' | 'watch' | 'attempt'>,
  { now, stallMs }: { readonly now: Instant; readonly stallMs: number },
): RunHealth | undefined {
  if (phase.state === 'ending') return 'unhealthy';
  if (phase.state !== 'running' || !watch) return undefined;
  const silentMs = watch.asks.length > 0 ? 0 : msOf(now) - msOf(watch.signAt);
  const used = silentMs / patienceMs(watch, stallMs);
  if (used > 1) return 'unhealthy';
  return used > 1 / 2 || attempt > 1 ? 'degraded' : 'healthy';
}
