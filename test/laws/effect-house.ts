import type { z } from 'zod';
import { engineDeps, workOf } from '../../src/app/engine-deps.ts';
import type { ExecutorRegistry } from '../../src/app/executor-registry.ts';
import { homePaths } from '../../src/app/home.ts';
import { prepareRun } from '../../src/app/prepare.ts';
import type { FleetServices } from '../../src/app/services.ts';
import type { addProject } from '../../src/contract/project.ts';
import type { createTask } from '../../src/contract/task.ts';
import { shortageOf } from '../../src/domain/hold/disk-room.ts';
import type { Settings } from '../../src/domain/settings.ts';
import type { Task } from '../../src/domain/task/task.ts';
import type { HostId } from '../../src/domain/values.ts';
import { nextStep } from '../../src/domain/work/next-step.ts';
import { takeTurn } from '../../src/engine/controller.ts';
import { dispatch } from '../../src/engine/dispatch.ts';
import type { GitWork, WorkDeps } from '../../src/engine/work/deps.ts';
import { land } from '../../src/engine/work/land.ts';
import { placeFor } from '../../src/engine/work/place.ts';
import { claude } from '../../src/executors/claude/claude.ts';
import { codex } from '../../src/executors/codex/codex.ts';
import { redactor } from '../../src/redact/redactor.ts';
import { changeWrites } from '../../src/store/records/journal.ts';
import { projects } from '../../src/store/records/projects.ts';
import { runIndex, runs } from '../../src/store/records/runs.ts';
import { tasks } from '../../src/store/records/tasks.ts';
import { workspaces } from '../../src/store/records/workspaces.ts';
import { memoryHouse } from '../support/memory-house.ts';

export type TaskInput = z.input<typeof createTask.input>;
export type ProjectInput = z.input<typeof addProject.input>;

/** What is given to a fleet that is otherwise always the same. */
export interface Given {
  readonly task?: Partial<TaskInput>;
  readonly project?: Partial<ProjectInput>;
  readonly settings?: Partial<Settings>;
}

export const COMMITS = { main: 'a'.repeat(40), other: 'b'.repeat(40), tip: 'c'.repeat(40), merged: 'd'.repeat(40) };

/** What Fleet itself is started with. */
const ENV = { PATH: '/bin', HOME: '/somebody', MYAPP_URL: 'here' };

export interface EffectHouse extends ReturnType<typeof memoryHouse> {
  /** As the program wires it, but for files and processes. */
  readonly wired: FleetServices;
  readonly needs: WorkDeps;
  readonly pushed: string[];
}

const GB = 1_024 ** 3;
/** Room enough, unless somebody wants more. */
const DISK = { path: '/fleet-of-nobody', freeBytes: 2 * GB, totalBytes: 100 * GB };

/** A fleet in memory with a project `shop`, wired as the program wires it: the same every time, down to its ids. */
export async function effectHouse({ project = {}, settings = {} }: Given): Promise<EffectHouse> {
  const house = memoryHouse({ random: () => 0.5 });
  Object.assign(house.settings, settings);
  house.places.set('/beside', { kind: 'repository', path: '/beside', branch: 'main', hasCommit: true });
  const shelf = new Map([
    ['claude', claude({ kind: 'cli', command: '/bin/claude' })],
    ['codex', codex({ command: '/bin/codex' } as Parameters<typeof codex>[0])],
  ]);
  const executors = { all: async () => shelf, named: async (name: string) => shelf.get(name) } as unknown as ExecutorRegistry;
  const wired = {
    ...house,
    paths: homePaths({ FLEET_HOME: '/fleet-of-nobody' }, '/'),
    settings: { current: () => ({ values: house.settings, items: [], file: '/fleet-of-nobody/runtime.toml' }) },
    executors,
    disk: { diskShort: async () => shortageOf([DISK], house.settings.disk_reserve_mb), diskFull: async () => undefined },
    output: { redactor: async () => redactor([]), clean: redactor([]) },
    signer: async () => ({ signRun: async () => 'token of the run' }),
  } as unknown as FleetServices;
  const pushed: string[] = [];
  const needs = {
    ...engineDeps(wired, { id: 'here' as HostId, name: 'here', former: [] }, executors),
    ...workOf(wired, ENV),
    elapsed: () => Date.parse(house.now()),
    gitWork: gitWorkFor(pushed),
    log: () => undefined,
  } as WorkDeps;
  await house.call('project.add', { path: '/repo', name: 'shop', ...project });
  return { ...house, wired, needs, pushed };
}

/** Git as it would answer: two branches, and everything can be put together. */
function gitWorkFor(pushed: string[]): Partial<GitWork> {
  const commitOf = async (ref: string) => ({ 'refs/heads/main': COMMITS.main, other: COMMITS.other })[ref] ?? COMMITS.main;
  return {
    targetOf: async (_project, wanted = 'main') => ({ state: 'found', branch: wanted, commit: await commitOf(wanted) }),
    commitOf: async (_project, ref) => commitOf(ref),
    branchFor: ({ id }, executor) => `${executor}/${id}`,
    pathOf: (_project, n) => `/workspaces/${n}`,
    provision: async () => ({ head: COMMITS.main, skipped: [], isSetUp: false, isFresh: true }),
    showBranches: async () => undefined,
    setupSource: async () => undefined,
    combine: async (_project, { tip, onto }) =>
      onto === COMMITS.tip
        ? { state: 'contained', commit: tip }
        : { state: 'merged', commit: COMMITS.merged, tree: COMMITS.merged },
    advance: async () => ({ state: 'moved' }),
    dropRef: async () => undefined,
    recordProvenance: async () => undefined,
    push: async (_project, branch) => {
      pushed.push(branch);
      return { ok: true };
    },
  };
}

export async function drain({ needs }: EffectHouse): Promise<void> {
  while ((await takeTurn(dispatch(needs))).acted > 0);
}

export const liveRuns = async ({ store }: EffectHouse) =>
  (await store.scan({ index: runIndex.live('here'), limit: 1_000 })).map(runs.read);

export const created = (house: EffectHouse, { task = {} }: Given) =>
  house.call('task.create', { ...('directory' in task ? {} : { project: 'shop' }), prompt: 'sort the list', ...task });

export async function stored({ store }: EffectHouse, id: string): Promise<Task> {
  const found = await tasks.get(store, id);
  if (!found) throw new Error(`${id} is gone`);
  return found.body;
}

/** A task and its run, claimed as an engine claims it. */
export async function begun(given: Given) {
  const house = await effectHouse(given);
  const { id } = await created(house, given);
  await drain(house);
  const run = (await liveRuns(house)).find(({ taskId }) => taskId === id);
  if (!run) throw new Error(`${id} was not claimed`);
  return { house, run, task: await stored(house, id) };
}

/** How its program is started: arguments, environment, prompt, files. */
export async function started(given: Given) {
  const { house, run, task } = await begun(given);
  const executor = await house.wired.executors.named(run.executor);
  const { job, env, steps } = await prepareRun(house.wired, ENV, { run, task, executor });
  return { job, env, steps, launch: executor?.launch(job), run };
}

/** The branch it works on, and where that begins and lands. */
export async function placed(given: Given, more: (house: EffectHouse) => Promise<Given> = async () => given) {
  const house = await effectHouse(given);
  const { id } = await created(house, await more(house));
  await drain(house);
  const run = (await liveRuns(house)).find(({ taskId }) => taskId === id);
  if (!run) throw new Error(`${id} was not claimed`);
  await placeFor(run, await stored(house, id), house.needs);
  const { work } = await stored(house, id);
  const space = work?.workspaceId && (await workspaces.get(house.store, work.workspaceId))?.body;
  return { work, isolation: space && space.isolation };
}

/** What the engine would do next with finished work. */
export async function nextOf(given: Given, files = 1): Promise<unknown> {
  const { house, task } = await begun(given);
  const project = task.projectId && (await projects.get(house.store, task.projectId))?.body;
  const changes = { commits: files, files, added: files, removed: 0 };
  const work = { branch: 'its', target: 'main', base: COMMITS.main, tip: COMMITS.tip, tree: COMMITS.tip, changes };
  return nextStep({ ...task, work }, project || {});
}

/** Writes a task as it would stand later. */
export async function rewrite({ store, now }: EffectHouse, id: string, more: Partial<Task>): Promise<void> {
  const seen = await tasks.get(store, id);
  if (!seen) throw new Error(`${id} is gone`);
  const author = { by: 'a test', at: now() };
  await store.commit(changeWrites(tasks, seen, { ...seen.body, ...more }, { author, note: { what: 'rewritten' } }));
}

/** Which branches are pushed when its work has landed. */
export async function landed(given: Given): Promise<unknown> {
  const { house, run, task } = await begun(given);
  const landing = { onto: COMMITS.main, commit: COMMITS.merged, tree: COMMITS.merged };
  const work = { branch: 'its', target: 'main', base: COMMITS.main, tip: COMMITS.tip, tree: COMMITS.tip, landing };
  await rewrite(house, task.id, {
    phase: { state: 'merging', since: house.now(), holder: { kind: 'run', runId: run.id } },
    work,
  });
  const controller = land(house.needs);
  while ((await stored(house, task.id)).phase.state === 'merging') await takeTurn(controller);
  return { state: (await stored(house, task.id)).phase.state, pushed: house.pushed };
}
