import type { z } from 'zod';
import type { createTask } from '../../contract/task.ts';
import { Fault } from '../../domain/fault.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Project } from '../../domain/project/project.ts';
import { outranksProject } from '../../domain/settings.ts';
import type { Task, TaskSpec } from '../../domain/task/task.ts';
import { transition } from '../../domain/task/transition.ts';
import type { Instant, TaskId } from '../../domain/values.ts';
import type { Write } from '../../store/port.ts';
import { changeWrites, creationWrites } from '../../store/records/journal.ts';
import type { Versioned } from '../../store/records/record.ts';
import { tasks } from '../../store/records/tasks.ts';
import { teamFor } from '../authorize.ts';
import { creatorRoleOf, withinBounds } from '../bounds.ts';
import { findTask } from '../find.ts';
import type { Handlers, Scope } from '../scope.ts';
import { plan } from '../scope.ts';
import { storeText } from '../texts.ts';
import { warningsFor } from './doable.ts';
import { assertArguments, assertExecutors } from './executors.ts';
import { awaited, findDependencies, openOnes } from './graph.ts';
import { asPart } from './part.ts';
import { assertSandbox, isolationFor } from './trust.ts';
import { viewOf } from './view.ts';
import { workPlaceOf } from './work-place.ts';

type Input = z.output<typeof createTask.input>;

export const createTaskHandler: Handlers['task.create'] = async (input, scope) =>
  madeTask(scope.caller.run ? await asPart(input, scope) : input, scope);

/** The plan of a new task; one that reviews another waits for its work, not for its landing. */
export async function madeTask(asked: Input, scope: Scope, { reviews }: Pick<Task, 'reviews'> = {}) {
  const [{ place, project }, dependencies, parent] = await Promise.all([
    asked.directory !== undefined && scope.caller.run
      ? { place: { directory: asked.directory }, project: undefined }
      : workPlaceOf(asked, scope),
    findDependencies(asked.after ?? [], scope),
    asked.parent === undefined ? undefined : findTask(scope, asked.parent),
  ]);
  const executors = asked.executor ?? givenDefaults(asked, scope).executors ?? [];
  await assertExecutors(executors, scope);
  assertArguments(asked.extraArg, scope);
  const input = await withinBounds(asked, { executors, extraArgs: asked.extraArg, project, of: parent?.body }, scope);
  const wish = wishOf(input, scope, dependencies);
  const { integration, isolation } = landing(input, project, scope);
  if (integration !== undefined) wish.integration = integration;
  if (isolation !== undefined) wish.isolation = isolation;
  const task = draftOf(scope.ids.task(), { wish, prompt: await storeText(scope, input.prompt) }, scope);
  stand(task, { ...place, ...lineage(parent, scope, reviews ? 1 : 0) });
  if (task.sandbox) await assertSandbox(task, scope);
  if (reviews) task.reviews = reviews;
  if (scope.caller.run && parent) madeFor(task, parent.body);
  const unmet = openOnes(dependencies, task);
  const placed = input.draft ? task : transition(task, { type: 'dispatch', at: scope.now, unmet });
  const author = { by: scope.caller.name, at: scope.now };
  const writes: Write[] = [
    ...creationWrites(tasks, placed, author, { what: 'created', to: placed.phase.state }),
    ...awaited(dependencies.filter(({ body }) => body.id !== parent?.body.id)),
    ...(parent ? partAdded(parent, placed, author) : []),
  ];
  const [view, warnings] = await Promise.all([viewOf(placed, scope), warningsFor(placed, scope, project)]);
  if (warnings.length > 0) view.warnings = warnings;
  return plan(view, writes);
}

/** Where it stands. */
function stand(task: Task, { projectId, directory, parentId, depth }: Partial<Task>): void {
  if (projectId !== undefined) task.projectId = projectId;
  if (directory !== undefined) task.directory = directory;
  if (parentId !== undefined) task.parentId = parentId;
  if (depth !== undefined) task.depth = depth;
}

/**
 * A task with nothing decided but what it asks for. Here as everywhere with tasks, what is spread comes after the fields
 * that it does not have: V8 gives a field that is added to a copy of a large object a new hidden class each time, which
 * takes longer than all the rest of making a task.
 */
export function draftOf(
  id: TaskId,
  { wish, prompt }: { readonly wish: TaskSpec; readonly prompt: Task['prompt'] },
  { now, caller }: Pick<Scope, 'now' | 'caller'>,
): Task {
  const team = teamFor(caller, wish.team);
  const draft: Task = {
    id,
    seq: 1,
    prompt,
    depth: 0,
    children: 0,
    awaited: 0,
    untold: false,
    phase: { state: 'draft', since: now },
    attempts: 0,
    uncounted: 0,
    lostTimes: 0,
    repairs: 0,
    stalledTimes: 0,
    refusedTimes: 0,
    fullTimes: 0,
    turns: 0,
    spentMs: 0,
    messages: [],
    createdAt: now,
    createdBy: caller.name,
    creatorId: caller.id,
    updatedAt: now,
    ...defined(wish),
  };
  if (team !== undefined) draft.team = team;
  const creatorRole = creatorRoleOf(caller);
  if (creatorRole !== undefined) draft.creatorRole = creatorRole;
  if (caller.heldAs && caller.heldAs.length > 0) draft.heldAs = [...caller.heldAs];
  return draft;
}

/** What a run makes, it makes for whoever made its task. */
function madeFor(task: Task, { creatorRole, heldAs }: Task): void {
  if (creatorRole !== undefined) task.creatorRole = creatorRole;
  if (heldAs !== undefined) task.heldAs = heldAs;
}

/**
 * What the caller gives for its own calls decides now. What the home says of it is looked up when the task is started; a
 * model belongs to the executor it was given with.
 */
export function givenDefaults(
  { executor, model, failover }: Partial<Pick<Input, 'executor' | 'model' | 'failover'>>,
  { settings }: Pick<Scope, 'settings'>,
): Pick<Partial<TaskSpec>, 'executors' | 'model' | 'failover'> {
  const { given = {} } = settings.current();
  return {
    ...(executor === undefined && given.executor !== undefined ? { executors: [given.executor] } : {}),
    ...(executor === undefined && model === undefined && given.model !== undefined ? { model: given.model } : {}),
    ...(failover === undefined && given.failover !== undefined ? { failover: given.failover } : {}),
  };
}

function wishOf(input: Input, scope: Scope, dependencies: readonly Versioned<Task>[]): TaskSpec {
  const { settings } = scope;
  const {
    prompt,
    after: _after,
    project: _p,
    directory: _d,
    parent: _q,
    draft: _r,
    tag,
    tool,
    executor,
    extraArg,
    ...given
  } = input;
  const kind = given.kind ?? 'implement';
  const wish: TaskSpec = {
    title: given.title ?? titleOf(prompt),
    kind,
    expectsChanges: given.expectsChanges ?? (kind !== 'review' && kind !== 'explore'),
    priority: given.priority ?? 5,
    tags: tag ?? [],
    executors: executor ?? [],
    extraArgs: extraArg ?? [],
    maxAttempts: given.maxAttempts ?? settings.current().values.max_attempts,
    dependsOn: dependencies.map(({ body }) => body.id),
    metadata: given.metadata ?? {},
    ...defined(given),
    ...givenDefaults(input, scope),
  };
  if (tool) wish.tools = tool;
  return wish;
}

/** How work in a project is kept apart and what becomes of it: as the task says, or its project, or the home. */
export function landing(
  input: Partial<Pick<Input, 'integration' | 'isolation' | 'sandbox'>>,
  project: Project | undefined,
  { settings }: Scope,
): Pick<TaskSpec, 'integration' | 'isolation'> {
  assertIntegration(input.integration);
  const own = isolationFor({ sandbox: input.sandbox, explicit: input.isolation, project });
  if (!project) return defined({ integration: input.integration, isolation: own });
  const { values, items } = settings.current();
  const resolve = <Name extends 'integration' | 'isolation'>(name: Name) => {
    const outranks = outranksProject(items.find((item) => item.name === name)?.origin);
    return input[name] ?? (outranks ? values[name] : (project[name] ?? values[name]));
  };
  const integration = resolve('integration');
  assertIntegration(integration);
  return { integration, isolation: own ?? resolve('isolation') };
}

/** Nothing that is not there may be promised. */
export function assertIntegration(asked: TaskSpec['integration']): void {
  if (asked === 'pr') throw new Fault('invalid', 'pull requests are not available yet: choose auto, review or none');
}

type Defined<Fields> = { [Name in keyof Fields]: Exclude<Fields[Name], undefined> };

/** Without the fields that were not given; the very object when all were. */
export const defined = <Fields extends object>(fields: Fields): Defined<Fields> =>
  (Object.values(fields).includes(undefined)
    ? Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
    : fields) as Defined<Fields>;

export function titleOf(prompt: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a title has none
  const first = (prompt.trim().split(/\r?\n/, 1)[0] ?? '').replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, ' ').trim();
  const letters = [...(first || 'untitled')];
  return letters.length <= 80 ? letters.join('') : `${letters.slice(0, 79).join('')}…`;
}

export function lineage(parent: Versioned<Task> | undefined, { settings }: Scope, deeper: number): Partial<Task> {
  if (!parent) return {};
  const { max_depth: deepest } = settings.current().values;
  const depth = parent.body.depth + 1;
  if (depth > deepest + deeper)
    throw new Fault(
      'limit',
      `task ${parent.body.id} is ${parent.body.depth} levels deep already; the setting max_depth allows ${deepest}`,
    );
  if (parent.body.children >= LIMITS.subTasks.value)
    throw new Fault('limit', `task ${parent.body.id} has ${parent.body.children} parts already, the most a task may have`);
  return { parentId: parent.body.id, depth };
}

export function partAdded(parent: Versioned<Task>, child: Task, author: { by: string; at: Instant }): Write[] {
  const waits = child.dependsOn.includes(parent.body.id) ? 1 : 0;
  const next = { ...parent.body, children: parent.body.children + 1, awaited: parent.body.awaited + waits, updatedAt: author.at };
  return changeWrites(tasks, parent, next, { author, note: { what: 'part added', data: { task: child.id } } });
}
