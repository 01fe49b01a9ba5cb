import { z } from 'zod';
import type { InputOf, OutputOf } from '../../../contract/call.ts';
import { ProjectRef, Ref } from '../../../contract/shapes.ts';
import { createTask } from '../../../contract/task.ts';
import { Fault, isFault } from '../../../domain/fault.ts';
import { Name, Tag } from '../../../domain/values.ts';
import { briefOf, lineOf, linesOf, TaskBrief } from '../brief.ts';
import { type ToolContext, tool } from '../tool.ts';
import { counted } from '../words.ts';

const wish = createTask.input.shape;
const AT_ONCE = 20;

/** What a model is asked to say of a task; everything else comes from the project and the settings. */
export const wishes = {
  prompt: wish.prompt.describe(
    'The whole assignment for the agent: goal, where to look, constraints, how to verify. It sees nothing else of your conversation.',
  ),
  title: wish.title.describe('Short name; the first line of the prompt when left out.'),
  acceptance: wish.acceptance.describe('How one can tell that it is done.'),
  executor: Name.optional().describe('Which agent program does it; the default of the project when left out.'),
  model: wish.model.describe("Model, in that executor's own words."),
  effort: wish.effort.describe('How hard the model should think.'),
  kind: wish.kind.describe('What sort of work it is.'),
  integration: wish.integration.describe(
    'What happens to finished work: review (a person approves it), auto (lands when verified), pr (a pull request), none (stays on its branch).',
  ),
  sandbox: wish.sandbox.describe('Whether its agent sees and reaches only what it is given; it works in a private clone then.'),
  priority: wish.priority.describe('0 runs first, 9 last.'),
  timeoutSeconds: wish.timeoutSeconds.describe('Most seconds over all attempts; no bound when left out.'),
};

export const tagWords = z.array(Tag).max(10).optional().describe('Words to find it by.');
const place = {
  project: ProjectRef.optional().describe('Name or id of the project it works in; see project_list.'),
  directory: wish.directory.describe('Absolute path of a plain directory to work in, in place, when there is no project.'),
};

const warnings = z.array(z.string()).optional().describe('Why it may not get done as things stand; tell the user.');

const Wish = z.strictObject({ ...wishes, tags: tagWords });
type Wish = z.output<typeof Wish>;

/** The fields of the operation behind those a model was offered. */
export function orderOf({ executor, tags, ...rest }: Wish): Omit<InputOf<'task.create'>, 'project' | 'directory' | 'after'> {
  return { ...rest, ...(executor === undefined ? {} : { executor: [executor] }), ...(tags === undefined ? {} : { tag: tags }) };
}

export const taskCreate = tool({
  name: 'task_create',
  title: 'Create a task',
  about:
    'Give one piece of work to an agent of the fleet. It is queued and worked on in the background, in a workspace of its own; this call does not ' +
    'wait. Follow it with task_wait, then task_collect. For several tasks that depend on each other use tasks_create.',
  input: z.strictObject({
    ...wishes,
    tags: tagWords,
    ...place,
    after: z.array(Ref).max(20).optional().describe('Ids of tasks that must be done first.'),
    draft: z.boolean().optional().describe('Only write it down; nobody works on it until it is handed over.'),
  }),
  output: z.object({ task: TaskBrief, warnings }),
  calls: ['task.create'],
  run: async ({ project, directory, after, draft, ...rest }, { call, now }) => {
    const task = await call('task.create', {
      ...orderOf(rest),
      ...(project === undefined ? {} : { project }),
      ...(directory === undefined ? {} : { directory }),
      ...(after === undefined ? {} : { after }),
      ...(draft === undefined ? {} : { draft }),
    });
    const brief = briefOf(task, now());
    const { warnings: found = [] } = task;
    const text = [`Created ${lineOf(brief)}`, ...found.map((one) => `Warning: ${one}`), 'Wait for it with task_wait.'].join('\n');
    return { text, data: { task: brief, ...(found.length > 0 ? { warnings: found } : {}) } };
  },
});

const Part = z.strictObject({
  key: Name.describe('A name of your own for this task, for the "after" of later ones.'),
  ...wishes,
  tags: tagWords,
  after: z.array(Ref).max(20).optional().describe('Keys of earlier tasks in this list, or ids, that must be done first.'),
});
type Part = z.output<typeof Part>;

export const tasksCreate = tool({
  name: 'tasks_create',
  title: 'Create several tasks',
  about:
    'Split a bigger job: create up to 20 tasks at once, each with a key, and say with "after" which must be done before it. Tasks without ' +
    'dependencies run in parallel. Answers the ids by key. If one is refused, those before it exist and the answer says which is not.',
  input: z.strictObject({
    tasks: z.array(Part).min(1).max(AT_ONCE).describe('In an order in which each only depends on earlier ones.'),
    ...place,
  }),
  output: z.object({
    tasks: z.array(z.object({ key: z.string(), task: TaskBrief })),
    warnings,
    refused: z.object({ key: z.string(), code: z.string(), message: z.string() }).optional(),
  }),
  calls: ['task.create'],
  run: async ({ tasks, project, directory }, asked) => {
    assertOrder(tasks);
    const where = { ...(project === undefined ? {} : { project }), ...(directory === undefined ? {} : { directory }) };
    const { made, refused } = await madeInOrder(tasks, where, asked);
    const items = [...made].map(([key, task]) => ({ key, task: briefOf(task, asked.now()) }));
    const first = `Created ${counted(items.length, 'task')} of ${tasks.length}.`;
    const found = [...new Set([...made.values()].flatMap((task) => task.warnings ?? []))];
    const text = [first, linesOf(items.map(({ task }) => task)), ...found.map((one) => `Warning: ${one}`)].join('\n');
    const told = { tasks: items, ...(found.length > 0 ? { warnings: found } : {}) };
    if (!refused) return { text: `${text}\nWait for them with task_wait.`, data: told };
    return {
      text: `${text}\n"${refused.key}" and what follows was refused: ${refused.message}`,
      data: { ...told, refused },
    };
  },
});

type Made = Map<string, OutputOf<'task.create'>>;

async function madeInOrder(
  tasks: readonly Part[],
  where: { project?: string; directory?: string },
  { call }: ToolContext,
): Promise<{ made: Made; refused?: { key: string; code: string; message: string } }> {
  const made: Made = new Map();
  for (const { key, after = [], ...rest } of tasks) {
    try {
      const order = { ...orderOf(rest), ...where, after: after.map((name) => made.get(name)?.id ?? name) };
      made.set(key, await call('task.create', order));
    } catch (error) {
      // The first says it all; later ones leave something behind that must be told.
      if (made.size === 0 || !isFault(error)) throw error;
      return { made, refused: { key, code: error.code, message: error.message } };
    }
  }
  return { made };
}

function assertOrder(tasks: readonly Part[]): void {
  const keys = tasks.map(({ key }) => key);
  const double = keys.find((key, at) => keys.indexOf(key) !== at);
  if (double !== undefined)
    throw new Fault('invalid', `the key ${JSON.stringify(double)} stands for two tasks: give each its own`);
  tasks.forEach(({ key, after = [] }, at) => {
    const late = after.find((name) => keys.indexOf(name) >= at);
    if (late !== undefined)
      throw new Fault('invalid', `"${key}" comes after "${late}", which stands later in the list: put ${late} first`);
  });
}
