import type { z } from 'zod';
import type { createTask } from '../../contract/task.ts';
import { boundsViolation, nameExecutors } from '../../domain/bounds/bounds.ts';
import { Fault } from '../../domain/fault.ts';
import { accountRefOf, executorRefOf } from '../../domain/hold/account.ts';
import type { Run } from '../../domain/run/run.ts';
import { type AllowedExecutors, partOf } from '../../domain/task/part.ts';
import type { Task, TaskSpec } from '../../domain/task/task.ts';
import { workspaces } from '../../store/records/workspaces.ts';
import { boundsOn } from '../bounds.ts';
import { findProject } from '../find.ts';
import { assertOwn, ownRun } from '../run/own-run.ts';
import type { ExecutorHere, Scope } from '../scope.ts';
import { assertExecutors } from './executors.ts';

type Input = z.output<typeof createTask.input>;

/** What a run asks for as a part of its own task: in the same place, below the same task, with no more than that task has. */
export async function asPart(input: Input, scope: Scope): Promise<Input> {
  const { run, task } = await ownRun(scope);
  assertOwn(input.parent, task.body.id);
  await assertSamePlace(input, task.body, scope);
  const { project: _p, directory: _d, ...asked } = input;
  const doers = await doersOf(run.body, task.body, { asked: asked.executor, scope });
  const part = partOf(task.body, inRecordWords(asked), doers);
  return { ...asked, ...inContractWords(part), ...placeOf(task.body), parent: task.body.id };
}

const SET_UP = 'set_up';

/** Who may do a part of the task. What is set up here is asked only when somebody else is wanted. */
export async function doersOf(
  run: Run,
  task: Task,
  { asked, scope }: { readonly asked: readonly string[] | undefined; readonly scope: Scope },
): Promise<AllowedExecutors> {
  const own = task.executors.length > 0 ? task.executors : [executorRefOf(run)];
  if ((asked ?? []).every((ref) => own.includes(ref))) return { own, others: [] };
  await assertExecutors(asked ?? [], scope);
  const allowed = scope.settings.current().values.part_executors;
  const bounds = await boundsOn(task, scope);
  const here = await scope.executors.here();
  const keepsTools = (ref: string) => here.find(({ name }) => name === accountRefOf(ref).executor)?.can?.tools === true;
  const ready = here.filter(isSetUp).map(({ name }) => name);
  // What is set up has a key of its own: who is kept from the keys of others gets none that the owner has not named.
  const isHeld = task.sandbox === true || nameExecutors(bounds);
  const named = allowed.flatMap((ref) => (ref === SET_UP ? (isHeld ? [] : ready) : [ref]));
  const refs = [...named, ...bounds.flatMap(({ executors = [] }) => executors)].filter(
    (ref) => boundsViolation(task, [ref], bounds) === undefined,
  );
  return { own, others: [...new Set(refs)].map((ref) => ({ ref, keepsTools: keepsTools(ref) })) };
}

/** One whose program is whatever a task names is not set up by itself. */
const isSetUp = ({ state, program, signedIn }: ExecutorHere): boolean =>
  state === 'ready' && (program !== undefined || signedIn === 'yes');

async function assertSamePlace({ project, directory }: Input, own: Task, scope: Scope): Promise<void> {
  if (project !== undefined && (await findProject(scope, project)).body.id !== own.projectId)
    throw new Fault('not_found', `no project ${JSON.stringify(project)}`, { project });
  if (directory !== undefined && !(await isWithinOwn(directory, own, scope)))
    throw new Fault('forbidden', 'a part is done where its task is done: leave the directory out');
}

/** A command line names the directory it was typed in: in a workspace it may be any of them. */
async function isWithinOwn(directory: string, { directory: own, work }: Task, { reads }: Scope): Promise<boolean> {
  if (directory === own) return true;
  const workspace = work?.workspaceId && (await workspaces.get(reads, work.workspaceId))?.body;
  return workspace ? directory === workspace.path || directory.startsWith(`${workspace.path}/`) : false;
}

/** Where the task itself works. */
export const placeOf = ({ projectId, directory }: Task): Pick<Input, 'project' | 'directory'> =>
  projectId === undefined ? { directory } : { project: projectId };

const inRecordWords = ({ tag, tool, executor, extraArg, ...same }: Partial<Input>): Partial<TaskSpec> => {
  const { prompt: _1, after: _2, parent: _3, draft: _4, project: _5, directory: _6, ...wish } = same;
  return {
    ...wish,
    ...(tag ? { tags: tag } : {}),
    ...(tool ? { tools: tool } : {}),
    ...(executor ? { executors: executor } : {}),
    ...(extraArg ? { extraArgs: extraArg } : {}),
  } as Partial<TaskSpec>;
};

export const inContractWords = ({
  tags,
  tools,
  executors,
  extraArgs,
  dependsOn: _dependsOn,
  ...same
}: Partial<TaskSpec>): Partial<Input> => ({
  ...same,
  ...(tags ? { tag: tags } : {}),
  ...(tools ? { tool: tools } : {}),
  ...(executors ? { executor: executors } : {}),
  ...(extraArgs ? { extraArg: extraArgs } : {}),
});
