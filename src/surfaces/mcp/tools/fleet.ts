import { z } from 'zod';
import type { OutputOf } from '../../../contract/call.ts';
import { addProject } from '../../../contract/project.ts';
import { answerQuestion, askQuestion } from '../../../contract/question.ts';
import { briefOf, linesOf, TaskBrief } from '../brief.ts';
import { tool } from '../tool.ts';
import { counted, oneLine } from '../words.ts';
import { taskRef } from './task-looking.ts';

export const QuestionBrief = z.object({
  id: z.string(),
  task: z.string().optional(),
  text: z.string(),
  options: z.array(z.string()),
  state: z.string(),
  answer: z.string().optional(),
});

type Question = OutputOf<'question.list'>['items'][number];

export const questionBrief = ({ id, taskId, text, options, state, answer }: Question): z.infer<typeof QuestionBrief> => ({
  id,
  ...(taskId === undefined ? {} : { task: taskId }),
  text,
  options,
  state,
  ...(answer === undefined ? {} : { answer: answer.text }),
});

export const questionLine = ({ id, task, text, options, state, answer }: z.infer<typeof QuestionBrief>): string => {
  const choices = options.map((option, at) => `${at + 1}) ${option}`).join(' ');
  const end = answer === undefined ? '' : ` Answer: ${oneLine(answer, 300)}`;
  return `${id}${task === undefined ? '' : ` of ${task}`} (${state}): ${oneLine(text, 500)} ${choices}${end}`.trim();
};

export const fleetStatus = tool({
  name: 'fleet_status',
  title: 'Dashboard of the fleet',
  about:
    'See the whole fleet at a glance: what runs, what is blocked and why, open questions, what is held up and what is wrong.',
  input: z.strictObject({}),
  output: z.object({
    engine: z.boolean().describe('Whether anything is being worked on at all.'),
    counts: z.record(z.string(), z.int()),
    projects: z.int(),
    running: z.array(TaskBrief),
    blocked: z.array(TaskBrief),
    questions: z.array(QuestionBrief),
    heldUp: z.array(z.object({ why: z.string(), tasks: z.int(), first: z.string() })),
    problems: z.array(z.string()),
  }),
  calls: ['fleet.status'],
  run: async (_input, { call, now }) => {
    const status = await call('fleet.status', {});
    const brief = (tasks: typeof status.running) => tasks.map((task) => briefOf(task, now()));
    const [running, blocked] = [brief(status.running), brief(status.blocked)];
    const questions = status.questions.map(questionBrief);
    const counts = Object.fromEntries(Object.entries(status.counts.tasks).filter(([, count]) => count > 0));
    const heldUp = status.heldUp.map(({ why, tasks, first }) => ({ why, tasks, first }));
    const part = (title: string, text: string) => (text === '' ? [] : [`${title}:\n${text}`]);
    const words = Object.entries(counts).map(([state, count]) => `${count} ${state}`);
    const text = [
      `Engine ${status.engine.running ? 'up' : 'down: nothing is being worked on'}; ${words.join(', ') || 'no tasks'}; ${counted(status.projects, 'project')}.`,
      ...part('Running', linesOf(running)),
      ...part('Blocked', linesOf(blocked)),
      ...part('Questions', questions.map(questionLine).join('\n')),
      ...part('Held up', heldUp.map(({ why, tasks }) => `${counted(tasks, 'task')}: ${why}`).join('\n')),
      ...part('Problems', status.problems.join('\n')),
    ];
    return {
      text: text.join('\n'),
      data: {
        engine: status.engine.running,
        counts,
        projects: status.projects,
        running,
        blocked,
        questions,
        heldUp,
        problems: status.problems,
      },
    };
  },
});

export const questionList = tool({
  name: 'question_list',
  title: 'List questions of agents',
  about: 'List what agents have asked and nobody has answered. Answer with question_answer when you know, or ask the user.',
  input: z.strictObject({
    task: taskRef.optional().describe('Only questions about this task.'),
    all: z.boolean().default(false).describe('Also those that were answered.'),
  }),
  output: z.object({ questions: z.array(QuestionBrief) }),
  calls: ['question.list'],
  run: async ({ task, all }, { call }) => {
    const { items } = await call('question.list', { all, ...(task === undefined ? {} : { task }) });
    const questions = items.map(questionBrief);
    return { text: questions.map(questionLine).join('\n') || 'No questions.', data: { questions } };
  },
});

export const questionAnswer = tool({
  name: 'question_answer',
  title: 'Answer a question',
  about:
    'Answer what an agent has asked; a task that was blocked by it goes on. The first answer counts. With withdraw nobody answers it: the agent is told ' +
    'to decide itself, and the text says why.',
  input: z.strictObject({
    id: answerQuestion.input.shape.id.describe('Id of the question.'),
    text: answerQuestion.input.shape.text.describe('The answer, or the number of an option.'),
    withdraw: z.boolean().default(false).describe('Withdraw the question instead; the text says why.'),
  }),
  output: z.object({ question: QuestionBrief }),
  calls: ['question.answer', 'question.withdraw'],
  run: async ({ id, text, withdraw }, { call }) => {
    const question = questionBrief(
      withdraw ? await call('question.withdraw', { id, why: text }) : await call('question.answer', { id, text }),
    );
    return { text: `${withdraw ? 'Withdrawn' : 'Answered'} ${questionLine(question)}`, data: { question } };
  },
});

export const questionAsk = tool({
  name: 'question_ask',
  title: 'Ask the people of the fleet',
  about: 'Ask the people something that you cannot decide yourself. The answer comes later: look with question_list (all: true).',
  input: z.strictObject({
    text: askQuestion.input.shape.text.describe('The question, with all that is needed to answer it.'),
    options: askQuestion.input.shape.option.describe('Answers to choose from.'),
    task: taskRef.optional().describe('The task it is about.'),
  }),
  output: z.object({ question: QuestionBrief }),
  calls: ['question.ask'],
  run: async ({ text, options, task }, { call }) => {
    const asked = await call('question.ask', { text, option: options, ...(task === undefined ? {} : { task }) });
    const question = questionBrief(asked);
    return { text: `Asked ${questionLine(question)}`, data: { question } };
  },
});

const ProjectBrief = z.object({
  id: z.string(),
  name: z.string(),
  path: z.string(),
  verify: z.string().optional(),
  executor: z.string().optional(),
});

type Project = OutputOf<'project.list'>['items'][number];

const projectBrief = ({ id, name, path, verify, executor }: Project): z.infer<typeof ProjectBrief> => ({
  id,
  name,
  path,
  ...(verify === undefined ? {} : { verify }),
  ...(executor === undefined ? {} : { executor }),
});

const projectLine = ({ name, path, verify }: z.infer<typeof ProjectBrief>): string =>
  `${name}: ${path}${verify === undefined ? ', no gate' : `, gate ${oneLine(verify, 80)}`}`;

export const projectList = tool({
  name: 'project_list',
  title: 'List projects',
  about: 'List the repositories agents can work in, by name, with the command that verifies their work.',
  input: z.strictObject({}),
  output: z.object({ projects: z.array(ProjectBrief) }),
  calls: ['project.list'],
  run: async (_input, { call }) => {
    const projects = (await call('project.list', {})).items.map(projectBrief);
    return { text: projects.map(projectLine).join('\n') || 'No projects yet: add one with project_add.', data: { projects } };
  },
});

const project = addProject.input.shape;

export const projectAdd = tool({
  name: 'project_add',
  title: 'Add a project',
  about:
    'Make a repository known, so that agents can work in it. Give the command that proves work good as "verify" whenever there is one.',
  input: z.strictObject({
    path: project.path.describe('Absolute path of the repository.'),
    name: project.name.describe('Name to call it by; that of the directory when left out.'),
    verify: project.verify.describe('Command that must succeed before work counts as done, like "npm test".'),
    setup: project.setup.describe('Command that makes a fresh checkout ready, like "npm ci".'),
    integration: project.integration.describe('What happens to finished work by default.'),
  }),
  output: z.object({ project: ProjectBrief }),
  calls: ['project.add'],
  run: async (input, { call }) => {
    const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
    const brief = projectBrief(await call('project.add', given as typeof input));
    return { text: `Added ${projectLine(brief)}`, data: { project: brief } };
  },
});
