import { Fault, isFault } from '../../domain/fault.ts';
import { fenceOf, type Task } from '../../domain/task/task.ts';
import { transition } from '../../domain/task/transition.ts';
import { msOf, type RunId } from '../../domain/values.ts';
import { gateFindingsText, gateRefusalText } from '../../domain/work/evidence.ts';
import { landingRef, type Work } from '../../domain/work/work.ts';
import { allHits } from '../../store/queries/every-hit.ts';
import { evidence } from '../../store/records/findings.ts';
import { changeWrites } from '../../store/records/journal.ts';
import { projects } from '../../store/records/projects.ts';
import type { Versioned } from '../../store/records/record.ts';
import { taskIndex, tasks } from '../../store/records/tasks.ts';
import type { Controller } from '../controller.ts';
import { BackgroundWork } from './background-work.ts';
import type { WorkDeps } from './deps.ts';
import { runGate } from './gate.ts';
import { canceled, landingFailed } from './landing-failed.ts';
import { isGateOver } from './prove.ts';
import { originOf, recordProvenance } from './record-provenance.ts';
import { holderOf, sendBack, stop } from './repair.ts';
import { Setbacks } from './setbacks.ts';
import type { WaitingToLand } from './waiting.ts';
import { wakesWork } from './wakes-work.ts';

export interface LandView {
  /** Everything that is to land. */
  readonly merging: readonly WaitingToLand[];
  /** Waits until something of the user's is out of the way. */
  readonly parked: readonly WaitingToLand[];
}

export type LandAction = { readonly type: 'land' | 'unpark'; readonly waiting: WaitingToLand };

const EVERY_MS = 15_000;
/** Whether a checkout has become clean is looked at this often. */
const PARKED_MS = 2_000;

/** Brings proved work onto its target branch: one task per branch at a time, in the order they came. */
export function land(needs: WorkDeps): Controller<LandView, LandAction> {
  const beside = new BackgroundWork();
  const setbacks = new Setbacks('land', needs);
  return {
    name: 'land',
    onWake: (stir) => beside.onDone(stir),
    wakesOn: wakesWork,
    everyMs: EVERY_MS,
    observe: () => observe(needs),
    decide: ({ merging, parked }) => {
      setbacks.keepOnly(new Set(merging.map(idOf)));
      return [
        ...dueOf(merging, (waiting) => setbacks.isDue(idOf(waiting))).map((waiting) => ({ type: 'land', waiting }) as const),
        ...parked.map((waiting) => ({ type: 'unpark', waiting }) as const),
      ];
    },
    act: ({ type, waiting }) => (type === 'land' ? attempt(waiting, { needs, beside, setbacks }) : unpark(waiting, needs)),
    dueInMs: ({ parked }) => least(setbacks.dueInMs(), parked.length > 0 ? PARKED_MS : undefined),
  };
}

const idOf = ({ seen }: WaitingToLand): string => seen.body.id;
const least = (a: number | undefined, b: number | undefined) => (a === undefined || b === undefined ? (a ?? b) : Math.min(a, b));

/** A landing that failed rests, and who stands behind it goes first meanwhile. */
async function attempt(
  waiting: WaitingToLand,
  { needs, beside, setbacks }: Around & { readonly setbacks: Setbacks },
): Promise<boolean> {
  try {
    return await act(waiting, needs, beside);
  } catch (error) {
    if (isFault(error, 'conflict')) throw error;
    return landingFailed(waiting, error, setbacks.note(idOf(waiting), error), needs);
  }
}

async function observe({ store }: WorkDeps): Promise<LandView> {
  const [merging, stuck] = await Promise.all([allHits(store, taskIndex.state('merging')), allHits(store, taskIndex.parked)]);
  const read = async (hits: typeof merging) => {
    const found = hits.map((hit) => ({ body: tasks.read(hit), version: hit.version }));
    const known = await Promise.all(
      found.map(async ({ body }) => (body.projectId ? projects.get(store, body.projectId) : undefined)),
    );
    return found.flatMap((seen, at): WaitingToLand[] => {
      const project = known[at];
      return project && seen.body.work ? [{ seen, project: project.body, work: seen.body.work }] : [];
    });
  };
  return { merging: await read(merging), parked: await read(stuck) };
}

/** The first of each target branch that need not rest, and everything somebody wants stopped, wherever it stands. */
export function dueOf(merging: readonly WaitingToLand[], isDue: (waiting: WaitingToLand) => boolean): readonly WaitingToLand[] {
  const due = merging.filter(isDue);
  const heads = headsOf(due);
  return [...heads, ...due.filter((one) => one.seen.body.cancelAsked && !heads.includes(one))];
}

export function headsOf(waiting: readonly WaitingToLand[]): readonly WaitingToLand[] {
  const since = ({ seen }: WaitingToLand) => ('since' in seen.body.phase ? msOf(seen.body.phase.since) : 0);
  const inOrder = waiting.toSorted((a, b) => since(a) - since(b) || (a.seen.body.id < b.seen.body.id ? -1 : 1));
  const heads = new Map<string, WaitingToLand>();
  for (const one of inOrder) {
    const queue = `${one.project.id} ${one.work.target}`;
    if (!heads.has(queue)) heads.set(queue, one);
  }
  return [...heads.values()];
}

async function act(waiting: WaitingToLand, needs: WorkDeps, beside: BackgroundWork): Promise<boolean> {
  const { seen, project, work } = waiting;
  const task = seen.body;
  // What is being moved right now is moved; whether that was in time is seen when it is over.
  if (task.cancelAsked && !beside.has(`advance ${task.id} `)) return cancel(waiting, needs, beside);
  if (!work.tip) return stop(seen, { cause: 'proof', who: 'you', what: 'nothing has been gathered that could land' }, needs);
  const onto = await needs.gitWork.commitOf(project, `refs/heads/${work.target}`);
  if (onto === undefined)
    return stop(
      seen,
      {
        cause: 'conflict',
        who: 'you',
        what: `the branch ${work.target} is gone from ${project.path}: bring it back, then fleet task merge ${task.id}`,
      },
      needs,
    );
  const { landing } = work;
  if (!landing) return combine(waiting, onto, needs, beside);
  // It stands there already: we died before saying so, and perhaps before the checkout had come along.
  if (landing.commit === onto) return advance(waiting, landing, needs, beside);
  if (landing.onto !== onto) return afterMove(waiting, landing, onto, { needs, beside });
  const isProved = project.verify === undefined || (task.gate?.green === true && task.gate.tree === landing.tree);
  return isProved ? advance(waiting, landing, needs, beside) : gate(waiting, landing, needs);
}

interface Around {
  readonly needs: WorkDeps;
  readonly beside: BackgroundWork;
}

/** Somebody has moved the target: before our work came there, or on from it. */
async function afterMove(waiting: WaitingToLand, landing: Landing, onto: string, { needs, beside }: Around): Promise<boolean> {
  const isThere = await landedBefore(waiting, landing, onto, { needs, beside });
  if (isThere === undefined) return false;
  return isThere ? landed(waiting, landing.commit, needs, beside) : combine(waiting, onto, needs, beside);
}

/** Whether the target holds it already. A move that a dead engine had begun is ended first. */
async function landedBefore(
  { seen, project, work }: WaitingToLand,
  landing: Landing,
  onto: string,
  { needs, beside }: Around,
): Promise<boolean | undefined> {
  const { gitWork } = needs;
  const found = await beside.take(`before ${seen.body.id} ${landing.commit} ${onto}`, async () => {
    await gitWork.advance(project, { branch: work.target, from: onto, to: onto, why: `fleet: end what ${seen.body.id} began` });
    const wish = { onto, tip: landing.commit, origin: { task: seen.body }, at: needs.now() };
    return (await gitWork.combine(project, wish)).state === 'contained';
  });
  return found?.value;
}

/** Canceled is what has not landed, when nothing of it runs any more. */
async function cancel(waiting: WaitingToLand, needs: WorkDeps, beside: BackgroundWork): Promise<boolean> {
  const { seen, project, work } = waiting;
  if (!(await isGateOver(seen.body, needs))) return false;
  const onto = work.landing && (await needs.gitWork.commitOf(project, `refs/heads/${work.target}`));
  // What is not in the repository at all is not on the target either.
  const isMade = work.landing && onto && (await needs.gitWork.commitOf(project, work.landing.commit));
  if (!work.landing || !onto || !isMade) return canceled(waiting, needs);
  const isThere = await landedBefore(waiting, work.landing, onto, { needs, beside });
  if (isThere === undefined) return false;
  return isThere ? landed(waiting, work.landing.commit, needs, beside) : canceled(waiting, needs);
}

const author = ({ now }: WorkDeps) => ({ by: 'fleet', at: now() });

type Landing = NonNullable<Work['landing']>;

/** The tip on top of what the target is now, in memory: no working tree is touched. */
async function combine(
  { seen, project, work }: WaitingToLand,
  onto: string,
  needs: WorkDeps,
  beside: BackgroundWork,
): Promise<boolean> {
  const task = seen.body;
  // The same moment in every attempt gives the same commit.
  const at = 'since' in task.phase ? task.phase.since : task.updatedAt;
  const wish = { onto, tip: work.tip as string, origin: await originOf(task, needs), at, ref: landingRef(task.id) };
  const done = await beside.take(`combine ${task.id} ${onto} ${work.tip}`, () => needs.gitWork.combine(project, wish));
  if (!done) return false;
  const combined = done.value;
  if (combined.state === 'contained') await needs.gitWork.dropRef(project, landingRef(task.id));
  if (combined.state === 'contained') return finish(seen, { ...work, landed: { commit: onto, at: needs.now() } }, needs);
  if (combined.state === 'unrelated')
    return stop(seen, { cause: 'conflict', who: 'you', what: `it cannot be merged into ${work.target}: ${combined.why}` }, needs);
  if (combined.state === 'conflict') return sendBack(seen, conflictOf(work, onto, combined), needs);
  const landing: Landing = { onto, commit: combined.commit, tree: combined.tree };
  const note = { what: 'combined', data: { onto, commit: combined.commit } };
  const { trouble: _over, ...rest } = task;
  await needs.store.commit(changeWrites(tasks, seen, { ...rest, work: { ...work, landing } }, { author: author(needs), note }));
  return true;
}

const conflictOf = (
  { target }: Work,
  onto: string,
  { files, text }: { readonly files: readonly string[]; readonly text: string },
) => ({
  cause: 'conflict' as const,
  what: `it conflicts with ${target} in ${files.slice(0, 10).join(', ')}`,
  text: `Your work conflicts with ${target}, which has moved on to ${onto}. Run \`git merge ${onto}\` on your branch, resolve the conflicts so that both intentions live on, make sure that everything still works, and commit. The conflicts:\n${text}`,
});

/** The combination is what will be on the target, so the combination is what the gate must agree to. */
async function gate({ seen, project, work }: WaitingToLand, { onto, commit, tree }: Landing, needs: WorkDeps): Promise<boolean> {
  const verdict = await runGate(seen, { commit, tree, onto }, project, needs);
  if (verdict.state === 'open') return verdict.acted;
  if (verdict.state === 'impossible') {
    // Somebody has removed it from the repository meanwhile: it is made again.
    if ((await needs.gitWork.commitOf(project, commit)) === undefined) throw new Fault('not_found', verdict.why);
    return stop(seen, { cause: 'proof', who: 'you', what: verdict.why }, needs);
  }
  if (verdict.state === 'green') return false;
  const found = seen.body.gate?.runId && (await evidence.get(needs.store, seen.body.gate.runId))?.body;
  const how = gateRefusalText(found || undefined);
  return sendBack(
    seen,
    {
      cause: 'proof',
      what: `together with ${work.target} the gate says no: ${how}`,
      text: `Your work passes alone, but not together with ${work.target}, which has moved on to ${onto}: ${how}. Run \`git merge ${onto}\` on your branch, repair what fails, and commit. ${gateFindingsText(found || undefined)}`,
    },
    needs,
  );
}

async function advance(waiting: WaitingToLand, landing: Landing, needs: WorkDeps, beside: BackgroundWork): Promise<boolean> {
  const { seen, project, work } = waiting;
  const move = { branch: work.target, from: landing.onto, to: landing.commit, why: `fleet: land ${seen.body.id}` };
  const done = await beside.take(`advance ${seen.body.id} ${landing.commit}`, () => needs.gitWork.advance(project, move));
  if (!done) return false;
  const moved = done.value;
  if (moved.state === 'moved') return landed(waiting, landing.commit, needs, beside);
  // Somebody else was faster: the next turn combines with what is there now.
  if (moved.state === 'stale') return true;
  const what =
    moved.state === 'dirty'
      ? `${work.target} is checked out in ${moved.where} with changes that are not committed (${moved.files.slice(0, 5).join(', ')}): commit or stash them, and it lands by itself`
      : `${work.target} is checked out in ${moved.where}, and git is busy there (${moved.why}): it lands by itself once that is over`;
  return stop(seen, { cause: 'checkout', who: 'you', what }, needs);
}

async function landed(waiting: WaitingToLand, commit: string, needs: WorkDeps, beside: BackgroundWork): Promise<boolean> {
  const { seen, project, work } = waiting;
  const task = seen.body;
  const done = await beside.take(`landed ${task.id} ${commit}`, async () => {
    await recordProvenance({ task, project, tip: work.tip as string, landed: commit }, needs);
    await needs.gitWork.dropRef(project, landingRef(task.id));
    return (task.push ?? project.push) ? needs.gitWork.push(project, work.target) : undefined;
  });
  if (!done) return false;
  const pushed = done.value;
  return finish(seen, { ...work, landed: { commit, at: needs.now() }, ...(pushed ? { pushed: { ...pushed } } : {}) }, needs);
}

async function finish(seen: Versioned<Task>, work: Work, needs: WorkDeps): Promise<boolean> {
  const task = { ...seen.body, work };
  const next = transition(task, { type: 'finish', at: needs.now(), fence: fenceOf(holderOf(task)) });
  const note = {
    what: 'landed',
    from: 'merging',
    to: next.phase.state,
    data: { commit: work.landed?.commit ?? '', target: work.target },
  };
  await needs.store.commit(changeWrites(tasks, seen, next, { author: author(needs), note }), { flush: true });
  return true;
}

/** What was in the way is gone: it stands in the queue again. */
async function unpark({ seen, project, work }: WaitingToLand, needs: WorkDeps): Promise<boolean> {
  const { onto, commit } = work.landing ?? {};
  if (!onto || !commit) return false;
  if (!(await needs.gitWork.isFree(project, { branch: work.target, from: onto, to: commit }))) return false;
  const at = needs.now();
  const runId = work.runId as RunId | undefined;
  if (!runId) return false;
  const next = transition(seen.body, { type: 'land', at, holder: { kind: 'run', runId } });
  const note = { what: 'land', from: 'blocked', to: 'merging', why: 'what was in the way is gone' };
  await needs.store.commit(changeWrites(tasks, seen, next, { author: author(needs), note }), { flush: true });
  return true;
}
