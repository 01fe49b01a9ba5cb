import type { Project } from '../../domain/project/project.ts';
import type { Run } from '../../domain/run/run.ts';
import { type Block, isReadOnly, type Task } from '../../domain/task/task.ts';
import { fitsTask, isLower, trustOf, workspaceKindFor } from '../../domain/work/trust.ts';
import { TRUST } from '../../domain/work/trust-table.ts';
import { startRef, type Work } from '../../domain/work/work.ts';
import type { Workspace } from '../../domain/work/workspace.ts';
import { toldTo } from '../../store/queries/packet.ts';
import { changeWrites } from '../../store/records/journal.ts';
import { projects } from '../../store/records/projects.ts';
import type { Versioned } from '../../store/records/record.ts';
import { tasks } from '../../store/records/tasks.ts';
import { workspaces } from '../../store/records/workspaces.ts';
import { allocate } from './allocate.ts';
import type { BackgroundWork } from './background-work.ts';
import type { ProjectWorkspace, WorkDeps } from './deps.ts';
import { lacksDiskRoom } from './lacks-room.ts';

export interface PlaceDeps extends WorkDeps {
  /** Absent: whoever asks waits for what takes time. */
  readonly beside?: BackgroundWork | undefined;
}

/** Whether a run can begin to work. */
export type PlaceState =
  | { readonly state: 'here' }
  /** Its workspace is being made ready; the store stirs when it is. */
  | { readonly state: 'later' }
  | { readonly state: 'impossible'; readonly block: Block };

/** Work in place needs nothing made ready; everything else needs a workspace of its own. */
export async function placeFor(run: Run, task: Task, needs: PlaceDeps): Promise<PlaceState> {
  if (run.chore || !task.projectId || (task.isolation === 'in_place' && !task.sandbox)) return { state: 'here' };
  const project = (await projects.get(needs.store, task.projectId))?.body;
  if (!project) return impossible('setup', 'its project is gone: cancel the task, or give it another project');
  if (project.kind === 'directory') return { state: 'here' };
  // Of before that was refused: a person decides what it is to be.
  if (task.isolation === 'in_place')
    return impossible(
      'setup',
      `it asks for a sandbox and to work in place in the repository ${project.path}, which a sandbox cannot protect then: fleet task edit ${task.id} --isolation clone`,
    );
  const workspace = task.work?.workspaceId && (await workspaces.get(needs.store, task.work.workspaceId));
  const isOwn = workspace && workspace.body.use.kind === 'task' && workspace.body.use.taskId === task.id;
  // What was put aside is never used again: it gets another.
  if (!isOwn || workspace.body.state === 'aside') return settleDown(run, task, project, needs);
  const { state, why, updatedAt, stuck } = workspace.body;
  if (!fitsTask(workspace.body, task) && !stuck && GIVEN_BACK.has(state)) return giveBack(workspace, needs);
  if (state === 'ready')
    return (await isMissing(workspace.body, project, needs))
      ? makeAgain(workspace, needs)
      : showOthers(run, task, { workspace: workspace.body, project }, needs);
  // It failed for an earlier run: whoever asked for this one may have repaired what was wrong.
  if (state === 'failed' && updatedAt < run.createdAt) return makeAgain(workspace, needs);
  return state === 'failed' ? impossible('setup', why ?? 'its workspace could not be made ready') : { state: 'later' };
}

/** A private clone sees of the project what its agent is told of: where the target stands now, and the work of others. */
async function showOthers(run: Run, task: Task, site: ProjectWorkspace, needs: PlaceDeps): Promise<PlaceState> {
  const { work } = task;
  if (site.workspace.isolation !== 'clone' || !work) return { state: 'here' };
  const others = await toldTo(needs.store, task);
  const branches = others.flatMap(({ projectId, work: theirs }) =>
    projectId === task.projectId && theirs ? [theirs.branch] : [],
  );
  const show = () => needs.gitWork.showBranches(site, { target: work.target, branches });
  const isShown = needs.beside ? (await needs.beside.take(`show ${run.id}`, show)) !== undefined : await show().then(() => true);
  return { state: isShown ? 'here' : 'later' };
}

/** Not while its set-up runs, and once only. */
const GIVEN_BACK: ReadonlySet<Workspace['state']> = new Set(['making', 'ready', 'failed']);

const isMissing = async (workspace: Workspace, project: Project, { gitWork }: WorkDeps): Promise<boolean> =>
  !(await gitWork.isHere({ workspace, project }));

/** Somebody has removed it behind our back, or it failed: the branch is still there, and so is what was kept. */
async function makeAgain({ body, version }: Versioned<Workspace>, { store, now }: WorkDeps): Promise<PlaceState> {
  const { setup: _gone, why: _why, setupRun: _run, stuck: _stuck, ...rest } = body;
  await store.commit([workspaces.put({ ...rest, state: 'making', updatedAt: now() }, version)]);
  return { state: 'later' };
}

/** The level of its task has changed, or was not recorded yet: what is in it is kept, and the task goes on in another one. */
async function giveBack({ body, version }: Versioned<Workspace>, { store, now }: WorkDeps): Promise<PlaceState> {
  await store.commit([workspaces.put({ ...body, state: 'leaving', updatedAt: now() }, version)]);
  return { state: 'later' };
}

const impossible = (cause: 'setup' | 'conflict', what: string): PlaceState => ({
  state: 'impossible',
  block: { cause, who: 'you', what },
});

/** Names the branch at the first run, chooses where it begins, and takes a workspace, all in one commit. */
async function settleDown(run: Run, { id }: Task, project: Project, needs: WorkDeps): Promise<PlaceState> {
  const seen = await tasks.get(needs.store, id);
  if (!seen || (await lacksDiskRoom(id, needs))) return { state: 'later' };
  const task = seen.body;
  const begun = task.work
    ? { work: task.work, start: task.work.kept?.commit ?? task.forkedFrom?.commit ?? task.work.base }
    : await begin(run, task, project, needs);
  if ('state' in begun) return begun;
  const use = { kind: 'task', taskId: task.id, branch: begun.work.branch, start: begun.start } as const;
  const { workspace, writes } = await allocate(project, { ...workspaceKindFor(task), use }, needs);
  const at = needs.now();
  const next: Task = { ...task, updatedAt: at, work: { ...begun.work, workspaceId: workspace.id } };
  const note = { what: 'workspace', data: { workspace: workspace.id, branch: begun.work.branch } };
  await needs.store.commit([
    ...writes,
    ...changeWrites(tasks, seen, next, { author: { by: `host ${needs.hostName}`, at }, note }),
  ]);
  return { state: 'later' };
}

type Begun = { readonly work: Work; readonly start: string } | PlaceState;

async function begin(run: Run, task: Task, project: Project, needs: WorkDeps): Promise<Begun> {
  const { gitWork } = needs;
  const target = await gitWork.targetOf(project, task.targetBranch ?? project.targetBranch);
  if (target.state !== 'found') return impossible('setup', `cannot begin in ${project.path}: ${target.why}`);
  if (task.forkedFrom?.commit) return branchOff(run, task, { project, target: target.branch }, needs);
  const from = task.baseRef === undefined ? target.commit : await gitWork.commitOf(project, task.baseRef);
  if (from === undefined)
    return impossible(
      'setup',
      `there is no commit ${JSON.stringify(task.baseRef)} in ${project.path}: change the base of the task`,
    );
  const base = task.strategy === 'new' ? from : await inherited(task, project, from, needs);
  if (typeof base !== 'string') return base;
  return { work: { branch: gitWork.branchFor(task, run.executor), target: target.branch, base }, start: base };
}

/** A fork begins with all of the other's work, and is compared with what that one began at: that is what it will land. */
async function branchOff(
  run: Run,
  task: Task,
  { project, target }: { readonly project: Project; readonly target: string },
  { gitWork }: WorkDeps,
): Promise<Begun> {
  const { taskId, commit = '', base = commit } = task.forkedFrom ?? {};
  if ((await gitWork.commitOf(project, commit)) === undefined)
    return impossible(
      'setup',
      `the work of ${taskId} it begins with is gone: ${project.path} has no commit ${commit.slice(0, 12)}`,
    );
  return { work: { branch: gitWork.branchFor(task, run.executor), target, base }, start: commit };
}

/**
 * What the dependencies have made and nobody has landed yet, on top of each other in the order they were named. Whoever only
 * reads begins with it where one of them holds all of the others; where they part, or do not go together, it begins without
 * them and is told where each is.
 */
async function inherited(task: Task, project: Project, from: string, needs: WorkDeps): Promise<string | PlaceState> {
  const looks = isReadOnly(task);
  let base = from;
  for (const dependency of task.dependsOn) {
    const other = (await tasks.get(needs.store, dependency))?.body;
    const tip = other && other.projectId === task.projectId ? tipOf(other, looks) : undefined;
    if (!other || !tip) continue;
    // Its agent, and its gate, would run what nobody has let through.
    if (isLower(trustOf(other), trustOf(task))) {
      if (looks) continue;
      return impossible(
        'setup',
        `it would begin with the work of ${dependency}, which is ${TRUST[trustOf(other)].name} and has not landed: land that first, begin without it (fleet task edit ${task.id} --strategy new), or trust this one no further`,
      );
    }
    // Where one holds all of the other there is nothing to put together.
    const isAhead = await needs.gitWork.combine(project, { onto: tip, tip: base, origin: { task: other }, at: task.createdAt });
    if (isAhead.state === 'contained') {
      base = tip;
      continue;
    }
    const wish = { onto: base, tip, origin: { task: other }, at: task.createdAt, ref: startRef(task.id) };
    const combined = await needs.gitWork.combine(project, wish);
    if (combined.state === 'contained') continue;
    const isWanted = !looks || task.strategy === 'inherit';
    if (combined.state === 'merged' && isWanted) base = combined.commit;
    // The target may have moved on since the one it looks at began.
    else if (looks && base === from) base = tip;
    else if (looks) return from;
    else if (combined.state !== 'merged') {
      const why = combined.state === 'conflict' ? `conflicts in ${combined.files.slice(0, 10).join(', ')}` : combined.why;
      return impossible('conflict', `the work of ${dependency} cannot be put together with the rest it begins with: ${why}`);
    }
  }
  return base;
}

/** Whoever looks at work that is not finished sees what was kept of it. */
const tipOf = ({ work }: Task, looks: boolean): string | undefined => work?.tip ?? (looks ? work?.kept?.commit : undefined);
