import { readdirSync } from 'node:fs';
import { msOf } from '../../domain/values.ts';
import type { SettingsSource } from '../settings/open-settings.ts';
import { VERSION } from '../version.ts';
import type { Meters } from './meters.ts';
import type { GaugeReadings } from './pulse.ts';

interface Gathered {
  readonly settings: Pick<SettingsSource, 'current'>;
  readonly pulse: GaugeReadings;
  readonly isHeld: boolean;
  readonly now: number;
}

/** What is not counted as it happens is read when somebody asks: from memory, never from the store. */
export function gather(meters: Meters, { settings, pulse, isHeld, now }: Gathered): void {
  const { gauge } = pulse;
  meters.set('fleet_info', 1, { version: VERSION });
  meters.set('fleet_engine_lease', isHeld ? 1 : 0);
  meters.set('fleet_settings_problem', settings.current().problem === undefined ? 0 : 1);
  const tasks = Object.entries(gauge?.counts ?? {}).map(([phase, value]) => ({ value, labels: { phase } }));
  meters.replace('fleet_tasks', tasks);
  const since = (at: string) => Math.max(0, now - msOf(at)) / 1_000;
  const counted = (value: number | undefined) => (value === undefined ? [] : [{ value }]);
  meters.replace('fleet_count_age_seconds', gauge ? [{ value: since(gauge.at) }] : []);
  const oldest = gauge?.oldestReady;
  meters.replace('fleet_ready_oldest_seconds', gauge ? [{ value: oldest === undefined ? 0 : since(oldest) }] : []);
  const live = (gauge?.live ?? []).map(({ count, ...labels }) => ({ value: count, labels }));
  meters.replace('fleet_runs_live', live);
  meters.replace('fleet_questions_pending', counted(gauge?.questions));
  meters.set('fleet_store_answer_age_seconds', pulse.silentMs() / 1_000);
  meters.set('fleet_event_loop_lag_seconds', pulse.lagMs / 1_000);
  meters.set('fleet_event_loop_busy_ratio', pulse.busy);
  gatherProcess(meters, now);
}

/** Under the names every Prometheus client gives them. */
function gatherProcess(meters: Meters, now: number): void {
  const { user, system } = process.cpuUsage();
  const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
  meters.set('process_start_time_seconds', Math.round(now / 1_000 - process.uptime()));
  meters.total('process_cpu_seconds_total', user / 1e6, { mode: 'user' });
  meters.total('process_cpu_seconds_total', system / 1e6, { mode: 'system' });
  meters.set('process_resident_memory_bytes', rss);
  meters.replace('process_open_fds', openFiles());
  meters.set('nodejs_heap_size_total_bytes', heapTotal);
  meters.set('nodejs_heap_size_used_bytes', heapUsed);
  meters.set('nodejs_external_memory_bytes', external);
  meters.set('nodejs_version_info', 1, { version: process.version });
}

function openFiles(): { value: number }[] {
  try {
    return [{ value: readdirSync('/proc/self/fd').length }];
  } catch {
    return []; // not every system tells
  }
}
