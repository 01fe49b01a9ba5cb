import { Fault, isFault } from '../domain/fault.ts';
import { withoutHolder } from '../domain/hold/hold.ts';
import type { Refusal } from '../domain/hold/pause.ts';
import { isOpenQuestionOf, type Question, questionBlock, withReplyMessage } from '../domain/question/question.ts';
import type { Outcome, Run, Watch } from '../domain/run/run.ts';
import { usageSum } from '../domain/run/usage.ts';
import { type Block, fenceOf, type Task } from '../domain/task/task.ts';
import { transition } from '../domain/task/transition.ts';
import { instantOf, msOf, type RunId } from '../domain/values.ts';
import type { Report } from '../domain/work/report.ts';
import type { Work } from '../domain/work/work.ts';
import type { Version, Write } from '../store/port.ts';
import { isPending, questionsOf } from '../store/queries/questions.ts';
import { reports } from '../store/records/findings.ts';
import { holds } from '../store/records/holds.ts';
import { type Author, changeWrites } from '../store/records/journal.ts';
import type { Versioned } from '../store/records/record.ts';
import { runs } from '../store/records/runs.ts';
import { tasks } from '../store/records/tasks.ts';
import { type Occupied, occupied } from './claim.ts';
import type { EngineDeps } from './deps.ts';
import { pausesOf, pausing } from './pausing.ts';

type Settle = Pick<EngineDeps, 'store' | 'known' | 'serialized' | 'now' | 'hostName'>;

export interface SettledEnding {
  readonly outcome: Outcome;
  readonly detail?: string;
  readonly exit?: number | undefined;
  readonly retryInMs: number;
  /** What was seen of the run until its end. */
  readonly watch?: Watch | undefined;
  /** Messages the agent confirmed in the last it said. */
  readonly heard?: readonly number[];
  /** Not an instruction of it was carried out: the task is as if it had not been claimed. */
  readonly neverRan?: boolean;
  /** What its provider said when it refused more work. */
  readonly refusal?: Pick<Refusal, 'until' | 'jitter'> | undefined;
  /** Nothing is left to prove or to merge: success is done. */
  readonly proved?: boolean;
  /** It ended well and said nothing of how it went. */
  readonly quiet?: boolean;
  /** Something else its history should say. */
  readonly remark?: string | undefined;
  /** How its work stands, where its agent had no room left. */
  readonly mark?: string | undefined;
  /** A person must act, and this is what about. */
  readonly block?: Block | undefined;
  /** Why its work could not be kept, and where its files are. */
  readonly unkept?: string | undefined;
  /** Where its work is kept. */
  readonly kept?: NonNullable<Work['kept']> | undefined;
  readonly collected?: { readonly report: Report; readonly over: Version | 'absent' } | undefined;
}

export interface Ended {
  readonly runId: RunId;
  readonly ending: SettledEnding;
}

/** Endings that fit into one commit. */
export const ENDINGS_PER_COMMIT = 12;

/**
 * Records that runs have ended and their process trees are gone: each run, its task and every scope it occupied, all in
 * one commit; if somebody else has changed one of them meanwhile, each for itself. Answers whose end is recorded now.
 */
export async function settleAll(ended: readonly Ended[], needs: Settle): Promise<readonly RunId[]> {
  try {
    await settleTogether(ended, needs);
    return ended.map(({ runId }) => runId);
  } catch (error) {
    if (!isFault(error, 'conflict') || ended.length === 1) throw error;
    const settled: RunId[] = [];
    for (const one of ended) settled.push(...(await settleAll([one], needs).catch(unlessRaceLost)));
    return settled;
  }
}

export const settle = async (runId: RunId, ending: SettledEnding, needs: Settle): Promise<void> =>
  void (await settleAll([{ runId, ending }], needs));

const unlessRaceLost = (error: unknown): readonly RunId[] => {
  if (!isFault(error, 'conflict')) throw error;
  return [];
};

const settleTogether = (ended: readonly Ended[], needs: Settle): Promise<void> =>
  needs.serialized ? needs.serialized(() => settleNow(ended, needs)) : settleNow(ended, needs);

/** A run that was settled before, or whose task has moved on to another run, changes nothing but itself. */
async function settleNow(ended: readonly Ended[], needs: Settle): Promise<void> {
  const { store, known = store, hostName } = needs;
  const found = await Promise.all(
    ended.map(async ({ runId, ending }) => {
      const run = await runs.get(known, runId);
      if (!run) throw new Fault('not_found', `no run ${runId}`);
      return { run, ending };
    }),
  );
  const open = found.filter(({ run }) => run.body.phase.state !== 'ended');
  if (open.length === 0) return;
  const at = needs.now();
  const author = { by: `host ${hostName}`, at };
  const [owners, before, paused] = await Promise.all([
    Promise.all(open.map(({ run }) => tasks.get(known, run.body.taskId))),
    occupied(
      known,
      open.flatMap(({ run }) => run.body.holds),
    ),
    pausesOf(
      known,
      open.flatMap(({ run }) => (run.body.kind === 'agent' ? [run.body] : [])),
    ),
  ]);
  // After the tasks: whoever asks changes the task too, so that a question that comes later makes this commit fail.
  const asked = await Promise.all(
    open.map(async ({ run, ending }) => (mayHaveAsked(run.body, ending) ? questionsOf(store, run.body.taskId) : [])),
  );
  for (const [index, { run, ending }] of open.entries()) refuseUnheard(run.body, ending, asked[index] ?? []);
  const writes = open.flatMap(({ run, ending }, index) => [
    ...endedRun(run, ending, author),
    ...settledTask(owners[index], { runId: run.body.id, ending, author, asked: asked[index] ?? [] }),
    ...(ending.collected ? [reports.put(ending.collected.report, ending.collected.over)] : []),
  ]);
  const gone = open.map(({ run }) => run.body.id);
  await store.commit([...writes, ...leaving(gone, before), ...pausing(open, paused, author)], { flush: true });
}

function endedRun(run: Versioned<Run>, { outcome, detail, exit, watch, unkept }: SettledEnding, author: Author): Write[] {
  const { at } = author;
  const phase = { state: 'ended', at, outcome, ...(detail ? { detail } : {}), ...(exit === undefined ? {} : { exit }) } as const;
  const over: Run = { ...run.body, updatedAt: at, phase, ...(watch ? { watch } : {}), ...(unkept ? { unkept } : {}) };
  return changeWrites(runs, run, over, { author, note: { what: 'ended', to: outcome, ...(detail ? { why: detail } : {}) } });
}

function leaving(gone: readonly RunId[], before: Occupied): Write[] {
  return [...before.values()].flatMap((seen) => {
    if (!seen?.body.holders.some((holder) => gone.includes(holder))) return [];
    return [holds.put(gone.reduce(withoutHolder, seen.body), seen.version)];
  });
}

interface Settling {
  readonly runId: RunId;
  readonly ending: SettledEnding;
  readonly author: Author;
  /** Questions about the task, newest first. */
  readonly asked: readonly Versioned<Question>[];
}

function settledTask(seen: Versioned<Task> | undefined, { runId, ending, author, asked }: Settling): Write[] {
  const phase = seen?.body.phase;
  const held = phase?.state === 'running' || phase?.state === 'verifying' || phase?.state === 'merging';
  if (!seen) return [];
  // Whoever has the task now: what a run has cost, its task has cost.
  if (!held || fenceOf(phase.holder) !== runId)
    return ending.watch?.usage ? [tasks.put(withSpent(seen.body, ending), seen.version)] : [];
  const next = nextOf(withAnswers(withKept(seen.body, runId, ending), ending, asked), { runId, ending, author, asked });
  const messages = next.messages.map((message) =>
    ending.heard?.includes(message.n) ? { ...message, state: 'heard' as const } : message,
  );
  const spent = { ...withSpent(next, ending), messages, spentMs: next.spentMs + (ending.watch?.activeMs ?? 0) };
  const why = ending.remark === undefined ? ending.outcome : `${ending.outcome}; ${ending.remark}`;
  const data = { run: runId, ...(ending.refusal?.until ? { until: ending.refusal.until } : {}) };
  const note = { what: 'settle', from: phase.state, to: next.phase.state, why, data };
  return changeWrites(tasks, seen, spent, { author, note });
}

function withSpent(task: Task, { watch }: SettledEnding): Task {
  const usage = usageSum(task.usage, watch?.usage);
  return { ...task, turns: task.turns + (watch?.turns?.count ?? 0), ...(usage ? { usage } : {}) };
}

const withKept = (task: Task, runId: RunId, { kept }: SettledEnding): Task =>
  task.work ? { ...task, work: { ...task.work, runId, ...(kept ? { kept } : {}) } } : task;

/** Answers that came when the agent could no longer be told are what its next run is told. */
const withAnswers = (task: Task, { watch }: SettledEnding, asked: readonly Versioned<Question>[]): Task =>
  asked
    .filter(({ body }) => watch?.asks.some(({ questionId }) => questionId === body.id))
    .reduce((told, { body }) => withReplyMessage(told, body), task);

function nextOf(task: Task, settling: Settling): Task {
  const {
    runId,
    ending,
    author: { at },
  } = settling;
  if (ending.neverRan && ending.outcome === 'lost') {
    const given = transition(task, { type: 'giveBack', at, fence: runId });
    return { ...given, attempts: Math.max(0, given.attempts - 1) };
  }
  if (ending.block) return transition(task, { type: 'block', at, fence: runId, block: ending.block });
  const retryAt = instantOf(msOf(at) + ending.retryInMs);
  const isStated = ending.refusal?.until !== undefined && ending.refusal.until > at;
  const settled = transition(task, {
    type: 'settle',
    at,
    fence: runId,
    outcome: ending.outcome,
    retryAt,
    isStated,
    ...told(ending),
  });
  if (ending.proved && settled.phase.state === 'verifying') return transition(settled, { type: 'finish', at, fence: runId });
  return stopsFor(task, settled, settling) ?? settled;
}

const told = ({ mark, detail }: SettledEnding) => ({
  ...(mark === undefined ? {} : { mark }),
  ...(detail === undefined ? {} : { detail }),
});

const mayHaveAsked = ({ kind }: Run, { outcome }: SettledEnding): boolean => kind === 'agent' && outcome !== 'canceled';

/** It was taken for a success before it had asked: whoever gathered what it said has to look again. */
function refuseUnheard({ id }: Run, { outcome }: SettledEnding, asked: readonly Versioned<Question>[]): void {
  if (outcome !== 'succeeded' && outcome !== 'no_changes') return;
  const open = asked.find(({ body }) => isOpenQuestionOf(id, body));
  if (open) throw new Fault('conflict', `run ${id} has asked ${open.body.id} meanwhile`);
}

/**
 * A task whose agent has asked and stopped stands still until it is answered, and has not failed. If the answer came just
 * before its agent had gone, it goes on at once.
 */
function stopsFor(task: Task, { phase }: Task, { runId, ending, author: { at }, asked }: Settling): Task | undefined {
  const isStuck =
    (phase.state === 'blocked' && phase.block.cause === 'agent') || (ending.quiet === true && phase.state === 'waiting');
  if (!isStuck && phase.state !== 'failed') return undefined;
  const open = asked.findLast(isPending);
  if (open) return transition(task, { type: 'block', at, fence: runId, block: questionBlock(open.body) });
  const unheard = asked.find(({ body }) =>
    task.messages.some(({ answers, state }) => answers === body.id && state === 'waiting'),
  );
  if (!unheard || !isStuck) return undefined;
  const stopped = transition(task, { type: 'block', at, fence: runId, block: questionBlock(unheard.body) });
  return { ...transition(stopped, { type: 'unblock', at }), continues: runId };
}
