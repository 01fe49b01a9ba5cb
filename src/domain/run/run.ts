import { z } from 'zod';
import { VERDICTS } from '../agent/executor.ts';
import { LIMITS } from '../limits.ts';
import { EFFORTS } from '../task/task.ts';
import { Instant, Name, QuestionId, RunId, TaskId, WorkspaceId } from '../values.ts';
import { Turn, Usage } from './usage.ts';

export const RUN_KINDS = ['agent', 'setup', 'gate', 'judge'] as const;

/** How a run ended. Outcomes are distinct where the task goes on differently. */
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

/** A process by number and start time, so that a reused number is not mistaken for it. */
export const ProcessId = z.strictObject({ pid: z.int(), started: z.string() });

export const RunPhase = z.discriminatedUnion('state', [
  z.strictObject({ state: z.literal('claimed'), since: Instant }),
  z.strictObject({ state: z.literal('running'), since: Instant, boot: z.string(), shim: ProcessId, agent: ProcessId }),
  /** The end and its outcome are decided; processes of the run may still be there. */
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

/** The observed state of a run: how far its output was read, and what the output meant. One commit writes all of it. */
export const Watch = z.strictObject({
  /** Bytes of output that have been read. */
  offset: z.int().min(0),
  /** The offset is inside an overlong line, whose rest is skipped. */
  skipping: z.boolean(),
  /** State of the executor's reducer at that offset. */
  state: z.unknown(),
  /** The input to send: all bytes before `at` were sent, `tail` begins at `at`. */
  outbox: z.strictObject({ at: z.int().min(0), tail: z.string() }),
  session: z.string().optional(),
  usage: Usage.optional(),
  /** The turns of the agent: each report of used tokens ends one. */
  turns: z
    .strictObject({
      count: z.int().min(1),
      ends: z.array(Instant).max(LIMITS.turnsKept.value),
      /** The usage of the newest turns. */
      spent: z.array(Turn).max(LIMITS.turnsKept.value).optional(),
    })
    .optional(),
  /** How full the window is; an estimate if the program does not report it. */
  context: z.strictObject({ tokens: z.int(), limit: z.int().optional(), estimate: z.literal(true).optional() }).optional(),
  lines: z.int().min(0),
  events: z.int().min(0),
  droppedBytes: z.int().min(0),
  lastWords: z.string(),
  openTools: z.array(z.string()).max(LIMITS.argsPerTask.value),
  /** Requests of the agent that wait for a person's answer. */
  asks: z.array(z.strictObject({ request: z.string(), questionId: QuestionId })).max(LIMITS.questionOptions.value),
  limitedUntil: z.string().optional(),
  verdict: z.enum([...VERDICTS, 'limited']).optional(),
  /** The agent's input was closed. */
  inputEnded: z.boolean().optional(),
  /** How many lines the executor did not know. */
  unknownLines: z.int().min(0).optional(),
  /** How the executor failed. Then nothing more can be known of the run. */
  failed: z.string().optional(),
  /** The used share of each quota window of the account. */
  quota: z
    .array(z.strictObject({ window: z.string(), used: z.number(), resets: z.string().optional() }))
    .max(LIMITS.quotaWindows.value)
    .optional(),
  summary: z.string().optional(),
  report: z.unknown().optional(),
  /** When the run last showed a sign of life. */
  signAt: Instant,
  /** How long the run has been running, by a clock that does not jump. */
  activeMs: z.int().min(0),
});
export type Watch = z.infer<typeof Watch>;

export const ProjectCommand = z.strictObject({
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
  /** The effort asked of the model; absent in runs of older versions. */
  effort: z.enum(EFFORTS).optional(),
  /** The account at the provider, if not the default one. */
  account: Name.optional(),
  host: z.string(),
  /** The limited scopes the run occupies until its process tree is gone. */
  holds: z.array(z.string()),
  /** The work directory. */
  directory: z.string().optional(),
  /** For a run that is no agent: the project's command and where to run it. */
  chore: ProjectCommand.optional(),
  phase: RunPhase,
  watch: Watch.optional(),
  /** Why the work could not be kept, and where the files are. */
  unkept: z.string().optional(),
  /** When pruning removed the output, for its age or for the total size of outputs. */
  outputRemovedAt: Instant.optional(),
  createdAt: Instant,
  updatedAt: Instant,
});
export type Run = z.infer<typeof Run>;
