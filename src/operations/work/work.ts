import type { TaskView } from '../../contract/shapes.ts';
import { Fault } from '../../domain/fault.ts';
import { isFinal, type Task } from '../../domain/task/task.ts';
import { transition } from '../../domain/task/transition.ts';
import type { RunId } from '../../domain/values.ts';
import { asidePath } from '../../domain/work/aside.ts';
import { isUnchangedSinceRejection, knownConflicts } from '../../domain/work/review-facts.ts';
import type { Work } from '../../domain/work/work.ts';
import { evidence, evidenceIndex, reportIndex, reports } from '../../store/records/findings.ts';
import { changeWrites } from '../../store/records/journal.ts';
import { projects } from '../../store/records/projects.ts';
import type { Versioned } from '../../store/records/record.ts';
import { runIndex } from '../../store/records/runs.ts';
import { tasks } from '../../store/records/tasks.ts';
import { workspaces } from '../../store/records/workspaces.ts';
import { findTask, stillAt } from '../find.ts';
import { type Handlers, type Plan, plan, type Scope } from '../scope.ts';
import { sendBack, taskChangeHandlers } from '../task/changes.ts';
import { cleanupOf } from '../task/cleanup-of.ts';
import { viewOf } from '../task/view.ts';

type WorkNames =
  | 'task.diff'
  | 'task.report'
  | 'task.approve'
  | 'task.reject'
  | 'task.merge'
  | 'task.verify'
  | 'task.commit'
  | 'task.push'
  | 'task.restore'
  | 'task.cleanup';

const SHOWN = 50;

export const workHandlers: Pick<Handlers, WorkNames> = {
  'task.diff': async ({ id, maxBytes }, scope) => {
    const { task, work, project } = await withWork(id, scope);
    const tip = work.tip ?? work.kept?.commit;
    if (!tip) throw new Fault('conflict', `task ${task.id} is ${task.phase.state}: nothing of its work has been kept yet`);
    const span = { base: work.base, tip };
    const [{ text, cut }, totals] = await Promise.all([
      scope.work.diff(project, { ...span, maxBytes }),
      work.tip && work.changes ? work.changes : scope.work.totals(project, span),
    ]);
    const clean = await scope.output.known(await agentsOf(task, scope));
    return plan({ taskId: task.id, branch: work.branch, ...span, totals, text: clean(text), cut });
  },

  'task.report': async ({ id }, scope) => {
    const { body } = await findTask(scope, id);
    const [told, found] = await Promise.all([
      scope.reads.scan({ index: reportIndex.task(body.id), limit: SHOWN, reverse: true }),
      scope.reads.scan({ index: evidenceIndex.task(body.id), limit: SHOWN, reverse: true }),
    ]);
    const current = new Set([body.work?.tip, body.work?.landing?.commit, body.work?.landed?.commit]);
    const { work } = body;
    return plan({
      taskId: body.id,
      ...(work?.rejected ? { rejected: { ...work.rejected, unchanged: isUnchangedSinceRejection(work) } } : {}),
      ...(work && knownConflicts(work).length > 0 ? { conflicts: [...knownConflicts(work)] } : {}),
      reports: told.map(reports.read),
      evidence: found
        .map(evidence.read)
        .map((one) => ({ ...one, stale: one.commit !== undefined && body.work !== undefined && !current.has(one.commit) })),
    });
  },

  'task.approve': async ({ id, ifSeq }, scope) => {
    const { seen, task, work } = await withWork(id, scope, ifSeq);
    if (task.phase.state !== 'blocked' || task.phase.block.cause !== 'review' || !work.tip)
      throw new Fault('conflict', `task ${task.id} is ${task.phase.state} and does not wait for a review`);
    const approval = { by: scope.caller.name, at: scope.now, commit: work.tip };
    return landing({ ...seen, body: { ...task, work: { ...work, approval } } }, 'approve', scope);
  },

  'task.reject': async ({ id, text, ifSeq }, scope) => {
    const { task } = await withWork(id, scope, ifSeq);
    if (task.phase.state !== 'blocked' || !['review', 'proof', 'conflict', 'checkout'].includes(task.phase.block.cause))
      throw new Fault('conflict', `task ${task.id} is ${task.phase.state}: there is no finished work to refuse`);
    return text === undefined
      ? taskChangeHandlers['task.cancel']({ id: task.id, why: 'rejected', ifSeq }, scope)
      : sendBack(task.id, ifSeq, text, scope);
  },

  'task.merge': async ({ id, ifSeq }, scope) => {
    const { seen, task, work } = await withWork(id, scope, ifSeq);
    if (work.landed) throw new Fault('conflict', `task ${task.id} has landed already, as ${work.landed.commit.slice(0, 12)}`);
    if (!work.tip)
      throw new Fault(
        'conflict',
        `task ${task.id} has no committed work to land: fleet task commit ${task.id} makes a commit of what is there`,
      );
    const approval = { by: scope.caller.name, at: scope.now, commit: work.tip };
    return landing({ ...seen, body: { ...task, work: { ...work, approval } } }, 'merge', scope);
  },

  'task.verify': async ({ id, ifSeq }, scope) => {
    const { seen, task, work } = await withWork(id, scope, ifSeq);
    return written(seen, looksAgain(task, work, scope), 'verify', scope);
  },

  'task.commit': async ({ id, ifSeq }, scope) => {
    const { seen, task, work, project } = await withWork(id, scope, ifSeq);
    assertAtRest(task);
    const workspace = work.workspaceId && (await workspaces.get(scope.reads, work.workspaceId))?.body;
    if (!workspace || workspace.state === 'aside' || workspace.use.kind !== 'task' || workspace.use.taskId !== task.id)
      throw new Fault(
        'conflict',
        `task ${task.id} has no workspace any more: fleet task restore ${task.id} brings its work back as a branch${await whereAside(task, scope)}`,
      );
    const { commit, tree } = await scope.work.gather({ workspace, project }, task);
    const changes = await scope.work.totals(project, { base: work.base, tip: commit });
    // Agreed work that only waits for room is not agreed any more once something was added to it.
    if (commit !== work.tip && task.phase.state === 'blocked' && task.phase.block.cause === 'checkout')
      return written(seen, looksAgain(task, work, scope), 'commit', scope);
    const { approval: _a, landing: _l, ...kept } = work;
    return written(seen, { ...task, work: { ...kept, tip: commit, tree, changes } }, 'commit', scope);
  },

  'task.push': async ({ id, remote }, scope) => {
    const { task, work, project } = await withWork(id, scope);
    if (work.leaks && work.approval?.commit !== work.tip)
      throw new Fault('conflict', `task ${task.id} was not pushed: a secret its agent had is ${work.leaks.join(', ')}`, {
        hint: `look at it with fleet task diff; fleet task approve ${task.id.slice(-8)} lets it through as it is`,
      });
    const branch = work.landed ? work.target : work.branch;
    const pushed = await scope.work.push(project, { branch, remote });
    if (!pushed.ok) throw new Fault('conflict', `${branch} was not pushed: ${pushed.why ?? 'git did not say why'}`);
    return plan({ taskId: task.id, branch, remote: pushed.remote ?? remote ?? 'origin' });
  },

  'task.restore': async ({ id, run, branch }, scope) => {
    const { task, work, project } = await withWork(id, scope);
    const found = await scope.work.keptOf(project, task.id, run?.toLowerCase());
    const commit = found?.commit ?? (run === undefined ? (work.tip ?? work.kept?.commit) : undefined);
    if (!commit)
      throw new Fault(
        'not_found',
        `nothing of ${run === undefined ? `task ${task.id}` : `run ${run}`} has been kept${await whereAside(task, scope)}`,
      );
    const made = await scope.work.restore(project, {
      commit,
      branch: branch ?? `fleet/restored/${task.id.slice(-8)}`,
      isExact: branch !== undefined,
    });
    return plan({ taskId: task.id, ...(found?.runId ? { runId: found.runId } : {}), branch: made, commit });
  },

  'task.cleanup': async ({ id, ifSeq }, scope) => {
    const seen = await findTask(scope, id);
    stillAt('task', seen.body, ifSeq);
    const { work, phase } = seen.body;
    if (!work) return plan(await viewOf(seen.body, scope));
    assertAtRest(seen.body);
    const asked = isFinal(phase) ? [await cleanupOf(seen.body, false, scope)] : [];
    const { workspaceId, ...rest } = work;
    if (!workspaceId) return plan(await viewOf(seen.body, scope), asked);
    const { answer, writes } = await written(seen, { ...seen.body, work: rest }, 'cleanup', scope);
    return plan(answer, [...writes, ...asked]);
  },
};

const AGENTS_ASKED = 20;

/** The runs whose agents have worked on it, the newest of them. */
const agentsOf = async ({ id }: Task, { reads }: Scope): Promise<RunId[]> =>
  (await reads.scan({ index: runIndex.agents(id), limit: AGENTS_ASKED, reverse: true })).map(({ key }) => key.id as RunId);

/** Where files of the task are that could not be kept. */
async function whereAside({ id, work }: Task, { reads }: Scope): Promise<string> {
  const found = work?.workspaceId && (await workspaces.get(reads, work.workspaceId))?.body;
  const isAside = found && found.aside && found.use.kind === 'task' && found.use.taskId === id;
  return isAside ? `; its files were put aside whole, in ${asidePath(found)}: ${found.why ?? ''}` : '';
}

async function withWork(id: string, scope: Scope, ifSeq?: number) {
  const seen = await findTask(scope, id);
  stillAt('task', seen.body, ifSeq);
  const task = seen.body;
  const project = task.projectId && (await projects.get(scope.reads, task.projectId))?.body;
  if (!task.work || !project) {
    const why =
      task.projectId && task.isolation !== 'in_place'
        ? 'no agent has begun to work on it'
        : 'it works in place, without a branch of its own';
    throw new Fault('conflict', `task ${task.id} has no work to look at: ${why}`);
  }
  return { seen, task, work: task.work, project };
}

function assertAtRest({ id, phase }: Task): void {
  if (phase.state === 'running' || phase.state === 'verifying' || phase.state === 'merging')
    throw new Fault('conflict', `task ${id} is ${phase.state}: wait for it, or cancel it first`);
}

/** Whoever made the work holds it on its way to the target. */
function holderOf(task: Task, work: Work) {
  if (!work.runId) throw new Fault('conflict', `task ${task.id} has no finished run whose work this would be`);
  return { kind: 'run', runId: work.runId } as const;
}

/** Everything that was known of the work is found out again, from what is there now. */
function looksAgain({ gate: _gate, ...task }: Task, work: Work, { now }: Scope): Task {
  const { tip: _tip, tree: _tree, changes: _changes, guarded: _guarded, leaks: _leaks, landing: _landing, ...rest } = work;
  return { ...transition(task, { type: 'reverify', at: now, holder: holderOf(task, work) }), work: rest };
}

function landing(seen: Versioned<Task>, what: string, scope: Scope) {
  const { body } = seen;
  if (!body.work) throw new Fault('conflict', `task ${body.id} has no work`);
  return written(seen, transition(body, { type: 'land', at: scope.now, holder: holderOf(body, body.work) }), what, scope);
}

async function written(seen: Versioned<Task>, next: Task, what: string, scope: Scope): Promise<Plan<TaskView>> {
  const note = { what, ...(isSame(seen.body, next) ? {} : { from: seen.body.phase.state, to: next.phase.state }) };
  const body = { ...next, updatedAt: scope.now };
  const writes = changeWrites(tasks, seen, body, { author: { by: scope.caller.name, at: scope.now }, note });
  return plan(await viewOf({ ...body, seq: body.seq + 1 }, scope), writes);
}

const isSame = (before: Task, next: Task): boolean => before.phase.state === next.phase.state || isFinal(next.phase);
