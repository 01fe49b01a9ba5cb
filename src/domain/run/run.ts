import { z } from 'zod';
import { VERDICTS } from '../agent/executor.ts';
import { LIMITS } from '../limits.ts';
import { EFFORTS } from '../task/task.ts';
import { Instant, Name, QuestionId, RunId, TaskId, WorkspaceId } from '../values.ts';
import { Turn, Usage } from './usage.ts';

export const RUN_KINDS = ['agent', 'setup', 'gate', 'judge'] as const;

/** How a run ended. Distinct reasons, because what follows differs by reason. */
export const OUTCOMES = [
  'succeeded',
  'no_changes',
  'blocked',
  'failed',
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

/** A process that cannot be mistaken for another. */
export const ProcessId = z.strictObject({ pid: z.int(), started: z.string() });

export const RunPhase = z.discriminatedUnion('state', [
  z.strictObject({ state: z.literal('claimed'), since: Instant }),
  z.strictObject({ state: z.literal('running'), since: Instant, boot: z.string(), shim: ProcessId, agent: ProcessId }),
  /** It has been decided that it must end, and how that will be called; its processes may still be there. */
  z.strictObject({ state: z.literal('ending'), since: Instant, outcome: Outcome, why: z.string() }),
  z.strictObject({
    state: z.literal('ended'),
    at: Instant,
    outcome: Outcome,
    detail: z.string().optional(),
    exit: z.int().optional(),
  }),
]);
export type RunPhase = z.infer<typeof RunPhase>;

/** What was last seen of a run: where its output was read to, and what that meant. Committed together, so it is always one truth. */
export const Watch = z.strictObject({
  /** Bytes of its output that have been read. */
  offset: z.int().min(0),
  /** Inside a line that was too long: what comes until its end is passed over. */
  skipping: z.boolean(),
  /** State of the executor's reducer at that offset. */
  state: z.unknown(),
  /** What must have been sent to it: everything before `at` has been, `tail` begins there. */
  outbox: z.strictObject({ at: z.int().min(0), tail: z.string() }),
  session: z.string().optional(),
  usage: Usage.optional(),
  /** How often it has said what it spent, and when it last did: each ends a turn. */
  turns: z
    .strictObject({
      count: z.int().min(1),
      ends: z.array(Instant).max(LIMITS.turnsKept.value),
      /** What each of the newest took. */
      spent: z.array(Turn).max(LIMITS.turnsKept.value).optional(),
    })
    .optional(),
  /** How full its window is; an estimate where the program does not say. */
  context: z.strictObject({ tokens: z.int(), limit: z.int().optional(), estimate: z.literal(true).optional() }).optional(),
  lines: z.int().min(0),
  events: z.int().min(0),
  droppedBytes: z.int().min(0),
  lastWords: z.string(),
  openTools: z.array(z.string()).max(LIMITS.argsPerTask.value),
  /** Requests of the agent that wait for a person. */
  asks: z.array(z.strictObject({ request: z.string(), questionId: QuestionId })).max(LIMITS.questionOptions.value),
  limitedUntil: z.string().optional(),
  verdict: z.enum([...VERDICTS, 'limited']).optional(),
  /** It has been told that nothing more will be said to it. */
  inputEnded: z.boolean().optional(),
  /** Lines its executor has never heard of. */
  unknownLines: z.int().min(0).optional(),
  /** Its executor has failed: nothing more can be known of it. */
  failed: z.string().optional(),
  /** How much of each window of its account is used. */
  quota: z
    .array(z.strictObject({ window: z.string(), used: z.number(), resets: z.string().optional() }))
    .max(LIMITS.quotaWindows.value)
    .optional(),
  summary: z.string().optional(),
  report: z.unknown().optional(),
  /** When it last showed any sign of life. */
  signAt: Instant,
  /** How long it has been running, by a clock that does not jump. */
  activeMs: z.int().min(0),
});
export type Watch = z.infer<typeof Watch>;

export const Chore = z.strictObject({
  command: z.string(),
  directory: z.string(),
  workspaceId: WorkspaceId.optional(),
  timeoutSeconds: z.int().min(1),
});

/** One supervised attempt at a task. */
export const Run = z.strictObject({
  id: RunId,
  seq: z.int().min(1),
  taskId: TaskId,
  kind: z.enum(RUN_KINDS),
  attempt: z.int().min(1),
  executor: Name,
  model: z.string().optional(),
  /** How hard its model was asked to think; runs of older versions do not say. */
  effort: z.enum(EFFORTS).optional(),
  /** The account of its provider, where it is not the default one. */
  account: Name.optional(),
  host: z.string(),
  /** The limited scopes it occupies until its process tree is gone. */
  holds: z.array(z.string()),
  /** Where it works. */
  directory: z.string().optional(),
  /** What a run that is no agent is for: a command of the project, and where it is carried out. */
  chore: Chore.optional(),
  phase: RunPhase,
  watch: Watch.optional(),
  /** Why its work could not be kept, and where its files are. */
  unkept: z.string().optional(),
  /** Since then its output is gone: it was too old, or there was too much. */
  outputRemovedAt: Instant.optional(),
  createdAt: Instant,
  updatedAt: Instant,
});
export type Run = z.infer<typeof Run>;
