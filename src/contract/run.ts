import { z } from 'zod';
import { LIMITS } from '../domain/limits.ts';
import { RUN_HEALTHS } from '../domain/run/health.ts';
import { Run } from '../domain/run/run.ts';
import { Instant, Name, Path, RunId, TaskId } from '../domain/values.ts';
import { operation } from './operation.ts';
import { page, paged, Ref, TaskView } from './shapes.ts';

/** A run as callers see it: without the internal state of its executor. */
export const RunView = Run.extend({
  host: z.string().describe('what people call the machine it runs on'),
  hostId: z.string().describe('the id of that machine, which no change of its name changes'),
  watch: Run.shape.watch.unwrap().omit({ state: true, outbox: true, skipping: true }).optional(),
  /** The health of a run that is not over. */
  health: z.enum(RUN_HEALTHS).optional(),
});
export type RunView = z.infer<typeof RunView>;

export const listRuns = operation({
  name: 'run.list',
  kind: 'query',
  ofRows: true,
  role: 'monitor',
  summary: 'List the runs of a task, or of all tasks, newest first.',
  input: z.strictObject({ task: Ref.optional().describe('only runs of this task'), limit: paged.limit }),
  output: page(RunView),
  faults: ['not_found', 'unavailable'],
});

export const showRun = operation({
  name: 'run.show',
  kind: 'query',
  ofRows: true,
  role: 'monitor',
  summary: 'Show everything about one run.',
  input: z.strictObject({ id: Ref }),
  output: RunView,
  faults: ['not_found', 'unavailable'],
});

const LogLine = z.strictObject({
  /** Byte offset of the end of this line, from which to read on. */
  at: z.int(),
  text: z.string(),
  dropped: z.int().optional(),
});

const logInput = {
  stream: z.enum(['out', 'err']).default('out').describe('which output stream'),
  after: z.int().min(0).default(0).describe('start after this many bytes'),
  last: z.int().min(1).max(LIMITS.logTailLines.value).optional().describe('only this many of the last lines'),
  limit: z.int().min(1).max(2_000).default(500).describe('maximum number of lines'),
};

const Log = z.strictObject({
  runId: RunId.optional(),
  items: z.array(LogLine),
  next: z.int(),
  /** Whether the run is over and all its output was returned. */
  ended: z.boolean(),
  /** When pruning removed the output. */
  removedAt: Instant.optional(),
});

export const runLog = operation({
  name: 'run.log',
  kind: 'query',
  role: 'monitor',
  summary: 'Read the output of a run from any point: every line once, with secrets removed.',
  input: z.strictObject({ id: Ref, ...logInput }),
  output: Log,
  faults: ['not_found', 'forbidden', 'unavailable'],
});

export const taskLog = operation({
  name: 'task.log',
  kind: 'query',
  role: 'monitor',
  summary: "Read the output of a task's newest run: every line once, with secrets removed.",
  input: z.strictObject({ id: Ref, ...logInput }),
  output: Log,
  faults: ['not_found', 'forbidden', 'unavailable'],
});

export const openTask = operation({
  name: 'task.open',
  kind: 'query',
  role: 'admin',
  summary: "Continue the conversation of a task's agent yourself, in the agent's own program.",
  input: z.strictObject({ id: Ref, files: Path.describe('directory for the files the program needs') }),
  output: z.strictObject({
    taskId: TaskId,
    /** The run of the conversation. */
    runId: RunId,
    executor: Name,
    /** The work directory of the program. */
    directory: Path,
    command: z.string(),
    args: z.array(z.string()),
    /** Variables to add to the caller's environment. They hold no secret. */
    env: z.record(z.string(), z.string()),
    files: z.array(z.strictObject({ name: z.string(), text: z.string() })),
    /** Where the files must be when the program starts. */
    filesIn: Path,
  }),
  faults: ['not_found', 'conflict', 'unavailable'],
});

export const cancelRun = operation({
  name: 'run.cancel',
  kind: 'command',
  role: 'team-lead',
  summary: 'Cancel a run and its task; the work is kept.',
  input: z.strictObject({ id: Ref }),
  output: TaskView,
  faults: ['not_found', 'conflict', 'unavailable'],
});
