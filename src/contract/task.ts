import { z } from 'zod';
import { LIMITS } from '../domain/limits.ts';
import { TaskSpec } from '../domain/task/task.ts';
import { Name, Path, Prompt, TaskId, text } from '../domain/values.ts';
import { operation } from './operation.ts';
import { EntryView, ifSeq, PhaseName, ProjectRef, page, paged, Ref, TaskView } from './shapes.ts';

const wish = TaskSpec.shape;
const message = text(LIMITS.messageBytes.value).refine((value) => value.trim() !== '', 'is empty: say something');

/** The fields of a task that a caller may set. `create` fills missing ones from project and settings, `edit` leaves them alone. */
const wishes = {
  title: wish.title.describe('short name; by default the first line of the prompt'),
  prompt: Prompt.describe('what the agent is to do, in full'),
  acceptance: wish.acceptance.describe('how to tell that the task is done'),
  baseRef: wish.baseRef.describe('branch or commit the work starts from'),
  targetBranch: wish.targetBranch.describe('branch the work lands on'),
  priority: wish.priority.describe('0 runs first, 9 last; one step counts as ten minutes of waiting'),
  tag: wish.tags.describe('word to find the task by; may be repeated'),
  kind: wish.kind.describe('kind of work'),
  expectsChanges: wish.expectsChanges.describe('whether finished work must contain a change'),
  executor: wish.executors.describe('executor that does the task; repeat for a fail-over list'),
  failover: wish.failover.describe('next: move on to the next executor of the list while the present one is paused'),
  model: wish.model.describe('model, as that executor names it'),
  effort: wish.effort.describe('how hard the model should think'),
  preset: wish.preset.describe('which set of tools the agent may use'),
  tool: wish.tools.describe('one allowed tool, instead of a preset; may be repeated'),
  systemPrompt: wish.systemPrompt.describe('text to add to the system prompt of the agent'),
  extraArg: wish.extraArgs.describe('extra argument for the agent program; may be repeated'),
  contextMode: wish.contextMode.describe('attach the context-mode server, which must be installed'),
  sandbox: wish.sandbox.describe('run the agent in a sandbox'),
  maxTurns: wish.maxTurns.describe('maximum number of turns of the agent, over all runs'),
  maxBudgetUsd: wish.maxBudgetUsd.describe('maximum dollars, over all runs'),
  maxTokens: wish.maxTokens.describe('maximum tokens read and written, over all runs'),
  timeoutSeconds: wish.timeoutSeconds.describe('maximum seconds, over all attempts; no limit by default'),
  maxAttempts: wish.maxAttempts.describe('maximum number of attempts if runs crash, stall or are lost'),
  integration: wish.integration.describe('what happens to the finished work'),
  isolation: wish.isolation.describe('where the agent works'),
  strategy: wish.strategy.describe(
    'inherit: start from the unlanded work of dependencies too; new: from the target branch alone',
  ),
  push: wish.push.describe('push the target branch after landing'),
  assignee: wish.assignee.describe('person or agent the task is meant for'),
  team: wish.team.describe('team the task belongs to'),
  after: z.array(Ref).max(LIMITS.dependencies.value).describe('task that must be done first; may be repeated'),
  notBefore: wish.notBefore.describe('earliest start, like 2030-01-31T12:00:00.000Z'),
  metadata: wish.metadata.describe('JSON object of your own'),
};

/** The same fields, all optional. */
const optional = Object.fromEntries(Object.entries(wishes).map(([name, schema]) => [name, schema.optional()])) as {
  [Name in keyof typeof wishes]: z.ZodOptional<(typeof wishes)[Name]>;
};

export const createTask = operation({
  name: 'task.create',
  kind: 'command',
  role: 'worker',
  summary: 'Create a task and queue it.',
  input: z.strictObject({
    ...optional,
    prompt: wishes.prompt,
    project: ProjectRef.optional(),
    directory: Path.optional().describe('plain directory to work in, in place, instead of a project'),
    parent: Ref.optional().describe('task that this one is a part of'),
    draft: z.boolean().default(false).describe('keep the task as a draft until it is dispatched'),
  }),
  output: TaskView,
  exact: true,
  faults: ['invalid', 'not_found', 'forbidden', 'conflict', 'limit', 'unavailable'],
});

export const editTask = operation({
  name: 'task.edit',
  kind: 'command',
  role: 'team-lead',
  summary: 'Change the fields of a task; a running agent is not disturbed.',
  input: z.strictObject({
    id: Ref,
    ...optional,
    project: ProjectRef.optional(),
    clear: z
      .array(
        z.enum([
          'acceptance',
          'baseRef',
          'targetBranch',
          'failover',
          'model',
          'effort',
          'preset',
          'tool',
          'systemPrompt',
          'contextMode',
          'sandbox',
          'maxTurns',
          'maxBudgetUsd',
          'maxTokens',
          'timeoutSeconds',
          'integration',
          'isolation',
          'strategy',
          'push',
          'assignee',
          'team',
          'notBefore',
          'after',
          'tag',
          'extraArg',
          'metadata',
        ]),
      )
      .default([])
      .describe('field to clear; may be repeated'),
    ifSeq,
  }),
  output: TaskView,
  faults: ['invalid', 'not_found', 'forbidden', 'conflict', 'limit', 'unavailable'],
});

export const deleteTask = operation({
  name: 'task.delete',
  kind: 'command',
  role: 'team-lead',
  summary: 'Delete a task and its history, if nothing works on it or waits for it.',
  input: z.strictObject({ id: Ref, ifSeq }),
  output: z.strictObject({ id: TaskId, deleted: z.literal(true) }),
  faults: ['not_found', 'conflict', 'unavailable'],
});

export const listTasks = operation({
  name: 'task.list',
  kind: 'query',
  ofRows: true,
  role: 'monitor',
  summary: 'List tasks, newest first.',
  input: z.strictObject({
    project: ProjectRef.optional(),
    state: z.array(PhaseName).optional().describe('only tasks in this phase; may be repeated'),
    tag: z.string().optional().describe('only tasks with this tag'),
    assignee: Name.optional().describe('only tasks of this assignee'),
    team: Name.optional().describe('only tasks of this team'),
    parent: Ref.optional().describe('only parts of this task'),
    ...paged,
  }),
  output: page(TaskView),
  faults: ['invalid', 'not_found', 'unavailable'],
});

export const readyTasks = operation({
  name: 'task.ready',
  kind: 'query',
  ofRows: true,
  role: 'monitor',
  summary: 'List the tasks that could start now, in order.',
  input: z.strictObject({ limit: paged.limit }),
  output: page(TaskView),
  faults: ['unavailable'],
});

export const showTask = operation({
  name: 'task.show',
  kind: 'query',
  ofRows: true,
  exact: true,
  role: 'monitor',
  summary: 'Show everything about one task.',
  input: z.strictObject({ id: Ref }),
  output: TaskView,
  faults: ['not_found', 'unavailable'],
});

export const taskEvents = operation({
  name: 'task.events',
  kind: 'query',
  ofRows: true,
  role: 'monitor',
  summary: 'Show the history of a task: who changed what, when and why.',
  input: z.strictObject({
    id: Ref,
    after: z.int().min(0).default(0).describe('start after the event with this number'),
    limit: paged.limit,
  }),
  output: z.strictObject({ items: z.array(EntryView), next: z.int() }),
  faults: ['not_found', 'unavailable'],
});

export const dispatchTask = operation({
  name: 'task.dispatch',
  kind: 'command',
  role: 'team-lead',
  summary: 'Queue a draft.',
  input: z.strictObject({ id: Ref, ifSeq }),
  output: TaskView,
  faults: ['not_found', 'forbidden', 'conflict', 'unavailable'],
});

export const retryTask = operation({
  name: 'task.retry',
  kind: 'command',
  role: 'team-lead',
  summary: 'Retry a failed, blocked or canceled task from the beginning.',
  input: z.strictObject({ id: Ref, ifSeq }),
  output: TaskView,
  faults: ['not_found', 'forbidden', 'conflict', 'unavailable'],
});

export const resumeTask = operation({
  name: 'task.resume',
  kind: 'command',
  role: 'team-lead',
  summary: 'Resume a failed, blocked or canceled task where its agent stopped.',
  input: z.strictObject({ id: Ref, text: message.optional().describe('message to the agent'), ifSeq }),
  output: TaskView,
  faults: ['invalid', 'not_found', 'forbidden', 'conflict', 'unavailable'],
});

export const sendTask = operation({
  name: 'task.send',
  kind: 'command',
  role: 'worker',
  summary: 'Send a message to the agent of a task.',
  input: z.strictObject({ id: Ref, text: message.describe('the message') }),
  output: z.strictObject({ taskId: TaskId, n: z.int(), state: z.enum(['waiting', 'sent', 'heard']) }),
  faults: ['invalid', 'not_found', 'forbidden', 'conflict', 'limit', 'unavailable'],
});

export const waitTask = operation({
  name: 'task.wait',
  kind: 'query',
  role: 'monitor',
  summary: 'Show which of the given tasks have ended and which have not.',
  input: z.strictObject({ ids: z.array(Ref).min(1).max(LIMITS.pageItems.value).describe('task to wait for; may be repeated') }),
  output: z.strictObject({
    items: z.array(TaskView),
    pending: z.int(),
    /** How many of the pending tasks need somebody to act. Their `heldUp` says what to do. */
    stuck: z.int(),
  }),
  faults: ['not_found', 'unavailable'],
});

export const cancelTask = operation({
  name: 'task.cancel',
  kind: 'command',
  role: 'team-lead',
  summary: 'Cancel a task and end its running agent, if any.',
  input: z.strictObject({ id: Ref, why: wish.title.optional().describe('the reason, for the history'), ifSeq }),
  output: TaskView,
  faults: ['not_found', 'conflict', 'unavailable'],
});

export const commentTask = operation({
  name: 'task.comment',
  kind: 'command',
  role: 'worker',
  summary: 'Add a comment to the history of a task.',
  input: z.strictObject({ id: Ref, text: wishes.acceptance.unwrap().describe('the comment') }),
  output: EntryView,
  faults: ['invalid', 'not_found', 'unavailable'],
});

const claimant = Name.optional().describe('name of the person who works on the task; you by default');

export const claimTask = operation({
  name: 'task.claim',
  kind: 'command',
  role: 'worker',
  summary: 'Claim a queued task, to work on it yourself; nobody else can then.',
  input: z.strictObject({ id: Ref, as: claimant }),
  output: TaskView,
  faults: ['invalid', 'not_found', 'forbidden', 'conflict', 'unavailable'],
});

export const completeTask = operation({
  name: 'task.complete',
  kind: 'command',
  role: 'worker',
  summary: 'Complete a task you claimed; Fleet checks for its change and verifies it.',
  input: z.strictObject({
    id: Ref,
    as: claimant,
    summary: wishes.acceptance.describe('what was done'),
    commit: Ref.optional().describe('branch or commit that holds the work; by default the target branch'),
    changes: z.boolean().optional().describe('whether the work has a change; by default it must if the task expects one'),
  }),
  output: TaskView,
  faults: ['invalid', 'not_found', 'conflict', 'forbidden', 'unavailable'],
});

export const unclaimTask = operation({
  name: 'task.unclaim',
  kind: 'command',
  role: 'worker',
  summary: 'Return a task you claimed to the queue.',
  input: z.strictObject({ id: Ref, as: claimant }),
  output: TaskView,
  faults: ['not_found', 'conflict', 'forbidden', 'unavailable'],
});
