import { z } from 'zod';
import { ExecutorRef } from '../domain/hold/executor-ref.ts';
import { LIMITS } from '../domain/limits.ts';
import { PacketReport, PacketTask } from '../domain/run/packet.ts';
import { Outcome } from '../domain/run/run.ts';
import { TASK_KINDS, Task } from '../domain/task/task.ts';
import { Instant, LongText, RunId, TaskId, Title, text } from '../domain/values.ts';
import { REPORT_STATUSES, Report } from '../domain/work/report.ts';
import { operation } from './operation.ts';
import { QuestionView, Ref, TaskView } from './shapes.ts';

/* Operations that an agent's run calls for itself. People may call most of them too. */

export const RunContext = z.strictObject({
  runId: RunId,
  attempt: z.int(),
  executor: z.string(),
  task: z.strictObject({
    id: TaskId,
    title: z.string(),
    prompt: z.string(),
    acceptance: z.string().optional(),
    kind: z.enum(TASK_KINDS),
    expectsChanges: z.boolean(),
    branch: z.string().optional(),
    base: z.string().optional(),
    /** How many levels of parts may still be created below the task, and how many parts it may still have. */
    depthLeft: z.int().min(0),
    partsLeft: z.int().min(0),
    /** Number of messages that wait in the inbox. */
    unheard: z.int().min(0),
  }),
  project: z.strictObject({ name: z.string(), targetBranch: z.string().optional(), verify: z.string().optional() }).optional(),
  directory: z.string().optional(),
  team: z.string().optional(),
  /** Directory of the notes that outlive a run. */
  notes: z.string(),
  parent: z.strictObject({ taskId: TaskId, title: z.string(), prompt: z.string() }).optional(),
  dependencies: z.array(PacketTask),
  /** Finished reviews of the task's own work. */
  reviews: z.array(PacketTask),
  /** Dependencies and reviews that did not fit. */
  leftOut: z.array(TaskId),
  /** The newest report of an earlier run of this task. */
  lastReport: PacketReport.optional(),
  /** Finished tasks of the same project, newest first. */
  recent: z.array(PacketTask),
  /** Earlier agent runs of this task, newest first. */
  earlier: z.array(
    z.strictObject({ runId: RunId, attempt: z.int(), outcome: Outcome.optional(), detail: z.string().optional(), at: Instant }),
  ),
  questions: z.array(QuestionView),
});
export type RunContext = z.infer<typeof RunContext>;

export const runContext = operation({
  name: 'run.context',
  kind: 'query',
  role: 'monitor',
  summary: 'Show the context of a run: its task, project, notes, dependencies, earlier runs and answers.',
  input: z.strictObject({ id: Ref.optional().describe('the run; an agent may leave it out to mean its own') }),
  output: RunContext,
  faults: ['invalid', 'not_found', 'unavailable'],
});

const lines = (what: string) =>
  z.array(text(LIMITS.messageBytes.value)).max(LIMITS.pageItems.value).default([]).describe(`${what}; may be repeated`);

export const submitReport = operation({
  name: 'report.submit',
  kind: 'command',
  role: 'admin',
  summary: 'Hand in the report of your own run; a later report replaces an earlier one.',
  input: z.strictObject({
    status: z.enum(REPORT_STATUSES).exclude(['unknown']).describe('the result'),
    summary: LongText.refine((value) => value.trim() !== '', 'is empty: say what was done').describe('what was done, in words'),
    done: lines('one thing that is done'),
    open: lines('one thing that is left to do'),
    tested: lines('one thing that was tested'),
    untested: lines('one thing that was not tested'),
    tests: z
      .array(
        z.strictObject({
          command: text(LIMITS.messageBytes.value),
          status: text(LIMITS.messageBytes.value),
          details: text(LIMITS.messageBytes.value).optional(),
        }),
      )
      .max(LIMITS.pageItems.value)
      .default([])
      .describe('the tests that were run, as JSON: command, status and details of each'),
    files: lines('a changed file; Fleet checks it with git'),
    commits: lines('a commit; Fleet checks it with git'),
    nextSteps: lines('one thing to do next'),
    errors: lines('one thing that went wrong'),
    previewUrl: text(LIMITS.pathBytes.value).optional().describe('URL at which the result can be seen'),
  }),
  output: Report,
  faults: ['invalid', 'forbidden', 'not_found', 'conflict', 'unavailable'],
});

export const readInbox = operation({
  name: 'inbox.read',
  kind: 'command',
  role: 'worker',
  summary: 'Read the unread messages of a task; an agent gets each of them once.',
  input: z.strictObject({
    task: Ref.optional().describe('the task; an agent may leave it out to mean its own'),
    after: z.int().min(0).default(0).describe('only messages after the one with this number'),
    peek: z.boolean().default(false).describe('leave the messages unread'),
  }),
  output: z.strictObject({ taskId: TaskId, items: z.array(Task.shape.messages.unwrap().element) }),
  faults: ['invalid', 'not_found', 'forbidden', 'conflict', 'unavailable'],
});

export const reviewTask = operation({
  name: 'task.review',
  kind: 'command',
  role: 'team-lead',
  summary: "Create a review of a task's work; the review starts when the work is finished.",
  input: z.strictObject({
    id: Ref.optional().describe('the task to review; an agent may leave it out to mean its own'),
    text: LongText.optional().describe('what the reviewer should look at'),
    executor: z
      .array(ExecutorRef)
      .max(LIMITS.executorsPerTask.value)
      .optional()
      .describe('executor of the review; repeat for a fail-over list'),
    model: Title.optional().describe('model, as that executor names it'),
  }),
  output: TaskView,
  faults: ['invalid', 'not_found', 'forbidden', 'conflict', 'limit', 'unavailable'],
});
