import { z } from 'zod';
import { Instant } from '../../domain/values.ts';
import { records } from './record.ts';

/** Changes to existing dependencies pass through this row one at a time, so two of them cannot close a cycle together. */
const Graph = z.strictObject({ id: z.literal('edges'), changes: z.int().min(0) });
export const graph = records<z.infer<typeof Graph>>({ kind: 'graph', schema: Graph, idOf: ({ id }) => id, entriesOf: () => [] });

/** Who may act as the engine of this home: one process, by its whole identity. */
export const Lease = z.strictObject({
  id: z.string(),
  host: z.string(),
  boot: z.string(),
  pid: z.int(),
  started: z.string(),
  /** Renewed long before this; another host may take it only after. */
  until: Instant,
  since: Instant,
});
export type Lease = z.infer<typeof Lease>;
export const leases = records<Lease>({ kind: 'lease', schema: Lease, idOf: ({ id }) => id, entriesOf: () => [] });

/** Counts from a background scan, with the moment they were true. */
export const Gauge = z.strictObject({
  id: z.string(),
  at: Instant,
  /** Tasks by phase. */
  counts: z.record(z.string(), z.int().min(0)),
  /** Since when the task that has been queued longest has been. */
  oldestReady: Instant.optional(),
  /** Runs of this host that have not ended. */
  live: z.array(z.strictObject({ executor: z.string(), kind: z.string(), count: z.int().min(1) })).optional(),
  questions: z.int().min(0).optional(),
});
export type Gauge = z.infer<typeof Gauge>;
export const gauges = records<Gauge>({ kind: 'gauge', schema: Gauge, idOf: ({ id }) => id, entriesOf: () => [] });
