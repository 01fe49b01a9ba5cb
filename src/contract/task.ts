import { z } from 'zod';
import { LIMITS } from '../domain/limits.ts';
import { TaskWish } from '../domain/task/task.ts';
import { Name, Path, Prompt, TaskId, text } from '../domain/values.ts';
import { operation } from './operation.ts';
import { EntryView, ifSeq, PhaseName, ProjectRef, page, paged, Ref, TaskView } from './shapes.ts';

const wish = TaskWish.shape;
const message = text(LIMITS.messageBytes.value).refine((value) => value.trim() !== '', 'is empty: say something');

/** Everything of a task a person may say; `create` fills the gaps from project and settings, `edit` leaves them alone. */
const wishes = {
  title: wish.title.describe('short name; the first line of the prompt when left out'),
  prompt: Prompt.describe('what the agent is asked to do, in full'),
  acceptance: wish.acceptance.describe('how one can tell that it is done'),
  baseRef: wish.baseRef.describe('branch or commit the work starts from'),
  targetBranch: wish.targetBranch.describe('branch the work lands on'),
  priority: wish.priority.describe('0 runs first, 9 last; one step weighs ten minutes of waiting'),
  tag: wish.tags.describe('a word to find it by; may be repeated'),
  kind: wish.kind.describe('what sort of work it is'),
  expectsChanges: wish.expectsChanges.describe('whether finished work must contain a change'),
  executor: wish.executors.describe('which agent does it; repeat for a fail-over list'),
  failover: wish.failover.describe('next: move on to the next executor of the list while its own is paused'),
  model: wish.model.describe("model, in that executor's own words"),
  effort: wish.effort.describe('how hard the model should think'),
  preset: wish.preset.describe('what the agent is allowed to do'),
  tool: wish.tools.describe('one allowed tool; repeat for several; instead of a preset'),
  systemPrompt: wish.systemPrompt.describe('added to the system prompt of the agent'),
  extraArg: wish.extraArgs.describe('one more argument for the agent program; may be repeated'),
  contextMode: wish.contextMode.describe('attach the context-mode server, which has to be installed'),
  sandbox: wish.sandbox.describe('run the agent in a sandbox'),
  maxTurns: wish.maxTurns.describe('most turns of the agent'),
  maxBudgetUsd: wish.maxBudgetUsd.describe('most dollars it may cost, over all its runs'),
  maxTokens: wish.maxTokens.describe('most tokens it may read and write, over all its runs'),
  timeoutSeconds: wish.timeoutSeconds.describe('most seconds over all attempts; none by default'),
  maxAttempts: wish.maxAttempts.describe('attempts when it keeps ending by accident'),
  integration: wish.integration.describe('what happens to the finished work'),
  isolation: wish.isolation.describe('where the agent works'),
  strategy: wish.strategy.describe('begin with what its dependencies made and have not landed, or with the target branch alone'),
  push: wish.push.describe('push the target branch after landing'),
  assignee: wish.assignee.describe('who it is meant for'),
  team: wish.team.describe('team it belongs to'),
  after: z.array(Ref).max(LIMITS.dependencies.value).describe('a task that must be done first; may be repeated'),
  notBefore: wish.notBefore.describe('earliest moment, like 2030-01-31T12:00:00.000Z'),
  metadata: wish.metadata.describe('JSON object of your own'),
};

/** Every wish may be left out. */
const optional = Object.fromEntries(Object.entries(wishes).map(([name, schema]) => [name, schema.optional()])) as {
  [Name in keyof typeof wishes]: z.ZodOptional<(typeof wishes)[Name]>;
};

export const createTask = operation({
  name: 'task.create',
  kind: 'command',
  role: 'worker',
  summary: 'Describe one piece of work and queue it.',
  input: z.strictObject({
    ...optional,
    prompt: wishes.prompt,
    project: ProjectRef.optional(),
    directory: Path.optional().describe('plain directory to work in, in place, when there is no project'),
    parent: Ref.optional().describe('task this is a part of'),
    draft: z.boolean().default(false).describe('keep it as a draft until it is dispatched'),
  }),
  output: TaskView,
  exact: true,
  faults: ['invalid', 'not_found', 'forbidden', 'conflict', 'limit', 'unavailable'],
});

export const editTask = operation({
  name: 'task.edit',
  kind: 'command',
  role: 'team-lead',
  summary: 'Change what a task asks for; a running agent is not disturbed.',
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
      .describe('a field to empty; may be repeated'),
    ifSeq,
  }),
  output: TaskView,
  faults: ['invalid', 'not_found', 'forbidden', 'conflict', 'limit', 'unavailable'],
});

export const deleteTask = operation({
  name: 'task.delete',
  kind: 'command',
  role: 'team-lead',
  summary: 'Delete a task that nobody works on or waits for, with its history.',
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
  summary: 'List the tasks that could be started now, in the order they would be.',
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
  summary: 'Read the history of a task: who changed what, when and why.',
  input: z.strictObject({
    id: Ref,
    after: z.int().min(0).default(0).describe('begin after the event with this number'),
    limit: paged.limit,
  }),
  output: z.strictObject({ items: z.array(EntryView), next: z.int() }),
  faults: ['not_found', 'unavailable'],
});

export const dispatchTask = operation({
  name: 'task.dispatch',
  kind: 'command',
  role: 'team-lead',
  summary: 'Hand a draft over for work.',
  input: z.strictObject({ id: Ref, ifSeq }),
  output: TaskView,
  faults: ['not_found', 'forbidden', 'conflict', 'unavailable'],
});

export const retryTask = operation({
  name: 'task.retry',
  kind: 'command',
  role: 'team-lead',
  summary: 'Try a failed, blocked or canceled task again from the beginning.',
  input: z.strictObject({ id: Ref, ifSeq }),
  output: TaskView,
  faults: ['not_found', 'forbidden', 'conflict', 'unavailable'],
});

export const resumeTask = operation({
  name: 'task.resume',
  kind: 'command',
  role: 'team-lead',
  summary: 'Let a failed, blocked or canceled task go on where its agent stopped.',
  input: z.strictObject({ id: Ref, text: message.optional().describe('something to tell the agent first'), ifSeq }),
  output: TaskView,
  faults: ['invalid', 'not_found', 'forbidden', 'conflict', 'unavailable'],
});

export const sendTask = operation({
  name: 'task.send',
  kind: 'command',
  role: 'worker',
  summary: 'Tell the agent of a task something while it works.',
  input: z.strictObject({ id: Ref, text: message.describe('the message') }),
  output: z.strictObject({ taskId: TaskId, n: z.int(), state: z.enum(['waiting', 'sent', 'heard']) }),
  faults: ['invalid', 'not_found', 'forbidden', 'conflict', 'limit', 'unavailable'],
});

export const waitTask = operation({
  name: 'task.wait',
  kind: 'query',
  role: 'monitor',
  summary: 'Tell which of some tasks have come to an end and which have not.',
  input: z.strictObject({ ids: z.array(Ref).min(1).max(LIMITS.pageItems.value).describe('a task to wait for; may be repeated') }),
  output: z.strictObject({
    items: z.array(TaskView),
    pending: z.int(),
    /** Of those, how many do not go on by themselves: somebody has to do something. `heldUp` of each says what. */
    stuck: z.int(),
  }),
  faults: ['not_found', 'unavailable'],
});

export const cancelTask = operation({
  name: 'task.cancel',
  kind: 'command',
  role: 'team-lead',
  summary: 'Stop a task; its running agent, if any, is asked to leave.',
  input: z.strictObject({ id: Ref, why: wish.title.optional().describe('the reason, for the history'), ifSeq }),
  output: TaskView,
  faults: ['not_found', 'conflict', 'unavailable'],
});

export const commentTask = operation({
  name: 'task.comment',
  kind: 'command',
  role: 'worker',
  summary: 'Add a remark to the history of a task.',
  input: z.strictObject({ id: Ref, text: wishes.acceptance.unwrap().describe('the remark') }),
  output: EntryView,
  faults: ['invalid', 'not_found', 'unavailable'],
});

const claimant = Name.optional().describe('name of whoever works on it; you by default');

export const claimTask = operation({
  name: 'task.claim',
  kind: 'command',
  role: 'worker',
  summary: 'Take a queued task to work on it yourself; nobody else can then.',
  input: z.strictObject({ id: Ref, as: claimant }),
  output: TaskView,
  faults: ['invalid', 'not_found', 'forbidden', 'conflict', 'unavailable'],
});

export const completeTask = operation({
  name: 'task.complete',
  kind: 'command',
  role: 'worker',
  summary: 'Say that a task you claimed is finished; its change must be there, and its verification decides.',
  input: z.strictObject({
    id: Ref,
    as: claimant,
    summary: wishes.acceptance.describe('what was done'),
    commit: Ref.optional().describe('branch or commit that holds the work; the target branch by default'),
    changes: z.boolean().optional().describe('whether there is a change; by default there must be if the task expects one'),
  }),
  output: TaskView,
  faults: ['invalid', 'not_found', 'conflict', 'forbidden', 'unavailable'],
});

export const unclaimTask = operation({
  name: 'task.unclaim',
  kind: 'command',
  role: 'worker',
  summary: 'Give a task you claimed back to the queue.',
  input: z.strictObject({ id: Ref, as: claimant }),
  output: TaskView,
  faults: ['not_found', 'conflict', 'forbidden', 'unavailable'],
});
