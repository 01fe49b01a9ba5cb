import { z } from 'zod';
import type { OutputOf } from '../../../contract/call.ts';
import { PhaseName, ProjectRef, Ref, TaskView } from '../../../contract/shapes.ts';
import { isFault } from '../../../domain/fault.ts';
import { briefOf, hasEnded, lineOf, linesOf, progressText, TaskBrief } from '../brief.ts';
import { type ToolContext, tool } from '../tool.ts';
import { waitFor } from '../wait.ts';
import { counted, cut, oneLine } from '../words.ts';

export const taskRef = Ref.describe('Id of the task, or at least its last 4 characters.');

/** Below the bound at which most clients give a tool up. */
const WAIT_SECONDS = 50;
const LONGEST_WAIT_SECONDS = 600;
const MOST_WAITED_FOR = 100;

export const waitSeconds = z
  .int()
  .min(1)
  .max(LONGEST_WAIT_SECONDS)
  .default(WAIT_SECONDS)
  .describe('How long to wait; keep it below the time your client allows a tool. Call again to go on waiting.');

export const taskWait = tool({
  name: 'task_wait',
  title: 'Wait for tasks',
  about:
    'Wait until each of these tasks is done, has failed, was canceled or needs a person, or until the time is over. While the answer says "pending", ' +
    'nothing is wrong: call again with the same ids. "stuck": nothing can go on by itself, and the words say why. Sends progress while it waits.',
  input: z.strictObject({
    ids: z.array(taskRef).min(1).max(MOST_WAITED_FOR).describe('Ids of the tasks.'),
    timeoutSeconds: waitSeconds,
  }),
  output: z.object({
    state: z.enum(['ended', 'pending', 'stuck']).describe('stuck: nothing goes on until somebody does what the words say.'),
    done: z.int(),
    total: z.int(),
    open: z.array(z.string()).describe('Ids of those that still go on.'),
    tasks: z.array(TaskBrief),
  }),
  calls: ['task.wait', 'run.list'],
  run: async ({ ids, timeoutSeconds }, asked) => {
    const waited = await waitFor(ids, timeoutSeconds * 1_000, asked);
    const tasks = waited.items.map((task) => briefOf(task, asked.now()));
    const open = tasks.filter((task) => !hasEnded(task)).map(({ id }) => id);
    const state = waited.open > 0 ? 'pending' : waited.stuck > 0 ? 'stuck' : 'ended';
    const next = {
      pending: `Pending: ${counted(open.length, 'task')} still at work. Call task_wait again with the same ids.`,
      stuck: 'Stuck: nothing goes on by itself. Do not wait; tell the user what is said above.',
      ended: 'Nothing more happens by itself. Read what was done with task_collect.',
    }[state];
    return {
      text: `${progressText(tasks)}\n${next}`,
      data: { state, done: tasks.length - open.length, total: tasks.length, open, tasks } as const,
    };
  },
});

export const taskList = tool({
  name: 'task_list',
  title: 'List tasks',
  about: 'List tasks, newest first, filtered by state, project, tag, assignee or parent.',
  input: z.strictObject({
    state: z.array(PhaseName).optional().describe('Only tasks in one of these states.'),
    project: ProjectRef.optional().describe('Only tasks of this project.'),
    tag: z.string().optional().describe('Only tasks with this tag.'),
    parent: Ref.optional().describe('Only parts of this task.'),
    limit: z.int().min(1).max(100).default(20).describe('Most tasks to return.'),
    cursor: z.string().max(400).optional().describe('Where the page before ended.'),
  }),
  output: z.object({ tasks: z.array(TaskBrief), cursor: z.string().optional() }),
  calls: ['task.list'],
  run: async (input, { call, now }) => {
    const { items, cursor } = await call('task.list', input);
    const tasks = items.map((task) => briefOf(task, now()));
    const more = cursor === undefined ? '' : `\nThere are more: call again with cursor ${cursor}`;
    const text = tasks.length === 0 ? 'No task fits.' : `${linesOf(tasks)}${more}`;
    return { text, data: { tasks, ...(cursor === undefined ? {} : { cursor }) } };
  },
});

const PROMPT_SHOWN = 20_000;
const EVENTS_SHOWN = 10;

export const taskShow = tool({
  name: 'task_show',
  title: 'Show a task',
  about: 'Show one task: its assignment, where it stands and why, its branch, its messages and the last entries of its history.',
  input: z.strictObject({ id: taskRef }),
  output: z.object({
    task: TaskBrief,
    prompt: z.string(),
    trust: TaskView.shape.trust.describe(
      'How far its agent is trusted: own (like the user), apart (a private clone), sandboxed.',
    ),
    branch: z.string().optional(),
    dependsOn: z.array(z.string()),
    history: z.array(z.object({ n: z.int(), at: z.string(), by: z.string(), what: z.string(), why: z.string().optional() })),
  }),
  calls: ['task.show', 'task.events'],
  run: async ({ id }, { call, now }) => {
    const task = await call('task.show', { id });
    const { items } = await call('task.events', { id: task.id, after: Math.max(0, task.seq - EVENTS_SHOWN) });
    const history = items.map(({ n, at, by, what, why }) => ({ n, at, by, what, ...(why === undefined ? {} : { why }) }));
    const brief = briefOf(task, now());
    const prompt = cut(task.prompt, PROMPT_SHOWN);
    const told = history.map(({ at, by, what, why }) => `  ${at} ${by}: ${what}${why === undefined ? '' : ` (${oneLine(why)})`}`);
    return {
      text: [lineOf(brief), ...(task.work ? [`branch ${task.work.branch}`] : []), ...told, prompt].join('\n'),
      data: {
        task: brief,
        prompt,
        ...(task.trust ? { trust: task.trust } : {}),
        ...(task.work ? { branch: task.work.branch } : {}),
        dependsOn: task.dependsOn,
        history,
      },
    };
  },
});

/** The report is always there: whoever says `report` gets no less. */
const PARTS = ['report', 'diff', 'log'] as const;
const TEXT_BYTES = 20_000;

export const taskCollect = tool({
  name: 'task_collect',
  title: 'Collect what a task has made',
  about:
    'Read what the agent of a task reported and what the verification found; with include also the diff of its work and the end of its output. ' +
    'Use it after task_wait, and before approving.',
  input: z.strictObject({
    id: taskRef,
    include: z.array(z.enum(PARTS)).default([]).describe('What to read besides the report.'),
    maxBytes: z.int().min(1_000).max(200_000).default(TEXT_BYTES).describe('Longest diff, and longest log, to return.'),
  }),
  output: z.object({
    task: TaskBrief,
    report: z.looseObject({ status: z.string(), summary: z.string() }).optional(),
    evidence: z.array(z.looseObject({ exit: z.int().optional() })),
    diff: z.object({ branch: z.string(), text: z.string(), cut: z.boolean() }).optional(),
    log: z.string().optional(),
  }),
  calls: ['task.show', 'task.report', 'task.diff', 'task.log', 'run.list'],
  run: async ({ id, include, maxBytes }, asked) => {
    const task = await asked.call('task.show', { id });
    const brief = briefOf(task, asked.now());
    const wants = (part: (typeof PARTS)[number]) => include.includes(part);
    const found = await asked.call('task.report', { id: task.id });
    const diff = wants('diff') ? await diffOf(task.id, maxBytes, asked) : undefined;
    const log = wants('log') ? await logOf(task.id, maxBytes, asked) : undefined;
    // Newest first.
    const [report] = found.reports;
    const texts = [
      lineOf(brief),
      report ? reportText(report) : 'No report yet.',
      ...found.evidence.map(evidenceText),
      ...(wants('diff') ? [diff ? cut(diff.text, maxBytes) : 'No changes in a repository.'] : []),
      ...(log === undefined ? [] : [log]),
    ];
    return {
      text: texts.join('\n'),
      data: {
        task: brief,
        ...(report ? { report } : {}),
        evidence: found.evidence,
        ...(diff ? { diff: { branch: diff.branch, text: diff.text, cut: diff.cut } } : {}),
        ...(log === undefined ? {} : { log }),
      },
    };
  },
});

/** A task that works in no repository, or has not begun, has none. */
const diffOf = async (id: string, maxBytes: number, { call }: ToolContext): Promise<OutputOf<'task.diff'> | undefined> =>
  call('task.diff', { id, maxBytes }).catch((error: unknown) => {
    if (!isFault(error, 'conflict') && !isFault(error, 'not_found')) throw error;
    return undefined;
  });

/** The end of what its newest run printed. */
export async function logOf(id: string, bytes: number, { call }: Pick<ToolContext, 'call'>): Promise<string> {
  const { items: runs } = await call('run.list', { task: id, limit: 1 });
  const read = runs[0]?.watch?.offset ?? 0;
  const { items } = await call('task.log', { id, after: Math.max(0, read - bytes), limit: 2_000 });
  return items.map(({ text }) => text).join('\n');
}

type Found = OutputOf<'task.report'>;

function reportText({ status, summary, done, open, tests, errors, nextSteps, doubts, totals }: Found['reports'][number]): string {
  const list = (title: string, items: readonly string[]) => (items.length === 0 ? [] : [`${title}: ${items.join('; ')}`]);
  return [
    `Report (${status}): ${summary}`,
    ...list('done', done),
    ...list('open', open),
    ...list(
      'tests',
      tests.map(({ command, status: how }) => `${command} ${how}`),
    ),
    ...list('errors', errors),
    ...list('next steps', nextSteps),
    ...list('doubtful', doubts),
    ...(totals ? [`${counted(totals.files, 'file')}, +${totals.added} -${totals.removed}`] : []),
  ].join('\n');
}

const evidenceText = ({ command, exit, commit, stale }: Found['evidence'][number]): string =>
  `Gate: ${oneLine(command)} ended with ${exit} on ${commit?.slice(0, 10) ?? 'no commit'}${stale ? ' (stale: the work has changed since)' : ''}`;
