import type { Server } from 'node:http';
import { shortageText } from '../../domain/hold/disk-room.ts';
import { LIMITS } from '../../domain/limits.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import type { WebDeps } from '../../surfaces/http/web.ts';
import type { Ailment, HealthAnswer, HealthDeps } from '../../surfaces/metrics/health.ts';
import type { Figures } from '../../surfaces/metrics/metrics.ts';
import type { FleetServices } from '../open-services.ts';
import { VERSION } from '../version.ts';
import { countConnections, countStream } from './count-connections.ts';
import { countFacts } from './count-facts.ts';
import { gather } from './gather.ts';
import { type Meters, openMeters } from './meters.ts';
import { type GaugeReadings, openPulse } from './pulse.ts';

/** Everything that is measured of one process that serves a home. */
export interface Observed
  extends Disposable,
    Required<Pick<WebDeps, 'onAnswer' | 'onStream'>>,
    Pick<HealthDeps, 'health' | 'details'> {
  readonly figures: Figures;
  readonly meters: Meters;
  watch(server: Server): void;
  /** Whether the lease is ours from now on. */
  holds(lease: boolean): void;
}

type Log = (event: string, fields: Record<string, unknown>) => void;
type Observable = Pick<FleetServices, 'store' | 'settings' | 'commits' | 'paths' | 'condition'> & {
  readonly disk: Pick<FleetServices['disk'], 'diskShort' | 'seen'>;
};

export function openObserved(house: Observable, log: Log, clock: Clock = systemClock): Observed {
  const meters = openMeters();
  const began = clock.elapsed();
  const lease: Lease = { isHeld: false, wasHeld: false };
  const { settings } = house;
  const pulse = openPulse({
    store: house.store,
    elapsed: clock.elapsed,
    onLook: ({ storeMs }) => {
      meters.observe('fleet_store_latency_seconds', storeMs / 1_000);
      void house.disk.diskShort();
    },
  });
  const unheard = house.commits.tell(
    (writes) => countFacts(meters, writes),
    (error) => log('observe.failed', { error: String(error) }),
  );
  return {
    meters,
    health: () =>
      healthOf(pulse, [...storeAilments(house), ...ailments(pulse, lease, settings.current().problem)], {
        isHeld: lease.isHeld,
        upMs: clock.elapsed() - began,
      }),
    details: () => detailsOf(house, pulse),
    figures: {
      type: meters.type,
      text: () => {
        gather(meters, { settings, pulse, isHeld: lease.isHeld, now: clock.now() });
        return meters.text();
      },
    },
    onAnswer: ({ method, route, status, ms }) => {
      meters.add('fleet_http_requests_total', { method, route, status: String(status) });
      meters.observe('fleet_http_request_duration_seconds', ms / 1_000, { method, route });
    },
    onStream: (response) => countStream(response, 'events', meters),
    watch: (server) => countConnections(server, meters),
    holds: (isHeld) => {
      lease.isHeld = isHeld;
      lease.wasHeld ||= isHeld;
    },
    [Symbol.dispose]: () => {
      unheard();
      pulse.stop();
    },
  };
}

interface Lease {
  isHeld: boolean;
  wasHeld: boolean;
}

/** Slower than this, somebody waits who should not. */
const SLOW = { storeMs: 1_000, lagMs: 500 };

function* ailments(
  { silentMs, storeMs, lagMs }: GaugeReadings,
  { isHeld, wasHeld }: Lease,
  problem: string | undefined,
): Generator<Ailment> {
  if (silentMs() > LIMITS.storeSilenceMs.value) yield 'store_silent';
  if (storeMs !== undefined && storeMs > SLOW.storeMs) yield 'store_slow';
  if (lagMs > SLOW.lagMs) yield 'event_loop_slow';
  if (problem !== undefined) yield 'settings_problem';
  if (!isHeld) yield wasHeld ? 'no_engine' : 'starting';
}

function* storeAilments({ condition, disk }: Observable): Generator<Ailment> {
  const found = condition.current();
  if (found) yield found.ailment;
  // A disk that is full is also low.
  if (found?.ailment !== 'disk_full' && disk.seen()) yield 'disk_low';
}

function healthOf(
  { storeMs, silentMs, lagMs, busy }: GaugeReadings,
  found: Iterable<Ailment>,
  { isHeld, upMs }: { readonly isHeld: boolean; readonly upMs: number },
): HealthAnswer {
  const reasons = [...found];
  return {
    status: reasons.length === 0 ? 'ok' : 'degraded',
    reasons,
    version: VERSION,
    uptimeSeconds: Math.floor(upMs / 1_000),
    engine: isHeld,
    eventLoop: { lagMs: rounded(lagMs), busy: rounded(busy) },
    store: {
      ...(storeMs === undefined ? {} : { latencyMs: rounded(storeMs) }),
      answeredSecondsAgo: rounded(silentMs() / 1_000),
    },
  };
}

function detailsOf({ paths, settings, condition, disk }: Observable, { gauge }: GaugeReadings): Record<string, unknown> {
  const short = disk.seen();
  const { problem } = settings.current();
  return {
    home: paths.path,
    pid: process.pid,
    node: process.version,
    ...(problem === undefined ? {} : { settingsProblem: problem }),
    ...(condition.current() === undefined ? {} : { store: condition.current() }),
    ...(short === undefined ? {} : { disk: { ...short, says: shortageText(short) } }),
    ...(gauge ? { counted: { at: gauge.at, tasks: gauge.counts, questions: gauge.questions ?? 0 } } : {}),
  };
}

const rounded = (value: number): number => Math.round(value * 1_000) / 1_000;
