import type { ChildProcess } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { onTestFailed, vi } from 'vitest';
import { type CliHouse, cliHouse, type Person } from './cli-house.ts';

export interface TaskJson {
  readonly id: string;
  readonly title: string;
  readonly phase: {
    readonly state: string;
    readonly block?: { readonly cause: string; readonly what: string };
    readonly reason?: string;
  };
  readonly cancelAsked?: unknown;
  readonly repairs: number;
  readonly attempts: number;
  readonly work?: {
    readonly branch: string;
    readonly base: string;
    readonly target: string;
    readonly tip?: string;
    readonly kept?: { readonly commit: string; readonly ref: string };
    readonly changes?: { readonly files: number };
    readonly guarded?: readonly string[];
    readonly landed?: { readonly commit: string };
    readonly workspaceId?: string;
  };
  readonly gate?: { readonly green?: boolean; readonly commit?: string; readonly runId?: string };
}

export interface WorkspaceJson {
  readonly id: string;
  readonly path: string;
  readonly state: string;
  readonly why?: string;
  readonly use: { readonly kind: string; readonly taskId?: string };
  readonly ports: string;
  readonly setup?: unknown;
}

export interface RunJson {
  readonly id: string;
  readonly taskId: string;
  readonly kind: string;
  readonly directory?: string;
  readonly phase: { readonly state: string; readonly outcome?: string; readonly detail?: string };
}

/** An engine that holds its lease. */
export interface Engine {
  readonly process: ChildProcess;
  log(): string;
  kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
}

/** A home with one repository as a project, and an engine that has been started. */
export interface WorkHouse extends CliHouse {
  readonly repo: string;
  create(scenario: string, ...more: string[]): Promise<string>;
  show(id: string): Promise<TaskJson>;
  all(): Promise<readonly TaskJson[]>;
  /** Oldest first. */
  runs(taskId: string): Promise<readonly RunJson[]>;
  workspaces(): Promise<readonly WorkspaceJson[]>;
  /** Waits until the task has come to rest, and answers how it stands. */
  rest(id: string): Promise<TaskJson>;
  /** Waits until all of them have come to rest, and answers how they stand. */
  rested(ids: readonly string[], seconds: number): Promise<readonly TaskJson[]>;
  /** Waits for a fact about a task. */
  sees(id: string, isSo: (task: TaskJson) => boolean): Promise<TaskJson>;
  /** What git says in the user's own checkout. */
  says(...args: string[]): Promise<string>;
  engine(more?: Record<string, string>): void;
  /** Starts an engine and waits until it holds its lease. */
  up(more?: Record<string, string>, isInTest?: boolean): Promise<Engine>;
}

export const RESTING = ['done', 'blocked', 'failed', 'canceled'];

export interface WorkHouseOptions {
  readonly engine?: boolean;
  readonly settings?: readonly string[];
  readonly as?: Person | undefined;
}

export async function workHouse(
  project: readonly string[] = [],
  { engine = true, settings = [], as }: WorkHouseOptions = {},
): Promise<WorkHouse> {
  const house = await cliHouse(undefined, as);
  const repo = await house.repository('shop');
  await house.ok(['project', 'add', repo, '--executor', 'scripted', '--integration', 'auto', ...project]);
  if (settings.length > 0) await house.ok(['config', 'set', ...settings]);
  const json = async <Shape>(...args: string[]) => (await house.ok([...args, '--json'])).json<Shape>();
  const show = (id: string) => json<TaskJson>('task', 'show', id);
  const sees = (id: string, isSo: (task: TaskJson) => boolean) =>
    vi.waitFor(
      async () => {
        const task = await show(id);
        if (!isSo(task)) throw new Error(`task ${id} stands at ${JSON.stringify({ ...task, prompt: '…' })}`);
        return task;
      },
      { timeout: 60_000, interval: 300 },
    );
  // One process that waits, instead of many that look.
  const rested = async (ids: readonly string[], seconds: number) => {
    const patience = String(Math.max(seconds, 900));
    const waited = await house.fleet(['task', 'wait', ...ids, '--timeout', patience, '--json']);
    // It ends with another code when not all of them are done.
    const items = waited.out === '' ? [] : waited.json<{ items: TaskJson[] }>().items;
    if (items.length === ids.length && items.every(({ phase }) => RESTING.includes(phase.state))) return items;
    const open = (await Promise.all(ids.map(show))).filter(({ phase }) => !RESTING.includes(phase.state));
    throw new Error(`not at rest: ${JSON.stringify(open.map((task) => ({ ...task, prompt: '…' })))} ${waited.err}`);
  };
  const start = (more: Record<string, string> = {}) => void house.start(['up'], more);
  // Whoever waits for a task starts an engine when there is none yet: it must hold its lease before.
  if (engine) await engineOf(house, {}, false);
  return {
    ...house,
    repo,
    show,
    sees,
    all: async () => (await json<{ items: TaskJson[] }>('task', 'list', '--limit', '500')).items,
    runs: async (id) => (await json<{ items: RunJson[] }>('run', 'list', '--limit', '500', '--task', id)).items.toReversed(),
    workspaces: async () => (await json<{ items: WorkspaceJson[] }>('workspace', 'list')).items,
    rest: async (id) => (await rested([id], 90))[0] as TaskJson,
    rested,
    says: async (...args) => (await house.git(repo, ...args)).out.trim(),
    engine: start,
    up: (more = {}, isInTest = true) => engineOf(house, more, isInTest),
    create: async (scenario, ...more) => {
      const prompt = `\`\`\`scenario\n${scenario}\n\`\`\``;
      const made = await house.ok(['task', 'create', '--project', 'shop', '--prompt', prompt, '--json', ...more]);
      return made.json<TaskJson>().id;
    },
  };
}

async function engineOf(house: CliHouse, more: Record<string, string>, isInTest = true): Promise<Engine> {
  const child = house.start(['up'], more);
  let log = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  if (isInTest) onTestFailed(() => void process.stderr.write(`engine ${child.pid}:\n${log.slice(-3_000)}\n`));
  await vi.waitFor(
    () => {
      if (child.exitCode !== null) throw new Error(`the engine ended with ${child.exitCode}: ${log}`);
      if (!log.includes('engine.started')) throw new Error(`the engine has not started: ${log}`);
    },
    { timeout: 30_000, interval: 20 },
  );
  return {
    process: child,
    log: () => log,
    kill: (signal) =>
      new Promise((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) return resolve();
        child.once('exit', () => resolve());
        child.kill(signal);
      }),
  };
}

/** A file of the repository as the target branch has it. */
export const onMain = async (house: WorkHouse, file: string): Promise<string> => house.says('show', `main:${file}`);

export const fileIn = (house: WorkHouse, file: string): Promise<string> => readFile(join(house.repo, file), 'utf8');

export async function writeIn(house: WorkHouse, file: string, text: string): Promise<void> {
  await mkdir(dirname(join(house.repo, file)), { recursive: true });
  await writeFile(join(house.repo, file), text);
}

/** Writes files and commits them, as a person does. */
export async function commitIn(house: WorkHouse, files: Readonly<Record<string, string>>, message = 'mine'): Promise<void> {
  for (const [file, text] of Object.entries(files)) await writeIn(house, file, text);
  await house.git(house.repo, 'add', '-A');
  await house.git(house.repo, 'commit', '-qm', message);
}

/** Ids of the tasks whose work is in the target, once for each time it was put there; newest first. */
export async function landedOn(house: WorkHouse, branch = 'main'): Promise<readonly string[]> {
  const said = await house.says(
    'log',
    '--merges',
    '--first-parent',
    '--format=%(trailers:key=Fleet-Task,valueonly,separator=%x2c)',
    branch,
  );
  return said.split('\n').filter((id) => id !== '');
}

/** What is wrong with the repository and the home when nothing is going on: nothing. */
export async function leftovers(house: WorkHouse): Promise<readonly string[]> {
  const wrong: string[] = [];
  const fsck = await house.git(house.repo, 'fsck', '--strict', '--no-dangling');
  if (fsck.code !== 0 || /error|missing|broken|corrupt/.test(fsck.out + fsck.err)) wrong.push(`fsck: ${fsck.out}${fsck.err}`);
  const status = await house.says('status', '--porcelain');
  if (status !== '') wrong.push(`the checkout is not clean: ${status}`);
  const locks = (await readdir(join(house.repo, '.git'), { recursive: true })).filter((name) => name.endsWith('.lock'));
  if (locks.length > 0) wrong.push(`locks: ${locks.join(', ')}`);
  const rows = (await house.workspaces()).map(({ path }) => path).toSorted();
  const places = await directoriesOf(house);
  const beside = rows.map((path) => `${path}.fleet`);
  const unknown = places.filter((path) => !rows.includes(path) && !beside.includes(path));
  const missing = rows.filter((path) => !places.includes(path));
  if (unknown.length > 0) wrong.push(`directories without a row: ${unknown.join(', ')}`);
  if (missing.length > 0) wrong.push(`rows without a directory: ${missing.join(', ')}`);
  return wrong;
}

async function directoriesOf({ home }: CliHouse): Promise<readonly string[]> {
  const root = join(home, 'workspaces');
  const projects = await readdir(root).catch(() => []);
  const inside = await Promise.all(
    projects.map(async (name) => (await readdir(join(root, name))).map((one) => join(root, name, one))),
  );
  return inside.flat();
}
