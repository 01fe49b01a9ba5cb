import { z } from 'zod';
import { ExecutorRef } from '../domain/hold/executor-ref.ts';
import { LIMITS } from '../domain/limits.ts';
import { ToldReport, ToldTask } from '../domain/run/packet.ts';
import { Outcome } from '../domain/run/run.ts';
import { TASK_KINDS, Task } from '../domain/task/task.ts';
import { Instant, LongText, RunId, TaskId, Title, text } from '../domain/values.ts';
import { REPORT_STATUSES, Report } from '../domain/work/report.ts';
import { operation } from './operation.ts';
import { QuestionView, Ref, TaskView } from './shapes.ts';

/* What the run of an agent asks for on its own behalf. People may look at most of it. */

export const Context = z.strictObject({
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
    /** How many levels of parts may still be made below it, and how many parts it may still have. */
    depthLeft: z.int().min(0),
    partsLeft: z.int().min(0),
    /** Messages that wait in its inbox. */
    unheard: z.int().min(0),
  }),
  project: z.strictObject({ name: z.string(), targetBranch: z.string().optional(), verify: z.string().optional() }).optional(),
  directory: z.string().optional(),
  team: z.string().optional(),
  /** Directory of the notes that outlive a run. */
  notes: z.string(),
  parent: z.strictObject({ taskId: TaskId, title: z.string(), prompt: z.string() }).optional(),
  dependencies: z.array(ToldTask),
  /** Finished reviews of its own work. */
  reviews: z.array(ToldTask),
  /** Dependencies and reviews of which nothing is told here. */
  leftOut: z.array(TaskId),
  /** What an earlier run of this task reported last. */
  lastReport: ToldReport.optional(),
  /** Finished tasks of the same project, newest first. */
  recent: z.array(ToldTask),
  /** Runs of agents on this task before this one, newest first. */
  earlier: z.array(
    z.strictObject({ runId: RunId, attempt: z.int(), outcome: Outcome.optional(), detail: z.string().optional(), at: Instant }),
  ),
  questions: z.array(QuestionView),
});
export type Context = z.infer<typeof Context>;

export const runContext = operation({
  name: 'run.context',
  kind: 'query',
  role: 'monitor',
  summary: 'Tell a run everything it needs: its task, project, notes, dependencies, earlier runs and answers.',
  input: z.strictObject({ id: Ref.optional().describe('the run; its own for an agent') }),
  output: Context,
  faults: ['invalid', 'not_found', 'unavailable'],
});

const lines = (what: string) =>
  z.array(text(LIMITS.messageBytes.value)).max(LIMITS.pageItems.value).default([]).describe(`${what}; may be repeated`);

export const submitReport = operation({
  name: 'report.submit',
  kind: 'command',
  role: 'admin',
  summary: 'Hand in the report of your own run; a later one takes the place of an earlier one.',
  input: z.strictObject({
    status: z.enum(REPORT_STATUSES).exclude(['unknown']).describe('how it went'),
    summary: LongText.refine((value) => value.trim() !== '', 'is empty: say what was done').describe('what was done, in words'),
    done: lines('something that is done'),
    open: lines('something that is left to do'),
    tested: lines('something that was tested'),
    untested: lines('something that was not tested'),
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
      .describe('tests that were run, as JSON: command, status and details of each'),
    files: lines('a file that was changed; git is asked'),
    commits: lines('a commit that was made; git is asked'),
    nextSteps: lines('what could be done next'),
    errors: lines('something that went wrong'),
    previewUrl: text(LIMITS.pathBytes.value).optional().describe('where the result can be looked at'),
  }),
  output: Report,
  faults: ['invalid', 'forbidden', 'not_found', 'conflict', 'unavailable'],
});

export const readInbox = operation({
  name: 'inbox.read',
  kind: 'command',
  role: 'worker',
  summary: 'Read the messages of a task that its agent has not heard; an agent gets each of them once.',
  input: z.strictObject({
    task: Ref.optional().describe('the task; its own for an agent'),
    after: z.int().min(0).default(0).describe('only messages after the one with this number'),
    peek: z.boolean().default(false).describe('look, and leave them unheard'),
  }),
  output: z.strictObject({ taskId: TaskId, items: z.array(Task.shape.messages.unwrap().element) }),
  faults: ['invalid', 'not_found', 'forbidden', 'conflict', 'unavailable'],
});

export const reviewTask = operation({
  name: 'task.review',
  kind: 'command',
  role: 'team-lead',
  summary: "Ask for a review of a task's work; it begins when the work is finished.",
  input: z.strictObject({
    id: Ref.optional().describe('the task to review; its own for an agent'),
    text: LongText.optional().describe('what to look at'),
    executor: z
      .array(ExecutorRef)
      .max(LIMITS.executorsPerTask.value)
      .optional()
      .describe('which agent reviews it; repeat for a fail-over list'),
    model: Title.optional().describe("model, in that executor's own words"),
  }),
  output: TaskView,
  faults: ['invalid', 'not_found', 'forbidden', 'conflict', 'limit', 'unavailable'],
});
