import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly args: z.ZodObject;
  text(args: Readonly<Record<string, string | undefined>>): string;
}

const project = z.string().max(80).optional().describe('Name of the project.');
const inProject = (name: string | undefined) => (name === undefined ? '' : ` in the project "${name}"`);

/** Jobs that people ask for again and again, worded so that a model uses the tools well. */
export const PROMPTS: readonly Prompt[] = [
  {
    name: 'fix_bug',
    title: 'Fix a bug',
    description: 'Let an agent reproduce a bug, fix it and prove the fix.',
    args: z.object({ bug: z.string().max(20_000).describe('What is wrong, and how one sees it.'), project }),
    text: ({ bug, project: name }) =>
      `Have this bug fixed by an agent of the fleet${inProject(name)}:\n\n${bug}\n\nCreate one task (kind "fix") whose prompt says how to ` +
      'reproduce it, asks for a test that fails first, and says what must not change. Wait with task_wait, then read the report and the diff with ' +
      'task_collect. If the test does not really show the bug, reject with what is missing. Tell me the outcome in a few lines.',
  },
  {
    name: 'review_branch',
    title: 'Review a branch',
    description: 'Let an agent review a branch without changing it.',
    args: z.object({ branch: z.string().max(200).describe('The branch to look at.'), project }),
    text: ({ branch, project: name }) =>
      `Have the branch "${branch}"${inProject(name)} reviewed by an agent of the fleet: create a task of kind "review" with integration "none" whose ` +
      `prompt asks it to compare ${branch} with the target branch, to look for bugs, missing tests and unsafe changes, and to report each finding with ` +
      'file, line and a suggestion, ordered by weight. Wait for it, collect the report, and tell me the findings you agree with.',
  },
  {
    name: 'split_job',
    title: 'Split a big job',
    description: 'Split a job into tasks that agents can do side by side.',
    args: z.object({ goal: z.string().max(20_000).describe('What is to be reached.'), project }),
    text: ({ goal, project: name }) =>
      `Split this job into tasks for the fleet${inProject(name)}:\n\n${goal}\n\nLook at the code first. Make each task small enough for one agent, ` +
      'with a prompt that stands alone and a way to verify it; put tasks that touch the same files behind each other with "after". Show me the plan, and ' +
      'after my yes create them with tasks_create, wait with task_wait, and collect each report as it comes.',
  },
  {
    name: 'triage_blocked',
    title: 'Triage what is blocked',
    description: 'Go through everything that waits for a person.',
    args: z.object({}),
    text: () =>
      'Look at fleet_status and question_list. For each blocked task and each question say in one line what is needed, from whom, and what you ' +
      'suggest: answer, resume with a hint, retry, reject or cancel. Do nothing that destroys work. After my yes carry the suggestions out.',
  },
];

export function offerPrompts(server: McpServer): void {
  for (const { name, title, description, args, text } of PROMPTS)
    server.registerPrompt(name, { title, description, argsSchema: args }, (given) => ({
      description,
      messages: [{ role: 'user', content: { type: 'text', text: text(given as Record<string, string | undefined>) } }],
    }));
}
