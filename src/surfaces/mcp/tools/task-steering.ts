import { z } from 'zod';
import type { OperationName } from '../../../contract/index.ts';
import type { TaskView } from '../../../contract/shapes.ts';
import { cancelTask, resumeTask, sendTask } from '../../../contract/task.ts';
import { forkTask, rejectTask } from '../../../contract/work.ts';
import { briefOf, lineOf, TaskBrief } from '../brief.ts';
import { type ToolContext, tool } from '../tool.ts';
import { taskRef } from './task-looking.ts';

const output = z.object({ task: TaskBrief });

/** What every command that moves one task answers. */
export function moved(task: TaskView, { now }: ToolContext, done: string) {
  const brief = briefOf(task, now());
  return { text: `${done} ${lineOf(brief)}`, data: { task: brief } };
}

type Mover = Extract<OperationName, 'task.dispatch' | 'task.retry' | 'task.approve' | 'task.merge'>;

/** A command that takes nothing but the task. */
const mover = (operation: Mover, { name, title, about, done }: Record<'name' | 'title' | 'about' | 'done', string>) =>
  tool({
    name,
    title,
    about,
    input: z.strictObject({ id: taskRef }),
    output,
    calls: [operation],
    run: async ({ id }, asked) => moved(await asked.call(operation, { id }), asked, done),
  });

export const taskDispatch = mover('task.dispatch', {
  name: 'task_dispatch',
  title: 'Hand a draft over',
  about: 'Hand a task that was created as a draft over for work.',
  done: 'Handed over:',
});

export const taskCancel = tool({
  name: 'task_cancel',
  title: 'Cancel a task',
  about:
    'Stop a task; its running agent is asked to leave and whatever it has made is kept. Only when the work is no longer wanted.',
  input: z.strictObject({ id: taskRef, why: cancelTask.input.shape.why.describe('The reason, for the history.') }),
  output,
  calls: ['task.cancel'],
  destroys: true,
  repeats: true,
  run: async ({ id, why }, asked) =>
    moved(await asked.call('task.cancel', { id, ...(why === undefined ? {} : { why }) }), asked, 'Cancel asked for'),
});

export const taskRetry = mover('task.retry', {
  name: 'task_retry',
  title: 'Retry a task',
  about:
    'Try a failed, blocked or canceled task again from the beginning. To let its agent go on where it stopped, use task_resume instead.',
  done: 'Retrying',
});

export const taskResume = tool({
  name: 'task_resume',
  title: 'Resume a task',
  about: 'Let a failed, blocked or canceled task go on where its agent stopped, if need be with something to tell it first.',
  input: z.strictObject({ id: taskRef, text: resumeTask.input.shape.text.describe('Something to tell the agent first.') }),
  output,
  calls: ['task.resume'],
  run: async ({ id, text }, asked) =>
    moved(await asked.call('task.resume', { id, ...(text === undefined ? {} : { text }) }), asked, 'Resuming'),
});

export const taskFork = tool({
  name: 'task_fork',
  title: 'Fork a task',
  about:
    'Make a second task that goes on from where a first one stands, with a copy of its conversation and its work, while the first stays as it is.',
  input: z.strictObject({ id: taskRef, text: forkTask.input.shape.text.describe('What the second one should do differently.') }),
  output,
  calls: ['task.fork'],
  run: async ({ id, text }, asked) =>
    moved(await asked.call('task.fork', { id, ...(text === undefined ? {} : { text }) }), asked, 'Forked'),
});

export const taskSend = tool({
  name: 'task_send',
  title: 'Tell a running agent something',
  about: 'Send a message to the agent that works on a task, to correct its course while it works.',
  input: z.strictObject({ id: taskRef, text: sendTask.input.shape.text.describe('The message.') }),
  output: z.object({ taskId: z.string(), n: z.int(), state: z.enum(['waiting', 'sent', 'heard']) }),
  calls: ['task.send'],
  run: async (input, { call }) => {
    const sent = await call('task.send', input);
    return { text: `Message ${sent.n} to the agent of ${sent.taskId} is ${sent.state}.`, data: sent };
  },
});

export const taskApprove = mover('task.approve', {
  name: 'task_approve',
  title: 'Approve finished work',
  about:
    'Agree to the finished work of a task exactly as it is now, so that it lands on its target branch. Read it with task_collect (include diff) first. ' +
    'Only when the user lets you decide this.',
  done: 'Approved',
});

export const taskReject = tool({
  name: 'task_reject',
  title: 'Reject finished work',
  about:
    'Refuse the finished work of a task. With a text its agent tries again and is told what to do better; without one the task ends.',
  input: z.strictObject({ id: taskRef, text: rejectTask.input.shape.text.describe('What is to be done better.') }),
  output,
  calls: ['task.reject'],
  destroys: true,
  run: async ({ id, text }, asked) =>
    moved(await asked.call('task.reject', { id, ...(text === undefined ? {} : { text }) }), asked, 'Rejected'),
});

export const taskMerge = mover('task.merge', {
  name: 'task_merge',
  title: 'Land finished work',
  about: 'Put finished work that rests on its branch into the queue of its target branch. Only when the user wants it there.',
  done: 'In the queue:',
});
