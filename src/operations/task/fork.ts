import type { z } from 'zod';
import type { forkTask } from '../../contract/work.ts';
import { Fault } from '../../domain/fault.ts';
import { accountRefOf, executorRefOf } from '../../domain/hold/account.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Run } from '../../domain/run/run.ts';
import { makersOf, type Task, type TaskSpec } from '../../domain/task/task.ts';
import { transition } from '../../domain/task/transition.ts';
import type { TaskId } from '../../domain/values.ts';
import { keptRef, type Work } from '../../domain/work/work.ts';
import type { Write } from '../../store/port.ts';
import { changeWrites, creationWrites } from '../../store/records/journal.ts';
import { projects } from '../../store/records/projects.ts';
import { runIndex, runs } from '../../store/records/runs.ts';
import { tasks } from '../../store/records/tasks.ts';
import { workspaces } from '../../store/records/workspaces.ts';
import { withinBounds } from '../bounds.ts';
import { findTask, stillAt } from '../find.ts';
import { type Handlers, plan, type Scope } from '../scope.ts';
import { withMessage } from './changes.ts';
import { defined, draftOf, lineage, partAdded } from './create.ts';
import { assertExecutors } from './executors.ts';
import { withTrust } from './trust.ts';
import { viewOf } from './view.ts';

type Input = z.output<typeof forkTask.input>;
type ForkedFrom = NonNullable<Task['forkedFrom']>;

/** Everything is found out first, and then written in one commit: the fork, and in both histories where it came from. */
export const forkTaskHandler: Handlers['task.fork'] = async (input, scope) => {
  const seen = await findTask(scope, input.id);
  const origin = seen.body;
  stillAt('task', origin, input.ifSeq);
  const run = await lastConversation(origin, scope);
  const asked = wishOf(origin, run, input);
  const { executors } = asked;
  await assertExecutors(executors, scope);
  const wish = await withinBounds(
    asked,
    { executors, extraArgs: asked.extraArgs, project: await projectOf(origin, scope), of: origin },
    scope,
  );
  const id = scope.ids.task();
  const parent = origin.parentId && (await tasks.get(scope.reads, origin.parentId));
  const { projectId, directory, prompt } = origin;
  const placed: Task = { ...defined({ projectId, directory }), ...draftOf(id, { wish, prompt }, scope) };
  const fork: Task = {
    ...(await withTrust(placed, {}, scope)),
    ...(parent ? lineage(parent, scope, 0) : {}),
    ...heldLike(origin, placed),
    forkedFrom: { taskId: origin.id, runId: run.id, ...(await standOf(origin, { run, id }, scope)) },
  };
  const told = input.text === undefined ? fork : withMessage(fork, input.text, scope);
  const queued = transition(told, { type: 'dispatch', at: scope.now, unmet: [] });
  const author = { by: scope.caller.name, at: scope.now };
  const commit = fork.forkedFrom?.commit;
  const data = { run: run.id, ...(commit ? { commit } : {}) };
  const why = `forked from ${origin.id}`;
  const writes: Write[] = [
    ...creationWrites(tasks, queued, author, {
      what: 'created',
      to: queued.phase.state,
      why,
      data: { ...data, task: origin.id },
    }),
    ...changeWrites(
      tasks,
      seen,
      { ...origin, updatedAt: scope.now },
      { author, note: { what: 'forked', data: { ...data, task: id } } },
    ),
    ...(parent ? partAdded(parent, queued, author) : []),
  ];
  return plan(await viewOf(queued, scope), writes);
};

/** A copy is held to what its origin was, whoever makes it. */
function heldLike(origin: Task, { creatorRole, heldAs = [] }: Task): Pick<Task, 'heldAs'> {
  const makers = makersOf(origin).filter((role) => role !== (creatorRole ?? 'admin'));
  const all = [...new Set([...heldAs, ...makers])];
  return all.length === 0 ? {} : { heldAs: all };
}

const projectOf = async ({ projectId }: Task, { reads }: Scope) =>
  projectId === undefined ? undefined : (await projects.get(reads, projectId))?.body;

const RUNS_LOOKED_AT = 50;

/** The run whose conversation is gone on with: the newest that began, or, if it had not said which one it leads, the one before. */
async function lastConversation(task: Task, { reads }: Scope): Promise<Run> {
  const hits = await reads.scan({ index: runIndex.agents(task.id), limit: RUNS_LOOKED_AT, reverse: true });
  const begun = hits.map(runs.read).filter(({ watch }) => watch !== undefined);
  const [newest] = begun;
  if (!newest)
    throw new Fault('conflict', `task ${task.id} is ${task.phase.state} and no agent has worked on it yet: nothing to fork`);
  return begun.find(({ executor, watch }) => executor === newest.executor && watch?.session !== undefined) ?? newest;
}

/** The same wish again. What belongs to one program is not handed to another; what it waited for is behind it. */
function wishOf(origin: Task, run: Run, { title, executor, model, effort }: Input): TaskSpec {
  const own = executorRefOf(run);
  const executors = executor ?? [own, ...origin.executors.filter((ref) => ref !== own)];
  const isSame = accountRefOf(executors[0] ?? own).executor === run.executor;
  const { acceptance, priority, tags, kind, expectsChanges, preset, tools, systemPrompt, contextMode, sandbox } = origin;
  const { maxTurns, maxBudgetUsd, maxTokens, timeoutSeconds, maxAttempts, integration, isolation, push, assignee, team } = origin;
  return {
    ...defined({
      acceptance,
      preset,
      tools,
      systemPrompt,
      contextMode,
      sandbox,
      maxTurns,
      maxBudgetUsd,
      maxTokens,
      timeoutSeconds,
    }),
    ...defined({ integration, isolation, push, assignee, team, effort: effort ?? origin.effort }),
    ...defined({ model: model ?? (isSame ? origin.model : undefined) }),
    ...defined({ targetBranch: origin.work?.target ?? origin.targetBranch }),
    title: title ?? titleOf(origin),
    priority,
    tags,
    kind,
    expectsChanges,
    executors: executors.slice(0, LIMITS.executorsPerTask.value),
    extraArgs: isSame ? origin.extraArgs : [],
    maxAttempts,
    dependsOn: [],
    metadata: origin.metadata,
  };
}

const MARK = ' (fork)';

function titleOf({ title }: Task): string {
  if (title.endsWith(MARK)) return title;
  return `${[...title].slice(0, LIMITS.titleCharacters.value - MARK.length * 2).join('')}${MARK}`;
}

/** Where the work stands: what an agent has at this moment, else all that was committed or kept when a run last ended. */
async function standOf(
  task: Task,
  { run, id }: { readonly run: Run; readonly id: TaskId },
  scope: Scope,
): Promise<Pick<ForkedFrom, 'commit' | 'base'>> {
  const project = task.projectId && (await projects.get(scope.reads, task.projectId))?.body;
  if (task.projectId && (!project || project.removedAt))
    throw new Fault('conflict', `task ${task.id} cannot be forked: its project is gone`);
  const { work } = task;
  if (!work || !project) return {};
  const workspace = task.phase.state === 'running' && (await workspaceOf(task, work, scope));
  const now = workspace && (await scope.work.snapshot({ workspace, project }, { ref: keptRef(id, 'start'), task, run }));
  const commit = (now || undefined)?.commit ?? work.tip ?? work.kept?.commit;
  if (!commit) throw new Fault('conflict', `task ${task.id} cannot be forked: nothing of its work has been kept`);
  if (!(await scope.work.has(project, commit)))
    throw new Fault('conflict', `task ${task.id} cannot be forked: its work ${commit.slice(0, 12)} is gone from ${project.path}`);
  // What is on the target already is nothing that the fork would bring there.
  return { commit, base: work.landed && commit === work.tip ? commit : work.base };
}

async function workspaceOf(task: Task, { workspaceId }: Work, { reads }: Scope) {
  const found = workspaceId && (await workspaces.get(reads, workspaceId))?.body;
  const isOwn = found && found.use.kind === 'task' && found.use.taskId === task.id && found.state === 'ready';
  return isOwn ? found : undefined;
}
