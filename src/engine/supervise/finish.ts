import { createHash } from 'node:crypto';
import type { Executor } from '../../domain/agent/executor.ts';
import { isFault } from '../../domain/fault.ts';
import { LIMITS } from '../../domain/limits.ts';
import { isMachineError } from '../../domain/machine-error.ts';
import { isOpenQuestionOf } from '../../domain/question/question.ts';
import { retryDelayMs } from '../../domain/run/backoff.ts';
import { overSharedBudget } from '../../domain/run/budget.ts';
import { conclude } from '../../domain/run/conclusion.ts';
import { type RunEnding as Outcomes, type RunEndFacts, withFullDisk } from '../../domain/run/outcome.ts';
import type { Run, Watch } from '../../domain/run/run.ts';
import { countedAttempts } from '../../domain/task/attempts.ts';
import type { Task } from '../../domain/task/task.ts';
import { instantOf, msOf } from '../../domain/values.ts';
import { questionsOf } from '../../store/queries/questions.ts';
import { sharedBudgets } from '../../store/queries/shared-budgets.ts';
import { projects } from '../../store/records/projects.ts';
import { runs } from '../../store/records/runs.ts';
import { type Ended, type SettledEnding, settleAll } from '../settle.ts';
import { PATIENCE_MS, reasonOf } from '../work/trouble.ts';
import { asideBlock, blockAfter, budgetNote, unkeptText } from './blocks.ts';
import { askQuestions } from './converse.ts';
import type { ObservedRun } from './decide.ts';
import type { RunRemains, RunState, SuperviseDeps } from './deps.ts';
import { terminateTree } from './end-run.ts';
import { type NewAsk, stepped } from './ingest.ts';
import type { SuperviseMemory } from './memory.ts';
import { firstWatch, priceOf, seenUntil } from './read.ts';

/** It has ended and left much to read: piece by piece, so that nobody waits for it, and none is read twice. */
export async function catchUp(sight: ObservedRun, needs: SuperviseDeps, memory: SuperviseMemory): Promise<boolean> {
  const { run, task } = sight;
  const executor = await needs.executor(run.body.executor);
  if (!executor || !task || memory.unfinished.has(run.body.id)) return finish([sight], needs, memory);
  if (!memory.setbacks.isDue(run.body.id)) return false;
  const before = run.body.watch ?? (await firstWatch(run.body, task, needs));
  const seen = await seenUntil(run.body, before, executor, { needs, final: false }).catch((error: unknown) => {
    notYet(sight, error, memory);
  });
  if (!seen) return false;
  const { watch } = seen;
  // What cannot be read, or never ends, is no reason to wait.
  if (watch.offset === before.offset) return finish([sight], needs, memory);
  await needs.store.commit([
    runs.put({ ...run.body, updatedAt: needs.now(), watch: { ...watch, asks: before.asks } }, run.version),
  ]);
  return true;
}

/** Runs that are over: what can be said of each is gathered by itself, so that none holds up or spoils the others. */
export async function finish(sights: readonly ObservedRun[], needs: SuperviseDeps, memory: SuperviseMemory): Promise<boolean> {
  const due = sights.filter(({ run }) => memory.setbacks.isDue(run.body.id));
  const gathered = await Promise.allSettled(due.map((sight) => lastOf(sight, needs, memory)));
  const over = gathered.flatMap((one) => (one.status === 'fulfilled' && one.value ? [one.value] : []));
  const settled = over.length === 0 ? [] : await settleAll(over, needs);
  for (const runId of settled) {
    memory.seenAt.delete(runId);
    memory.swept.delete(runId);
    memory.setbacks.over(runId);
    memory.unfinished.delete(runId);
  }
  for (const { runId, last } of over) if (settled.includes(runId)) note(last, needs, memory);
  for (const [at, one] of gathered.entries()) if (one.status === 'rejected') notYet(due[at], one.reason, memory);
  return settled.length > 0;
}

/** Tries of what will most likely be the same again. After them a run ends with what is known of it. */
const MOST_TRIES = 6;

/** Each fails for itself and rests before it is tried again; who has only lost a race is looked at again at once. */
function notYet(sight: ObservedRun | undefined, error: unknown, { setbacks, unfinished }: SuperviseMemory): void {
  if (!sight || isFault(error, 'conflict')) throw error;
  const { id, taskId } = sight.run.body;
  const { times, forMs } = setbacks.note(id, error, { taskId, runId: id });
  if (isMachineError(error) ? forMs >= PATIENCE_MS : times >= MOST_TRIES) unfinished.set(id, reasonOf(error));
}

/** Beside the turn: what was claimed in the place of this run must not wait for files that people read. */
function note(run: Run, needs: SuperviseDeps, { notes }: SuperviseMemory): void {
  const noting = needs
    .runEnded(run)
    .catch((error: unknown) => needs.log('notes.failed', { taskId: run.taskId, runId: run.id, error: String(error) }))
    .finally(() => notes.delete(noting));
  notes.add(noting);
}

interface Last extends Ended {
  readonly last: Run;
}

/** Whatever is left of its tree goes, and the rest of its output is read; undefined when something of it still is there. */
async function lastOf(
  { run, task, look }: ObservedRun,
  needs: SuperviseDeps,
  memory: SuperviseMemory,
): Promise<Last | undefined> {
  if (look.state === 'unclaimed' && !(await needs.runner.preventStart(run.body.id))) return undefined;
  if (look.state !== 'unclaimed' && !(await isSwept(run.body, needs, memory))) return undefined;
  const ran = look.state !== 'unclaimed' && look.state !== 'never';
  const left = task ? await needs.preserveWork(run.body, task, ran) : NOTHING;
  if (!left) return undefined;
  // It cannot be read to its end, again and again: what was read of it before counts.
  const cutShort = memory.unfinished.get(run.body.id);
  const { watch, heard, asks } =
    task && cutShort === undefined
      ? await lastWatch(run.body, task, look, needs)
      : { watch: run.body.watch, heard: [], asks: [] };
  const facts = factsOf(look);
  const last: Run = { ...run.body, ...(watch ? { watch } : {}) };
  const isHeard = ran && run.body.kind === 'agent' && cutShort === undefined;
  const words = { report: left.said?.(watch), asks: isHeard && (await hasAsked(run.body, asks, needs)) };
  const { quiet, ...end } = conclude(last, facts, words);
  const advised = withAdvice(end, facts, await needs.executor(run.body.executor));
  const { outcome, detail } = withFullDisk(advised, last, await needs.diskFull());
  if (outcome === 'output_limit' && cutShort === undefined) await needs.runner.trim(run.body.id, needs.rules().spoolBytes);
  const counted = task ? countedAttempts(task) : 1;
  const ending: SettledEnding = {
    outcome: quiet && counted > 1 ? 'blocked' : outcome,
    ...(detail === undefined ? {} : { detail }),
    exit: facts.exit,
    watch,
    heard,
    retryInMs: quiet ? 0 : retryDelayMs(outcome, counted, needs.jitter()),
    ...(outcome === 'rate_limited' ? { refusal: refusalOf(watch, needs) } : {}),
    proved: task !== undefined && (await nothingToProve(task, needs)),
    kept: left.kept,
    collected: left.report?.(watch, outcome),
    neverRan: hasNeverRun(run.body, look),
    quiet,
    remark: remarkOn(left, task && watch && budgetNote(task, run.body, watch)?.why, cutShort),
    ...(outcome === 'context_full' && task && cutShort === undefined ? { mark: await markOf(last, task, left, needs) } : {}),
    ...(task && ran ? { block: blockAfter(outcome, { detail, run: last, task, ...(await aroundEnd(last, task, needs)) }) } : {}),
    ...(task && left.unkept ? { block: asideBlock(task.id, left.unkept), unkept: unkeptText(left.unkept) } : {}),
  };
  return { runId: run.body.id, ending, last };
}

/** What is said beside its outcome in the history of the task. */
function remarkOn({ remark }: RunRemains, budget: string | undefined, cutShort: string | undefined): string | undefined {
  const said = [cutShort === undefined ? budget : `not all was read: ${cutShort}`, remark].filter((one) => one !== undefined);
  return said.length === 0 ? undefined : said.join('; ');
}

async function aroundEnd({ executor }: Run, task: Task, needs: SuperviseDeps) {
  return { executor: await needs.executor(executor), shared: overSharedBudget(await sharedBudgets(task, needs)) };
}

/** A run that was seen alive has run, also when a loss of power has taken its directory: it may be what took its host down. */
const hasNeverRun = ({ phase }: Run, { state }: RunState): boolean =>
  phase.state === 'claimed' && (state === 'never' || state === 'unclaimed');

/** Mostly nothing is left, which takes one look; helpers that will not go are waited for beside the turn. */
const SWEEP_MS = 50;
/** Whoever an agent that has ended by itself left behind may still hand in its report or its question. */
const LATE_MS = 2_000;

async function isSwept(run: Run, needs: SuperviseDeps, memory: SuperviseMemory): Promise<boolean> {
  if (memory.swept.has(run.id)) return true;
  const isNew = !memory.ladders.has(run.id);
  // One that was too quick to be seen running has ended by itself, too.
  const isByItself = run.kind === 'agent' && run.phase.state !== 'ending';
  terminateTree(run, needs, memory, isByItself ? { patienceMs: LATE_MS } : {});
  if (isNew) await Promise.race([memory.ladders.get(run.id), new Promise((resolve) => setTimeout(resolve, SWEEP_MS))]);
  return memory.swept.has(run.id);
}

/** A program that is not there can be installed. */
const withAdvice = (end: Outcomes, { isRefused }: RunEndFacts, executor: Executor | undefined): Outcomes =>
  isRefused && executor?.program ? { ...end, detail: `${end.detail}; install it with \`${executor.program.install}\`` } : end;

const NOTHING: RunRemains = {};

const factsOf = (look: RunState): RunEndFacts =>
  look.state === 'ended'
    ? { exit: look.exit, reason: look.reason, isRefused: look.isRefused, exceeded: look.exceeded }
    : look.state === 'unclaimed' || look.state === 'never'
      ? { reason: 'it was never started' }
      : {};

/**
 * Whether it has left with a question of its own open. What it asked with its last words, or on paper, is asked first. A
 * request to be allowed something ends with whoever made it.
 */
async function hasAsked(run: Run, asks: readonly NewAsk[], needs: SuperviseDeps): Promise<boolean> {
  if (asks.length > 0 && run.watch) {
    const { writes } = await askQuestions(run, run.watch, asks, needs);
    await needs.store.commit(writes, { flush: true });
  }
  await needs.collectFinalQuestions(run);
  return (await questionsOf(needs.store, run.taskId)).some((seen) => isOpenQuestionOf(run.id, seen.body));
}

interface LastSeen {
  readonly watch: Watch | undefined;
  readonly heard: readonly number[];
  readonly asks: readonly NewAsk[];
}

async function lastWatch(run: Run, task: Task, look: RunState, needs: SuperviseDeps): Promise<LastSeen> {
  const executor = await needs.executor(run.executor);
  if (!executor || look.state === 'unclaimed' || look.state === 'never') return { watch: run.watch, heard: [], asks: [] };
  let watch = run.watch ?? (await firstWatch(run, task, needs));
  if (run.phase.state === 'ending' && run.phase.outcome === 'output_limit') {
    const unread = Math.max(0, ('outBytes' in look ? look.outBytes : 0) - watch.offset);
    return { watch: { ...watch, droppedBytes: watch.droppedBytes + unread }, heard: [], asks: [] };
  }
  const heard: number[] = [];
  const asks: NewAsk[] = [];
  for (;;) {
    const seen = await seenUntil(run, watch, executor, { needs, final: true });
    heard.push(...seen.heard);
    asks.push(...seen.asks);
    if (seen.watch.offset === watch.offset) break;
    watch = { ...seen.watch, asks: watch.asks };
  }
  const isOpen = watch.verdict === undefined && watch.failed === undefined;
  const events = isOpen && look.state === 'ended' ? executor.exit(watch.state, look.exit) : [];
  return { watch: stepped(watch, { state: watch.state, events, send: [] }, priceOf(run, needs)), heard, asks };
}

/** Work in place is as old as its newest file. */
async function markOf(run: Run, task: Task, { mark }: RunRemains, needs: SuperviseDeps): Promise<string> {
  const work = mark ?? String(await needs.changedAt(run, task));
  return createHash('sha256')
    .update(JSON.stringify([work, await needs.notesVersion(task)]))
    .digest('hex');
}

const LONGEST_PAUSE_MS = LIMITS.pauseDays.value * 86_400_000;

/** A provider that said when it will work again is asked then, and not before. */
export const refusalOf = (
  watch: Watch | undefined,
  needs: Pick<SuperviseDeps, 'jitter' | 'now'>,
): NonNullable<SettledEnding['refusal']> => ({
  jitter: needs.jitter(),
  ...(watch?.limitedUntil === undefined
    ? {}
    : { until: instantOf(Math.min(msOf(watch.limitedUntil), msOf(needs.now()) + LONGEST_PAUSE_MS)) }),
});

/** Work in place has no branch to verify or merge; a project's verify command still decides. */
async function nothingToProve(task: Task, { store }: SuperviseDeps): Promise<boolean> {
  if (!task.projectId) return true;
  if (task.work) return false;
  return (await projects.get(store, task.projectId))?.body.verify === undefined;
}
