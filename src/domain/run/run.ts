import { z } from 'zod';
import { Instant, Name, RunId, TaskId } from '../values.ts';

export const RUN_KINDS = ['agent', 'setup', 'gate', 'judge'] as const;

/** How a run ended. Distinct reasons, because what follows differs by reason. */
export const OUTCOMES = [
  'succeeded',
  'no_changes',
  'blocked',
  'crashed',
  'stalled',
  'timed_out',
  'rate_limited',
  'context_full',
  'over_budget',
  'output_limit',
  'refused',
  'auth_required',
  'canceled',
  'lost',
] as const;
export const Outcome = z.enum(OUTCOMES);
export type Outcome = z.infer<typeof Outcome>;

export const RunPhase = z.discriminatedUnion('state', [
  z.strictObject({ state: z.literal('claimed'), since: Instant }),
  z.strictObject({ state: z.literal('ended'), at: Instant, outcome: Outcome, detail: z.string().optional() }),
]);
export type RunPhase = z.infer<typeof RunPhase>;

/** One supervised attempt at a task. */
export const Run = z.strictObject({
  id: RunId,
  seq: z.int().min(1),
  taskId: TaskId,
  kind: z.enum(RUN_KINDS),
  attempt: z.int().min(1),
  executor: Name,
  model: z.string().optional(),
  host: z.string(),
  /** The limited scopes it occupies until its process tree is gone. */
  holds: z.array(z.string()),
  phase: RunPhase,
  createdAt: Instant,
  updatedAt: Instant,
});
export type Run = z.infer<typeof Run>;
