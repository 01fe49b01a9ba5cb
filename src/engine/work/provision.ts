import { isFault } from '../../domain/fault.ts';
import type { Project } from '../../domain/project/project.ts';
import type { Run } from '../../domain/run/run.ts';
import { isFinal, type Task } from '../../domain/task/task.ts';
import type { TaskId } from '../../domain/values.ts';
import { keptRef } from '../../domain/work/work.ts';
import type { Workspace } from '../../domain/work/workspace.ts';
import { allHits } from '../../store/queries/every-hit.ts';
import { projects } from '../../store/records/projects.ts';
import type { Versioned as Read } from '../../store/records/record.ts';
import { runs } from '../../store/records/runs.ts';
import { tasks } from '../../store/records/tasks.ts';
import { workspaceIndex, workspaces } from '../../store/records/workspaces.ts';
import type { Controller } from '../controller.ts';
import { LOOK_FOR_ROOM_MS } from '../room-on-disk.ts';
import { BackgroundWork } from './background-work.ts';
import { bounded } from './bounded.ts';
import type { ProjectWorkspace, WorkDeps } from './deps.ts';
import { lacksDiskRoom } from './lacks-room.ts';
import { make, setUp, setUpDone } from './make-ready.ts';
import { afterFailure, fail } from './provision-failed.ts';
import { moveAside } from './put-aside.ts';
import { Setbacks } from './setbacks.ts';
import { wakesWork } from './wakes-work.ts';

/** A workspace, and everything that says what is to become of it. */
export interface ProvisionView {
  readonly workspace: Read<Workspace>;
  readonly project: Project | undefined;
  readonly task: Task | undefined;
  readonly setupRun: Run | undefined;
  /** A gate's run that uses it has not ended. */
  readonly inUse: boolean;
  /** How many unused ones this project has besides. */
  readonly spare: number;
}

export type ProvisionAction =
  | { readonly type: 'make'; readonly sight: ProvisionView }
  | { readonly type: 'set up'; readonly sight: ProvisionView }
  | { readonly type: 'set up done'; readonly sight: ProvisionView }
  | { readonly type: 'fail'; readonly sight: ProvisionView; readonly why: string }
  | { readonly type: 'leave'; readonly sight: ProvisionView }
  | { readonly type: 'move aside'; readonly sight: ProvisionView }
  | { readonly type: 'clear'; readonly sight: ProvisionView; readonly discard: boolean };

const EVERY_MS = 15_000;

/** Makes workspaces ready for those who wait for one, and takes them back from those who need them no more. */
export function provision(needs: WorkDeps): Controller<readonly ProvisionView[], ProvisionAction> {
  const beside = new BackgroundWork();
  const setbacks = new Setbacks('furnish', needs);
  const waiting = { forRoom: false };
  return {
    name: 'furnish',
    onWake: (stir) => beside.onDone(stir),
    wakesOn: wakesWork,
    everyMs: EVERY_MS,
    observe: () => {
      waiting.forRoom = false;
      return observe(needs);
    },
    decide: (sights) => sights.flatMap((sight) => decide(sight, needs.workRules().pool) ?? []),
    act: (action) => attempt(action, { needs, beside, setbacks, waiting }),
    dueInMs: () => (waiting.forRoom ? LOOK_FOR_ROOM_MS : setbacks.dueInMs()),
  };
}

interface Means {
  readonly needs: WorkDeps;
  readonly beside: BackgroundWork;
  readonly setbacks: Setbacks;
  readonly waiting: { forRoom: boolean };
}

const TAKES_ROOM: ReadonlySet<ProvisionAction['type']> = new Set(['make', 'set up']);

/** Each workspace fails for itself: it rests before it is tried again, and keeps no other waiting. */
async function attempt(action: ProvisionAction, { needs, beside, setbacks, waiting }: Means): Promise<boolean> {
  const { id } = action.sight.workspace.body;
  if (!setbacks.isDue(id)) return false;
  if (TAKES_ROOM.has(action.type) && (await lacksDiskRoom(action.sight.task?.id, needs))) {
    waiting.forRoom = true;
    return false;
  }
  try {
    const acted = await act(action, needs, beside);
    if (acted) setbacks.over(id);
    return acted;
  } catch (error) {
    if (isFault(error, 'conflict')) throw error;
    return afterFailure(action, error, setbacks.note(id, error), needs);
  }
}

async function observe({ store, host }: WorkDeps): Promise<readonly ProvisionView[]> {
  const hits = await allHits(store, workspaceIndex.host(host));
  const all = hits.map((hit) => ({ body: workspaces.read(hit), version: hit.version }));
  const spare = (projectId: string) => all.filter(({ body }) => body.projectId === projectId && body.use.kind === 'free').length;
  return Promise.all(
    all.map(async (workspace): Promise<ProvisionView> => {
      const { use, projectId, setupRun } = workspace.body;
      const task = use.kind === 'free' ? undefined : (await tasks.get(store, use.taskId))?.body;
      const gateRun = use.kind === 'gate' && task?.gate?.runId ? (await runs.get(store, task.gate.runId))?.body : undefined;
      return {
        workspace,
        project: (await projects.get(store, projectId))?.body,
        task,
        setupRun: setupRun && (await runs.get(store, setupRun))?.body,
        inUse: gateRun !== undefined && gateRun.phase.state !== 'ended',
        spare: spare(projectId),
      };
    }),
  );
}

export function decide(sight: ProvisionView, pool: number): ProvisionAction | undefined {
  const { workspace, setupRun, spare } = sight;
  const { state, use } = workspace.body;
  if (state === 'aside') return workspace.body.aside?.moving ? { type: 'move aside', sight } : undefined;
  if (state === 'leaving')
    return {
      type: 'clear',
      sight,
      discard: workspace.body.doomed === true || sight.project?.removedAt !== undefined || spare >= pool,
    };
  if (use.kind === 'free')
    return sight.project?.removedAt === undefined || state !== 'ready' ? undefined : { type: 'leave', sight };
  if (workspace.body.stuck) return undefined;
  if (isOver(sight)) return setupRun && setupRun.phase.state !== 'ended' ? undefined : { type: 'leave', sight };
  // Nobody waits for it now; it is made ready when somebody does again.
  if (use.kind === 'task' && sight.task && isFinal(sight.task.phase) && !setupRun) return undefined;
  if (state === 'making') return { type: 'make', sight };
  if (state !== 'setting_up') return undefined;
  if (!setupRun) return { type: 'set up', sight };
  if (setupRun.phase.state !== 'ended') return undefined;
  const { outcome, detail = '' } = setupRun.phase;
  if (outcome === 'succeeded') return { type: 'set up done', sight };
  return { type: 'fail', sight, why: `the set-up command ended as ${outcome}: ${detail}` };
}

/** Nobody needs it any more. What failed or was canceled keeps its tree until somebody has looked at it. */
function isOver({ workspace, task, inUse }: ProvisionView): boolean {
  const { use, id } = workspace.body;
  if (!task) return true;
  if (use.kind === 'gate') return !inUse && (task.gate?.workspaceId !== id || task.gate.green !== undefined || !isProving(task));
  return task.work?.workspaceId !== id || task.phase.state === 'done';
}

const isProving = ({ phase }: Task): boolean => phase.state === 'verifying' || phase.state === 'merging';

async function act(action: ProvisionAction, needs: WorkDeps, beside: BackgroundWork): Promise<boolean> {
  const { workspace, project } = action.sight;
  const put = async (next: Partial<Workspace>): Promise<true> => {
    await needs.store.commit([workspaces.put({ ...workspace.body, ...next, updatedAt: needs.now() }, workspace.version)]);
    return true;
  };
  switch (action.type) {
    case 'make':
      return make(action.sight, { needs, beside });
    case 'set up':
      return setUp(action.sight, needs);
    case 'set up done':
      return setUpDone(action.sight, { needs, beside });
    case 'fail':
      return fail(workspace, { why: action.why }, needs);
    case 'leave':
      return put({ state: 'leaving' });
    case 'move aside':
      return moveAside(workspace, project, { needs, beside });
    case 'clear':
      // What is still being laid out would come to be behind the back of whoever takes it away.
      return !beside.isGoing(`make ${workspace.body.id} `) && leave(action, project, { needs, beside, put });
  }
}

interface Around {
  readonly needs: WorkDeps;
  readonly beside: BackgroundWork;
  put(next: Partial<Workspace>): Promise<true>;
}

/** Nothing is cleared or removed before everything in it is kept. */
async function leave(
  { sight, discard }: Extract<ProvisionAction, { type: 'clear' }>,
  project: Project | undefined,
  { needs, beside, put }: Around,
): Promise<boolean> {
  const { workspace, task } = sight;
  const { use, id } = workspace.body;
  const { aside } = workspace.body;
  if (aside?.path !== undefined) {
    const { path } = aside;
    const removed = await beside.take(`remove ${id} ${workspace.version}`, () => needs.gitWork.removeAside(path));
    return removed !== undefined && gone(workspace, needs);
  }
  if (!project) return gone(workspace, needs);
  const site: ProjectWorkspace = { workspace: workspace.body, project };
  const work = async () => {
    const safe = use.kind === 'task' && !aside ? await keepLast(site, use.taskId, task, needs) : undefined;
    if (safe && safe.left.length > 0) return { holds: safe.left };
    // Somebody, or an engine before us, may have removed it already.
    const isGone = discard || aside !== undefined || !(await needs.gitWork.isHere(site));
    const intact = !isGone && workspace.body.setup !== undefined && (await needs.gitWork.isSetUpIntact(site));
    const { setup: _lost, ...bare } = workspace.body;
    if (isGone) await needs.gitWork.remove(site);
    else await needs.gitWork.reset(intact ? site : { ...site, workspace: bare });
    // Its commits are in the target now; the branch would only be in everybody's way.
    const { landed, tip, branch } = task?.work ?? {};
    if (use.kind === 'task' && landed && tip && branch) await needs.gitWork.dropBranch(project, branch, tip);
    return { intact, isGone };
  };
  const forMs = needs.workRules().keepSeconds * 1_000;
  const left = await beside.take(`leave ${id} ${workspace.version}`, () => bounded(needs.gitWork, { forMs }, work));
  if (!left) return false;
  if ('holds' in left.value) {
    const why = `it is not removed, because these files cannot be kept: ${left.value.holds.slice(0, 5).join(', ')}`;
    return put({ state: 'failed', why, stuck: true });
  }
  const { intact: isIntact, isGone } = left.value;
  if (isGone) return gone(workspace, needs);
  const { setup, why: _why, setupRun: _run, ...rest } = workspace.body;
  const free: Workspace = {
    ...rest,
    use: { kind: 'free' },
    state: 'ready',
    ...(isIntact && setup ? { setup } : {}),
    updatedAt: needs.now(),
  };
  await needs.store.commit([workspaces.put(free, workspace.version)]);
  return true;
}

const keepLast = (site: ProjectWorkspace, taskId: TaskId, task: Task | undefined, { gitWork }: WorkDeps) =>
  gitWork.save(site, { ref: keptRef(taskId, 'last'), origin: { task: { id: taskId, title: task?.title ?? 'a deleted task' } } });

async function gone(workspace: Read<Workspace>, { store }: WorkDeps): Promise<true> {
  await store.commit([workspaces.remove(workspace.body, workspace.version)]);
  return true;
}
