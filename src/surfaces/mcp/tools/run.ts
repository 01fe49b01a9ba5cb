import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { RunContext, reviewTask, submitReport } from '../../../contract/by-run.ts';
import type { OutputOf } from '../../../contract/call.ts';
import { askQuestion, withdrawQuestion } from '../../../contract/question.ts';
import { replyTo } from '../../../domain/question/question.ts';
import { packetText, reportLines } from '../../../domain/run/packet-text.ts';
import { Name } from '../../../domain/values.ts';
import { briefOf, lineOf, TaskBrief } from '../brief.ts';
import { type Tool, type ToolContext, tool } from '../tool.ts';
import { cut, oneLine, span } from '../words.ts';
import { QuestionBrief, questionBrief, questionLine } from './fleet.ts';
import { waitSeconds } from './task-looking.ts';
import { Messages, toldMessages } from './team.ts';

/* Whose run it is says its token, and no argument. */

const getTask = tool({
  name: 'get_task',
  title: 'Your task',
  about:
    'Everything about the task you work on: the assignment, the project and its gate, your branch, notes of earlier attempts, what the tasks before ' +
    'yours made, and answers to your questions. Call it first.',
  input: z.strictObject({}),
  output: RunContext,
  calls: ['run.context'],
  run: async (_input, { call }) => {
    const found = await call('run.context', {});
    const context = { ...found, task: { ...found.task, prompt: cut(found.task.prompt, PROMPT_SHOWN) } };
    return { text: contextText(context), data: context };
  },
});

const PROMPT_SHOWN = 20_000;

function contextText({ task, project, notes, earlier, questions, attempt, parent, ...others }: RunContext): string {
  const part = (title: string, lines: readonly string[]) => (lines.length === 0 ? [] : [`${title}:\n${lines.join('\n')}`]);
  return [
    `${task.id} "${task.title}", attempt ${attempt}${task.branch === undefined ? '' : `, branch ${task.branch}`}`,
    task.prompt,
    ...part('Acceptance', task.acceptance === undefined ? [] : [task.acceptance]),
    ...part('Gate', project?.verify === undefined ? [] : [project.verify]),
    ...part('Part of', parent ? [`${parent.taskId} "${parent.title}"`] : []),
    packetText(others),
    ...part('Your last report, of an earlier attempt', others.lastReport ? reportLines(others.lastReport) : []),
    ...part(
      'Earlier attempts',
      earlier.map((run) => `attempt ${run.attempt}: ${run.outcome ?? 'no outcome'} ${oneLine(run.detail ?? '')}`.trim()),
    ),
    ...part('Questions', questions.map(questionBrief).map(questionLine)),
    `Notes that outlive this run: ${notes}. Messages waiting: ${task.unheard}. Sub-tasks left: ${task.depthLeft > 0 ? task.partsLeft : 0}.`,
  ]
    .filter((text) => text !== '')
    .join('\n');
}

const submit = tool({
  name: 'submit_report',
  title: 'Hand in your report',
  about:
    'Hand in what you did, before you end. Say honestly what is done, what is left and what was tested: files and commits are checked against git, and ' +
    'the gate decides. A later report takes the place of an earlier one.',
  input: submitReport.input,
  output: z.object({ status: z.string(), summary: z.string() }),
  calls: ['report.submit'],
  repeats: true,
  run: async (input, { call }) => {
    const { status, summary } = await call('report.submit', input);
    return { text: `Report taken: ${status}.`, data: { status, summary } };
  },
});

const requestReview = tool({
  name: 'request_review',
  title: 'Ask for a review',
  about: 'Have another agent review your work; the review begins when your task is finished.',
  input: z.strictObject({
    text: reviewTask.input.shape.text.describe('What to look at.'),
    executor: Name.optional().describe('Which agent program reviews; your own when left out.'),
  }),
  output: z.object({ task: TaskBrief }),
  calls: ['task.review'],
  run: async ({ text, executor }, { call, now }) => {
    const made = await call('task.review', {
      ...(text === undefined ? {} : { text }),
      ...(executor === undefined ? {} : { executor: [executor] }),
    });
    const task = briefOf(made, now());
    return { text: `Review asked for: ${lineOf(task)}`, data: { task } };
  },
});

const askHuman = tool({
  name: 'ask_human_question',
  title: 'Ask a person',
  about:
    'Ask the people of this fleet what you cannot find out or decide. Answers "pending" with the id of the question when nobody answers in time: go on with ' +
    'what does not depend on it and ask the same again later, which is the same question; or end as blocked, and you are resumed with the answer. A question ' +
    'that is still open when you end keeps your work from landing: take it back with withdraw_question once you need no answer.',
  input: z.strictObject({
    text: askQuestion.input.shape.text.describe('The question, with all that is needed to answer it.'),
    options: askQuestion.input.shape.option.describe('Answers to choose from.'),
    waitSeconds,
  }),
  output: z.object({
    state: z.enum(['answered', 'pending', 'withdrawn']),
    answer: z.string().optional(),
    question: QuestionBrief,
  }),
  calls: ['question.ask', 'question.show'],
  repeats: true,
  run: async ({ text, options, waitSeconds: seconds }, asked) => {
    const order = { text, option: options };
    const first = await asked.call('question.ask', order);
    const found = await answerTo(first, seconds * 1_000, asked);
    // Whoever asks again and gets the answer has heard it: it does not come a second time as a message.
    if (found !== first && found.state === 'answered') await asked.call('question.ask', order);
    const question = questionBrief(found);
    const { state, answer } = question;
    const words =
      state === 'withdrawn'
        ? `Withdrawn: ${replyTo(found)}`
        : answer === undefined
          ? `Pending: nobody has answered ${question.id} yet. Ask the same again later.`
          : `Answer: ${answer}`;
    return { text: words, data: { state: state as 'answered', ...(answer === undefined ? {} : { answer }), question } };
  },
});

const withdrawOwn = tool({
  name: 'withdraw_question',
  title: 'Take a question back',
  about: 'Take back a question you have asked, when you need no answer any more.',
  input: z.strictObject({
    id: withdrawQuestion.input.shape.id.describe('Id of the question.'),
    why: withdrawQuestion.input.shape.why.describe('How you have decided it, for people to read.'),
  }),
  output: z.object({ question: QuestionBrief }),
  calls: ['question.withdraw'],
  run: async ({ id, why }, { call }) => {
    const question = questionBrief(await call('question.withdraw', { id, ...(why === undefined ? {} : { why }) }));
    return { text: `Withdrawn ${questionLine(question)}`, data: { question } };
  },
});

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;

type Question = OutputOf<'question.show'>;

async function answerTo(question: Question, timeoutMs: number, asked: ToolContext): Promise<Question> {
  const began = asked.elapsed();
  let found = question;
  let pauseMs = FIRST_PAUSE_MS;
  for (let waited = 0; found.state === 'pending' && waited < timeoutMs; waited = asked.elapsed() - began) {
    await asked.progress?.({ progress: waited, total: timeoutMs, message: `nobody has answered for ${span(waited)}` });
    await pause(Math.min(pauseMs, timeoutMs - waited), undefined, { signal: asked.signal });
    pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 1.5);
    found = await asked.call('question.show', { id: question.id });
  }
  return found;
}

const readInbox = tool({
  name: 'read_inbox',
  title: 'Read your messages',
  about: 'Read what people and other agents have said to you since you last looked; each message comes once.',
  input: z.strictObject({}),
  output: Messages,
  calls: ['inbox.read'],
  run: async (_input, { call }) => toldMessages(await call('inbox.read', {})),
});

const PastReport = z.object({ task: z.string(), title: z.string(), status: z.string(), summary: z.string(), at: z.string() });

const pastReports = tool({
  name: 'past_reports',
  title: 'Reports of finished work',
  about: 'What was reported by earlier attempts at your task, by the tasks before it, and by recent tasks of the same project.',
  input: z.strictObject({}),
  output: z.object({ reports: z.array(PastReport) }),
  calls: ['run.context', 'task.report'],
  run: async (_input, { call }) => {
    const { task, dependencies, recent } = await call('run.context', {});
    const own = (await call('task.report', { id: task.id })).reports.map((report) => ({
      taskId: task.id,
      title: task.title,
      report,
    }));
    const reports = [...own, ...dependencies, ...recent].flatMap(({ taskId, title, report }) =>
      report ? [{ task: taskId, title, status: report.status, summary: report.summary, at: report.at }] : [],
    );
    const lines = reports.map(
      ({ task: id, title, status, summary }) => `${id} "${oneLine(title, 80)}" ${status}: ${oneLine(summary, 400)}`,
    );
    return { text: lines.join('\n') || 'No reports yet.', data: { reports } };
  },
});

export const runTools: readonly Tool[] = [getTask, submit, requestReview, askHuman, withdrawOwn, readInbox, pastReports];
