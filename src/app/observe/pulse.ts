import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import type { Store } from '../../store/port.ts';
import { type Gauge, gauges } from '../../store/records/singles.ts';

/** Often enough to be believed, and seldom enough that an idle fleet stays idle. */
const EVERY_MS = 5_000;

/** What the last looks have shown. Requests read it and wait for nothing. */
export interface GaugeReadings {
  /** The newest count of the fleet. */
  readonly gauge: Gauge | undefined;
  readonly storeMs: number | undefined;
  /** Since the store last answered, or since we began to ask. */
  silentMs(): number;
  readonly lagMs: number;
  /** Share of the time between the last two looks in which the event loop was busy. */
  readonly busy: number;
  stop(): void;
}

export interface PulseDeps {
  readonly store: Pick<Store, 'get'>;
  elapsed(): number;
  onLook(look: { readonly storeMs: number }): void;
  readonly everyMs?: number;
}

/** Looks at store and event loop in the background. One look at a time: a store that hangs is not asked twice. */
export function openPulse({ store, elapsed, onLook, everyMs = EVERY_MS }: PulseDeps): GaugeReadings {
  const seen = {
    gauge: undefined as Gauge | undefined,
    storeMs: undefined as number | undefined,
    lagMs: 0,
    busy: 0,
    answeredAt: elapsed(),
    stopped: false,
  };
  let timer: NodeJS.Timeout | undefined;
  let load: EventLoopUtilization = performance.eventLoopUtilization();
  let due = elapsed();

  const ask = async (): Promise<void> => {
    const begun = elapsed();
    try {
      const found = await gauges.get(store, 'tasks');
      seen.answeredAt = elapsed();
      seen.storeMs = seen.answeredAt - begun;
      seen.gauge = found?.body ?? seen.gauge;
      onLook({ storeMs: seen.storeMs });
    } catch {
      // It did not answer; how long ago it last did is told.
    }
  };
  let asking: Promise<void> | undefined;
  const beat = (): void => {
    seen.lagMs = Math.max(0, elapsed() - due);
    const now = performance.eventLoopUtilization();
    seen.busy = performance.eventLoopUtilization(now, load).utilization;
    load = now;
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    if (seen.stopped) return;
    due = elapsed() + everyMs;
    timer = setTimeout(beat, everyMs);
    timer.unref();
  };
  beat();
  return {
    get gauge() {
      return seen.gauge;
    },
    get storeMs() {
      return seen.storeMs;
    },
    get lagMs() {
      return seen.lagMs;
    },
    get busy() {
      return seen.busy;
    },
    silentMs: () => elapsed() - seen.answeredAt,
    stop: () => {
      seen.stopped = true;
      clearTimeout(timer);
    },
  };
}
