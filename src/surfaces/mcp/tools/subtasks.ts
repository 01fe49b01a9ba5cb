import { z } from 'zod';
import { PhaseName } from '../../../contract/shapes.ts';
import { Fault } from '../../../domain/fault.ts';
import { briefOf, hasEnded, lineOf, linesOf, TaskBrief } from '../brief.ts';
import { type Tool, tool } from '../tool.ts';
import { waitFor } from '../wait.ts';
import { counted } from '../words.ts';
import { taskRef, waitSeconds } from './task-looking.ts';
import { orderOf, tagWords, wishes } from './task-making.ts';

/* Whose task it is, whose part and how deep: that says the token of the run, and no argument. */

const createSubtask = tool({
  name: 'create_subtask',
  title: 'Create a sub-task',
  about:
    'Hand a part of your task to another agent, which works on it beside you. Say everything it must know: it sees nothing of your conversation. ' +
    'With wait, answers when it has ended, or "pending" before your client gives up: then ask with subtask_status.',
  input: z.strictObject({
    ...wishes,
    tags: tagWords,
    wait: z.boolean().default(false).describe('Wait until it has ended.'),
    waitSeconds,
  }),
  output: z.object({ state: z.enum(['ended', 'pending']), task: TaskBrief }),
  calls: ['task.create', 'task.wait', 'run.list'],
  run: async ({ wait, waitSeconds: seconds, ...rest }, asked) => {
    const made = await asked.call('task.create', orderOf(rest));
    const waited = wait ? await waitFor([made.id], seconds * 1_000, asked) : undefined;
    const task = briefOf(waited?.items[0] ?? made, asked.now());
    const state = hasEnded(task) ? 'ended' : 'pending';
    const next = state === 'ended' ? '' : `\nPending: ask again with subtask_status, id ${task.id}.`;
    return { text: `${lineOf(task)}${next}`, data: { state, task } as const };
  },
});

const subtaskStatus = tool({
  name: 'subtask_status',
  title: 'How a sub-task is doing',
  about: 'See how a sub-task of yours is doing and what it reported; with wait, only when it has ended or the time is over.',
  input: z.strictObject({
    id: taskRef,
    wait: z.boolean().default(false).describe('Wait until it has ended.'),
    waitSeconds,
  }),
  output: z.object({
    state: z.enum(['ended', 'pending']),
    task: TaskBrief,
    report: z.looseObject({ status: z.string(), summary: z.string() }).optional(),
  }),
  calls: ['task.wait', 'task.report', 'run.list'],
  run: async ({ id, wait, waitSeconds: seconds }, asked) => {
    const { items } = wait ? await waitFor([id], seconds * 1_000, asked) : await asked.call('task.wait', { ids: [id] });
    const [found] = items;
    if (!found) throw new Fault('not_found', `no task ${JSON.stringify(id)}`);
    const task = briefOf(found, asked.now());
    const [report] = (await asked.call('task.report', { id: found.id })).reports;
    const state = hasEnded(task) ? 'ended' : 'pending';
    return {
      text: `${lineOf(task)}${report ? `\nReport (${report.status}): ${report.summary}` : ''}`,
      data: { state, task, ...(report ? { report } : {}) } as const,
    };
  },
});

const listTasks = tool({
  name: 'list_tasks',
  title: 'List your sub-tasks',
  about: 'List your own task and its parts, newest first.',
  input: z.strictObject({ state: z.array(PhaseName).optional().describe('Only those in one of these states.') }),
  output: z.object({ tasks: z.array(TaskBrief) }),
  calls: ['task.list'],
  run: async (input, { call, now }) => {
    const tasks = (await call('task.list', input)).items.map((task) => briefOf(task, now()));
    return { text: `${counted(tasks.length, 'task')}\n${linesOf(tasks)}`.trim(), data: { tasks } };
  },
});

export const subtaskTools: readonly Tool[] = [createSubtask, subtaskStatus, listTasks];
