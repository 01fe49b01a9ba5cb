import type { RunContext } from '../../contract/by-run.ts';
import { Fault } from '../../domain/fault.ts';
import { LIMITS } from '../../domain/limits.ts';
import { shortenedReport, shortenedTask } from '../../domain/run/packet.ts';
import type { Run } from '../../domain/run/run.ts';
import { isFinal, type Task } from '../../domain/task/task.ts';
import { cleaned, newestReport, packetFor, readerOf, toldTaskOf } from '../../store/queries/packet.ts';
import { questionsOf } from '../../store/queries/questions.ts';
import { projects } from '../../store/records/projects.ts';
import { runIndex, runs } from '../../store/records/runs.ts';
import { taskIndex, tasks } from '../../store/records/tasks.ts';
import { type Handlers, plan, type Scope } from '../scope.ts';
import { loadText } from '../texts.ts';
import { findRun } from './run.ts';

const TOLD = LIMITS.contextItems.value;

export const runContextHandler: Handlers['run.context'] = async ({ id }, scope) => {
  const { caller, reads } = scope;
  const wanted = caller.run?.runId ?? id;
  if (wanted === undefined) throw new Fault('invalid', 'id: say which run');
  // An agent may name itself; another run is none of its business, whoever started it.
  if (caller.run && id !== undefined && !caller.run.runId.endsWith(id.toLowerCase()))
    throw new Fault('not_found', `no run ${JSON.stringify(id)}`, { run: id });
  const run = (await findRun(scope, wanted)).body;
  const task = (await tasks.get(reads, run.taskId))?.body;
  if (!task) throw new Fault('not_found', `no task ${run.taskId}`, { task: run.taskId });
  const clean = cleaned(scope.output.redactor);
  const [placed, parent, packet, recent, earlier, asked, last] = await Promise.all([
    placeOf(task, scope),
    parentOf(task, scope),
    packetFor(scope.around, task, clean),
    finishedBeside(task, scope),
    runsBefore(run, scope),
    questionsOf(reads, task.id, TOLD),
    newestReport(reads, task.id),
  ]);
  return plan({
    runId: run.id,
    attempt: run.attempt,
    executor: run.executor,
    task: await toldTask(task, scope),
    ...placed,
    ...(task.team ? { team: task.team } : {}),
    notes: scope.home.notesOf(task.id),
    ...(parent ? { parent } : {}),
    dependencies: [...packet.dependencies],
    reviews: [...packet.reviews],
    leftOut: [...packet.leftOut],
    // Its own run has none to be told of.
    ...(last && last.runId !== run.id ? { lastReport: shortenedReport(await clean(last)) } : {}),
    recent,
    earlier,
    questions: asked.map(({ body }) => body),
  });
};

async function toldTask(task: Task, scope: Scope): Promise<RunContext['task']> {
  const { max_depth: deepest } = scope.settings.current().values;
  return {
    id: task.id,
    title: task.title,
    prompt: await loadText(scope, task.prompt),
    ...(task.acceptance ? { acceptance: task.acceptance } : {}),
    kind: task.kind,
    expectsChanges: task.expectsChanges,
    ...(task.work ? { branch: task.work.branch, base: task.work.base } : {}),
    depthLeft: Math.max(0, deepest - task.depth),
    partsLeft: Math.max(0, LIMITS.subTasks.value - task.children),
    unheard: task.messages.filter(({ state }) => state === 'waiting').length,
  };
}

async function placeOf(task: Task, { reads }: Scope): Promise<Pick<RunContext, 'project' | 'directory'>> {
  const project = task.projectId && (await projects.get(reads, task.projectId))?.body;
  if (!project) return task.directory ? { directory: task.directory } : {};
  const target = task.work?.target ?? task.targetBranch ?? project.targetBranch;
  return {
    project: {
      name: project.name,
      ...(target ? { targetBranch: target } : {}),
      ...(project.verify ? { verify: project.verify } : {}),
    },
  };
}

async function parentOf({ parentId }: Task, { around }: Scope): Promise<RunContext['parent']> {
  const parent = parentId && (await tasks.get(around, parentId))?.body;
  if (!parent) return undefined;
  const prompt = 'text' in parent.prompt ? parent.prompt.text : parent.prompt.excerpt;
  return { taskId: parent.id, title: parent.title, prompt: prompt.slice(0, LIMITS.excerptCharacters.value) };
}

const LOOKED_AT = 200;

async function finishedBeside(own: Task, scope: Scope): Promise<RunContext['recent']> {
  if (!own.projectId) return [];
  const hits = await scope.around.scan({ index: taskIndex.project(own.projectId), limit: LOOKED_AT, reverse: true });
  const finished = hits.map(tasks.read).filter(({ id, phase }) => id !== own.id && isFinal(phase));
  const reader = await readerOf(scope.around, own);
  const clean = cleaned(scope.output.redactor);
  const all = await Promise.all(finished.slice(0, TOLD).map((task) => toldTaskOf(scope.around, task, { reader, clean })));
  // Of tasks it does not depend on, it need not know every file.
  return all.map((one) => shortenedTask(one, LIMITS.packetTaskBytes.value / 4));
}

async function runsBefore(own: Run, { reads }: Scope): Promise<RunContext['earlier']> {
  const hits = await reads.scan({ index: runIndex.agents(own.taskId), limit: TOLD + 1, reverse: true });
  const before = hits.map(runs.read).filter(({ id }) => id < own.id);
  return before.map(({ id, attempt, phase, updatedAt }) => ({
    runId: id,
    attempt,
    ...(phase.state === 'ended' ? { outcome: phase.outcome, ...(phase.detail ? { detail: phase.detail } : {}) } : {}),
    at: updatedAt,
  }));
}
