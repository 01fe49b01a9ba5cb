import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { vi } from 'vitest';
import { type CliHouse, cliHouse } from './cli-house.ts';

export interface TaskJson {
  readonly id: string;
  readonly phase: {
    readonly state: string;
    readonly block?: { readonly cause: string; readonly what: string };
    readonly reason?: string;
  };
  readonly repairs: number;
  readonly attempts: number;
  readonly work?: {
    readonly branch: string;
    readonly base: string;
    readonly tip?: string;
    readonly kept?: { readonly commit: string; readonly ref: string };
    readonly changes?: { readonly files: number };
    readonly landed?: { readonly commit: string };
    readonly workspaceId?: string;
  };
  readonly gate?: { readonly green?: boolean; readonly commit?: string; readonly runId?: string };
}

/** A home with one repository as a project, and an engine that has been started. */
export interface WorkHouse extends CliHouse {
  readonly repo: string;
  create(scenario: string, ...more: string[]): Promise<string>;
  show(id: string): Promise<TaskJson>;
  /** Waits until the task has come to rest, and answers how it stands. */
  rest(id: string): Promise<TaskJson>;
  /** Waits for a fact about a task. */
  sees(id: string, isSo: (task: TaskJson) => boolean): Promise<TaskJson>;
  /** What git says in the user's own checkout. */
  says(...args: string[]): Promise<string>;
  engine(more?: Record<string, string>): void;
}

const RESTING = ['done', 'blocked', 'failed', 'canceled'];

export async function workHouse(project: readonly string[] = [], { engine = true } = {}): Promise<WorkHouse> {
  const house = await cliHouse();
  const repo = await house.repository('shop');
  await house.ok(['project', 'add', repo, '--executor', 'scripted', '--integration', 'auto', ...project]);
  const show = async (id: string) => (await house.ok(['task', 'show', id, '--json'])).json<TaskJson>();
  const sees = (id: string, isSo: (task: TaskJson) => boolean) =>
    vi.waitFor(
      async () => {
        const task = await show(id);
        if (!isSo(task)) throw new Error(`task ${id} stands at ${JSON.stringify({ ...task, prompt: '…' })}`);
        return task;
      },
      { timeout: 60_000, interval: 100 },
    );
  const start = (more: Record<string, string> = {}) => void house.start(['up'], more);
  if (engine) start();
  return {
    ...house,
    repo,
    show,
    sees,
    rest: (id) => sees(id, ({ phase }) => RESTING.includes(phase.state)),
    says: async (...args) => (await house.git(repo, ...args)).out.trim(),
    engine: start,
    create: async (scenario, ...more) => {
      const prompt = `\`\`\`scenario\n${scenario}\n\`\`\``;
      const made = await house.ok(['task', 'create', '--project', 'shop', '--prompt', prompt, '--json', ...more]);
      return made.json<TaskJson>().id;
    },
  };
}

/** A file of the repository as the target branch has it. */
export const onMain = async (house: WorkHouse, file: string): Promise<string> => house.says('show', `main:${file}`);

export const fileIn = (house: WorkHouse, file: string): Promise<string> => readFile(join(house.repo, file), 'utf8');
export const writeIn = (house: WorkHouse, file: string, text: string): Promise<void> => writeFile(join(house.repo, file), text);
