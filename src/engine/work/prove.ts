import { isFault } from '../../domain/fault.ts';
import type { JournalNote } from '../../domain/journal/entry.ts';
import { isMachineError } from '../../domain/machine-error.ts';
import type { Project } from '../../domain/project/project.ts';
import { questionBlock } from '../../domain/question/question.ts';
import { fenceOf, type Task } from '../../domain/task/task.ts';
import { transition } from '../../domain/task/transition.ts';
import type { RunId } from '../../domain/values.ts';
import { gateFindingsText, gateRefusalText } from '../../domain/work/evidence.ts';
import { guardedAmong } from '../../domain/work/guarded-paths.ts';
import { type NextStep, nextStep } from '../../domain/work/next-step.ts';
import type { GitFacts } from '../../domain/work/report.ts';
import type { Work } from '../../domain/work/work.ts';
import { allHits } from '../../store/queries/every-hit.ts';
import { isPending, questionsOf } from '../../store/queries/questions.ts';
import { evidence } from '../../store/records/findings.ts';
import { changeWrites } from '../../store/records/journal.ts';
import { projects } from '../../store/records/projects.ts';
import type { Versioned } from '../../store/records/record.ts';
import { runIndex, runs } from '../../store/records/runs.ts';
import { taskIndex, tasks } from '../../store/records/tasks.ts';
import { workspaces } from '../../store/records/workspaces.ts';
import type { Controller } from '../controller.ts';
import { BackgroundWork } from './background-work.ts';
import { bounded } from './bounded.ts';
import type { CommitOrigin, CommittedWork, ProjectWorkspace, WorkDeps } from './deps.ts';
import { runGate } from './gate.ts';
import { offer } from './offer.ts';
import { originOf, recordProvenance } from './record-provenance.ts';
import { holderOf, sendBack, stop } from './repair.ts';
import { Setbacks } from './setbacks.ts';
import { PATIENCE_MS, reasonOf, recordTrouble } from './trouble.ts';
import { wakesWork } from './wakes-work.ts';

interface Finished {
  readonly seen: Versioned<Task>;
  readonly project: Project | undefined;
}

export interface ProveStep extends Finished {
  readonly next: NextStep;
}

const EVERY_MS = 15_000;
const GUARDED_SHOWN = 10;

/** Takes finished work to its end by facts alone: what is in the branch, and what the gate says of it. */
export function prove(needs: WorkDeps): Controller<readonly Finished[], ProveStep> {
  const beside = new BackgroundWork();
  const setbacks = new Setbacks('prove', needs);
  return {
    name: 'prove',
    onWake: (stir) => beside.onDone(stir),
    wakesOn: wakesWork,
    everyMs: EVERY_MS,
    observe: () => observe(needs),
    decide: (finished) => finished.map((one) => ({ ...one, next: nextStep(one.seen.body, { verify: one.project?.verify }) })),
    act: (step) => attempt(step, { needs, beside, setbacks }),
    dueInMs: () => setbacks.dueInMs(),
  };
}

/** Tries of what will most likely be the same again. */
const MOST_TRIES = 6;

interface Means {
  readonly needs: WorkDeps;
  readonly beside: BackgroundWork;
  readonly setbacks: Setbacks;
}

async function attempt(step: ProveStep, { needs, beside, setbacks }: Means): Promise<boolean> {
  const { seen } = step;
  const { id } = seen.body;
  if (!setbacks.isDue(id) && step.next.step !== 'cancel') return false;
  try {
    const acted = await act(step, needs, beside);
    if (acted) setbacks.over(id);
    return acted;
  } catch (error) {
    if (isFault(error, 'conflict')) throw error;
    const { times, forMs } = setbacks.note(id, error);
    const isPassing = isMachineError(error);
    if (isPassing ? forMs < PATIENCE_MS : times < MOST_TRIES) {
      await recordTrouble(id, error, needs);
      return false;
    }
    const why = reasonOf(error);
    const what = `what it left cannot be looked at: ${why}; fleet task verify ${id} tries again`;
    return stop(seen, { cause: 'proof', who: 'you', what }, needs);
  }
}

async function observe({ store }: WorkDeps): Promise<readonly Finished[]> {
  const hits = await allHits(store, taskIndex.state('verifying'));
  return Promise.all(
    hits.map(async (hit) => {
      const seen = { body: tasks.read(hit), version: hit.version };
      return { seen, project: seen.body.projectId && (await projects.get(store, seen.body.projectId))?.body };
    }),
  ) as Promise<readonly Finished[]>;
}

async function act({ seen, project, next }: ProveStep, needs: WorkDeps, beside: BackgroundWork): Promise<boolean> {
  const task = seen.body;
  const fence = fenceOf(holderOf(task));
  const at = needs.now();
  switch (next.step) {
    case 'cancel':
      return (
        (await isGateOver(task, needs)) &&
        move(seen, transition(task, { type: 'settle', at, fence, outcome: 'canceled', retryAt: at }), { what: 'settle' }, needs)
      );
    case 'gather':
      return gather(seen, project, needs, beside);
    case 'gate':
      return gate(seen, project, needs);
    case 'repair':
      return (
        (await stopsForAnswer(seen, next.because, needs)) || sendBack(seen, await failureOf(task, next.because, needs), needs)
      );
    case 'review':
      return offer(seen, project, next.what, { needs, beside });
    case 'merge':
      return move(seen, transition(task, { type: 'merge', at, fence }), { what: 'merge' }, needs);
    case 'finish':
      return move(seen, transition(task, { type: 'finish', at, fence }), { what: 'finish' }, needs);
  }
}

/** Who has asked and changed nothing has most likely stopped for want of the answer: that is what a person is told. */
async function stopsForAnswer(seen: Versioned<Task>, because: 'no_changes' | 'gate', needs: WorkDeps): Promise<boolean> {
  if (because !== 'no_changes') return false;
  const open = (await questionsOf(needs.store, seen.body.id)).findLast(isPending);
  return open !== undefined && stop(seen, questionBlock(open.body), needs);
}

async function move(seen: Versioned<Task>, next: Task, note: JournalNote, needs: WorkDeps): Promise<boolean> {
  const isMove = seen.body.phase.state !== next.phase.state;
  const states = isMove ? { from: seen.body.phase.state, to: next.phase.state } : {};
  const author = { by: 'fleet', at: needs.now() };
  await needs.store.commit(changeWrites(tasks, seen, next, { author, note: { ...note, ...states } }), { flush: true });
  return true;
}

/** A canceled task is canceled once nothing of it runs any more. */
export async function isGateOver({ gate }: Task, { store }: WorkDeps): Promise<boolean> {
  const run = gate?.runId && (await runs.get(store, gate.runId))?.body;
  return !run || run.phase.state === 'ended';
}

/** Commits what the agent did not, and looks at what is really there. */
async function gather(
  seen: Versioned<Task>,
  project: Project | undefined,
  needs: WorkDeps,
  beside: BackgroundWork,
): Promise<boolean> {
  const task = seen.body;
  const { work } = task;
  if (!work || !project)
    return stop(seen, { cause: 'proof', who: 'you', what: 'its project is gone, and its work cannot be looked at' }, needs);
  const workspace = work.workspaceId && (await workspaces.get(needs.store, work.workspaceId))?.body;
  const isHere = workspace && workspace.state !== 'aside' && workspace.use.kind === 'task' && workspace.use.taskId === task.id;
  const origin = await originOf(task, needs);
  const found = await beside.take(`gather ${task.id} ${task.phase.state} ${work.runId}`, async () => {
    const tip: CommittedWork | undefined =
      (isHere && (await gathered({ workspace, project }, origin, needs))) || (await branchTip(project, work.branch, needs));
    if (!tip) return undefined;
    const span = { base: work.base, tip: tip.commit };
    const facts = await needs.gitWork.changes(project, span);
    // Said before anybody else can land it as a part of their own.
    if (facts.totals.commits > 0) await recordProvenance({ task, project, tip: tip.commit, landed: tip.commit }, needs);
    const leaks = await needs.leaks(project, span, await agentsOf(task, needs));
    return { tip, facts, leaks };
  });
  if (!found) return false;
  if (!found.value)
    return stop(
      seen,
      { cause: 'proof', who: 'you', what: `neither its workspace nor its branch ${work.branch} is there any more` },
      needs,
    );
  const { tip, facts, leaks } = found.value;
  if (tip.without) return sendBack(seen, unfinished(work, tip.without), needs);
  const guarded = guardedIn(facts, needs.workRules().guarded);
  const { trouble: _over, ...rest } = task;
  const next: Task = {
    ...rest,
    updatedAt: needs.now(),
    work: { ...work, tip: tip.commit, tree: tip.tree, changes: { ...facts.totals }, ...some({ guarded, leaks }) },
  };
  const data = { commit: tip.commit, files: facts.totals.files, ...some({ leaks }) };
  return move(seen, next, { what: 'gathered', data }, needs);
}

const some = <Lists extends Readonly<Record<string, readonly string[]>>>(lists: Lists): Partial<Lists> =>
  Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)) as Partial<Lists>;

/** Of each task the newest. */
const AGENTS_ASKED = 20;

/** The runs whose agents may have put something into the work: its own, and those of the tasks it begins with. */
async function agentsOf({ id, dependsOn, forkedFrom }: Task, { store }: WorkDeps): Promise<RunId[]> {
  const before = forkedFrom ? [...dependsOn, forkedFrom.taskId] : dependsOn;
  const found = await Promise.all(
    [id, ...before].map((one) => store.scan({ index: runIndex.agents(one), limit: AGENTS_ASKED, reverse: true })),
  );
  return found.flat().map(({ key }) => key.id as RunId);
}

const gathered = (site: ProjectWorkspace, origin: CommitOrigin, { gitWork, workRules }: WorkDeps) =>
  bounded(gitWork, { forMs: workRules().keepSeconds * 1_000 }, () => gitWork.commitWork(site, origin));

/** Nobody looks at a file that is not in the list, so a list that is not whole is looked at by a person. */
function guardedIn({ files, totals }: GitFacts, patterns: readonly string[]): string[] {
  const found = guardedAmong(
    files.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from])),
    patterns,
  ).slice(0, GUARDED_SHOWN);
  return patterns.length > 0 && totals.files > files.length
    ? [...found, `${totals.files} files, more than are looked at one by one`]
    : found;
}

const unfinished = ({ branch }: Work, why: string) => ({
  cause: 'proof' as const,
  what: `it reported success, but not everything it left is committed: ${why}`,
  text: `You reported success, but not everything you left is committed on your branch ${branch}: ${why}. End what is under way, check out ${branch}, commit everything that belongs to this task, and remove what does not.`,
});

async function branchTip(project: Project, branch: string, { gitWork }: WorkDeps) {
  const commit = await gitWork.commitOf(project, `refs/heads/${branch}`);
  return commit === undefined ? undefined : { commit, tree: await gitWork.treeOf(project, commit) };
}

async function gate(seen: Versioned<Task>, project: Project | undefined, needs: WorkDeps): Promise<boolean> {
  if (!project) return false;
  const task = seen.body;
  const { work } = task;
  const subject = work?.tip
    ? { commit: work.tip, ...(work.tree ? { tree: work.tree } : {}) }
    : await othersWork(task, project, needs);
  const verdict = await runGate(seen, subject, project, needs);
  if (verdict.state === 'impossible') return stop(seen, { cause: 'proof', who: 'you', what: verdict.why }, needs);
  return verdict.state === 'open' && verdict.acted;
}

/** Work that did not come from a run of ours is the commit they named, else on the target branch, or in the place itself. */
async function othersWork(task: Task, project: Project, { gitWork }: WorkDeps) {
  const holder = holderOf(task);
  if (project.kind === 'directory' || task.isolation === 'in_place' || holder.kind === 'run') return {};
  if (holder.commit) return { commit: holder.commit };
  // The commit the gate has begun with stays the one it judges.
  if (task.gate?.commit) return { commit: task.gate.commit };
  const target = await gitWork.targetOf(project, task.targetBranch ?? project.targetBranch);
  return target.state === 'found' ? { commit: target.commit } : {};
}

async function failureOf(task: Task, because: 'no_changes' | 'gate', { store }: WorkDeps) {
  if (because === 'no_changes') {
    const what = 'it reported success, but nothing has changed';
    const text = `You reported success, but nothing on your branch differs from where you began (${task.work?.base.slice(0, 12)}). Make the change this task asks for. If nothing needs to change, or you cannot do it, say that you are blocked and why.`;
    return { cause: 'proof', what, text } as const;
  }
  const found = task.gate?.runId && (await evidence.get(store, task.gate.runId))?.body;
  const how = gateRefusalText(found || undefined);
  const what = `it reported success, but the gate says no: ${how}`;
  const text = `You reported success, but the project's verify command fails on your commit ${task.work?.tip?.slice(0, 12) ?? ''}: ${how}. Repair it. ${gateFindingsText(found || undefined)}`;
  return { cause: 'proof', what, text } as const;
}
