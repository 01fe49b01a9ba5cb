import { z } from 'zod';
import type { OutputOf } from '../../../contract/call.ts';
import { commentTask, completeTask } from '../../../contract/task.ts';
import { briefOf, linesOf, TaskBrief } from '../brief.ts';
import { tool } from '../tool.ts';
import { taskRef } from './task-looking.ts';
import { moved } from './task-steering.ts';

const output = z.object({ task: TaskBrief });

export const taskReady = tool({
  name: 'task_ready',
  title: 'List work that is ready',
  about: 'List the tasks that could be started now, in the order they would be. Take one with task_claim.',
  input: z.strictObject({ limit: z.int().min(1).max(100).default(20).describe('Most tasks to return.') }),
  output: z.object({ tasks: z.array(TaskBrief) }),
  calls: ['task.ready'],
  run: async ({ limit }, { call, now }) => {
    const tasks = (await call('task.ready', { limit })).items.map((task) => briefOf(task, now()));
    return { text: linesOf(tasks) || 'Nothing is ready.', data: { tasks } };
  },
});

export const taskClaim = tool({
  name: 'task_claim',
  title: 'Claim a task',
  about: 'Take a queued task to work on it yourself; nobody else can then. Read it with task_show, finish with task_complete.',
  input: z.strictObject({ id: taskRef }),
  output,
  calls: ['task.claim'],
  run: async ({ id }, asked) => moved(await asked.call('task.claim', { id }), asked, 'Yours:'),
});

export const taskComplete = tool({
  name: 'task_complete',
  title: 'Complete a claimed task',
  about:
    'Say that a task you claimed is finished, and what was done. The change it expects must be committed; its verification decides.',
  input: z.strictObject({
    id: taskRef,
    summary: completeTask.input.shape.summary.describe('What was done.'),
    commit: completeTask.input.shape.commit.describe('Branch or commit with the work, where it is not on the target branch.'),
    changes: completeTask.input.shape.changes.describe('false: nothing had to be changed. Say why in the summary.'),
  }),
  output,
  calls: ['task.complete'],
  run: async (said, asked) => moved(await asked.call('task.complete', said), asked, 'Handed in:'),
});

export const taskUnclaim = tool({
  name: 'task_unclaim',
  title: 'Give a claimed task back',
  about: 'Give a task you claimed back to the queue, for somebody else.',
  input: z.strictObject({ id: taskRef }),
  output,
  calls: ['task.unclaim'],
  run: async ({ id }, asked) => moved(await asked.call('task.unclaim', { id }), asked, 'Given back:'),
});

export const Messages = z.object({
  messages: z.array(z.object({ n: z.int(), at: z.string(), by: z.string(), text: z.string() })),
});

/** The messages of an inbox as a model reads them. */
export function toldMessages({ items }: OutputOf<'inbox.read'>) {
  const messages = items.map(({ n, at, by, text }) => ({ n, at, by, text }));
  return { text: messages.map(({ by, text }) => `From ${by}: ${text}`).join('\n') || 'Nothing new.', data: { messages } };
}

export const inboxRead = tool({
  name: 'inbox_read',
  title: 'Read messages',
  about: 'Read what was said to whoever works on a task you claimed; each message comes once.',
  input: z.strictObject({ task: taskRef }),
  output: Messages,
  calls: ['inbox.read'],
  run: async ({ task }, { call }) => toldMessages(await call('inbox.read', { task })),
});

export const taskComment = tool({
  name: 'task_comment',
  title: 'Comment on a task',
  about: 'Add a remark to the history of a task: progress, a finding, a hand-over.',
  input: z.strictObject({ id: taskRef, text: commentTask.input.shape.text.describe('The remark.') }),
  output: z.object({ n: z.int(), at: z.string() }),
  calls: ['task.comment'],
  run: async (input, { call }) => {
    const { n, at } = await call('task.comment', input);
    return { text: `Noted as entry ${n} of its history.`, data: { n, at } };
  },
});
