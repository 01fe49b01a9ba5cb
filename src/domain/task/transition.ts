import { Fault } from '../fault.ts';
import { LIMITS } from '../limits.ts';
import { dueAt } from '../run/backoff.ts';
import type { Outcome } from '../run/run.ts';
import type { ClaimId, Instant, RunId, TaskId } from '../values.ts';
import { agentBlock, agentFailureReason } from './agent-report.ts';
import { countedAttempts } from './attempts.ts';
import { type Block, fenceOf, type Holder, isFinal, type Phase, type Task, withoutTrouble } from './task.ts';

export type Fence = RunId | ClaimId;

export type TaskCommand =
  /** A draft is handed over for work. */
  | { readonly type: 'dispatch'; readonly at: Instant; readonly unmet: readonly TaskId[] }
  /** Dependencies were checked again: `unmet` are still open, `dead` (if any) will never be done. */
  | { readonly type: 'release'; readonly at: Instant; readonly unmet: readonly TaskId[]; readonly dead?: TaskId }
  /** A person changed the dependencies or the earliest time. */
  | { readonly type: 'rewire'; readonly at: Instant; readonly unmet: readonly TaskId[] }
  | { readonly type: 'claim'; readonly at: Instant; readonly holder: Holder }
  | {
      readonly type: 'settle';
      readonly at: Instant;
      readonly fence: Fence;
      readonly outcome: Outcome;
      readonly retryAt: Instant;
      /** The provider refuses more work, and named a time to retry. */
      readonly isStated?: boolean;
      /** Identifies the state of the work when the agent's window was full. */
      readonly mark?: string;
      /** The program's own words. */
      readonly detail?: string;
    }
  | { readonly type: 'verify'; readonly at: Instant; readonly fence: Fence }
  | { readonly type: 'finish'; readonly at: Instant; readonly fence: Fence }
  /** Proved work enters the queue of its target branch. */
  | { readonly type: 'merge'; readonly at: Instant; readonly fence: Fence }
  /** The proof failed: the same agent is told and tries again. */
  | { readonly type: 'repair'; readonly at: Instant; readonly fence: Fence }
  /** Resting finished work is to land. */
  | { readonly type: 'land'; readonly at: Instant; readonly holder: Holder }
  /** The gate is to run on finished work once more. */
  | { readonly type: 'reverify'; readonly at: Instant; readonly holder: Holder }
  /** The holder gives the task back unfinished. */
  | { readonly type: 'giveBack'; readonly at: Instant; readonly fence: Fence }
  | { readonly type: 'block'; readonly at: Instant; readonly fence: Fence; readonly block: Block }
  | { readonly type: 'unblock'; readonly at: Instant }
  /** A person retries the task; earlier failures no longer count. */
  | { readonly type: 'retry'; readonly at: Instant; readonly unmet: readonly TaskId[] }
  | { readonly type: 'cancel'; readonly at: Instant; readonly by: string };

/** The only way a task changes its phase. Time and ids arrive in the command, so the same inputs always give the same task. */
export function transition(task: Task, command: TaskCommand): Task {
  switch (command.type) {
    case 'dispatch':
      if (task.phase.state !== 'draft') throw refusal(task, command);
      return inPhase(task, command.at, whenFree(task, command.at, command.unmet));
    case 'release':
      return released(task, command);
    case 'rewire':
      return rewired(task, command);
    case 'claim':
      if (task.phase.state !== 'queued' || task.cancelAsked) throw refusal(task, command);
      return {
        ...inPhase(unproved(task), command.at, { state: 'running', since: command.at, holder: command.holder }),
        attempts: task.attempts + 1,
      };
    case 'settle':
      return settled(heldBy(task, command), command);
    case 'verify':
      return inPhase(task, command.at, { state: 'verifying', since: command.at, holder: holderOf(heldBy(task, command)) });
    case 'finish':
      heldBy(task, command);
      return ended(task, command.at, { state: 'done', at: command.at });
    case 'merge':
      return inPhase(task, command.at, { state: 'merging', since: command.at, holder: holderOf(heldBy(task, command)) });
    case 'repair':
      return repaired(heldBy(task, command), command.at);
    case 'land':
      return rested(task, command, 'merging');
    case 'reverify':
      return rested(task, command, 'verifying');
    case 'giveBack':
      heldBy(task, command);
      return task.cancelAsked ? canceled(task, command.at) : inPhase(task, command.at, { state: 'queued', since: command.at });
    case 'block':
      heldBy(task, command);
      return task.cancelAsked ? canceled(task, command.at) : blocked(task, command.at, command.block);
    case 'unblock':
      if (task.phase.state !== 'blocked') throw refusal(task, command);
      return { ...inPhase(task, command.at, whenFree(task, command.at, [])), ...UNTRIED };
    case 'retry':
      return retried(task, command);
    case 'cancel':
      return asked(task, command);
  }
}

/** The task without the facts about its old work, which new work makes stale. */
function unproved(task: Task): Task {
  const { gate: _gate, work, ...rest } = task;
  if (!work) return rest;
  const { tip: _tip, tree: _tree, changes: _changes, guarded: _g, leaks: _leaks, approval: _a, landing: _l, ...kept } = work;
  return { ...rest, work: kept };
}

function repaired(task: Task, at: Instant): Task {
  if (task.cancelAsked) return canceled(task, at);
  return { ...inPhase(task, at, { state: 'queued', since: at }), repairs: task.repairs + 1, attempts: 0, uncounted: 0 };
}

const REST_CAUSES: ReadonlySet<string> = new Set(['review', 'proof', 'checkout', 'conflict']);

/** Committed work rests while its task waits for a person, and after its task has ended without landing it. */
function rested(task: Task, command: Extract<TaskCommand, { type: 'land' | 'reverify' }>, state: 'merging' | 'verifying'): Task {
  const { phase } = task;
  const waits = phase.state === 'blocked' && REST_CAUSES.has(phase.block.cause);
  const isUnlanded = isFinal(phase) && task.work?.tip !== undefined && task.work.landed === undefined;
  if (!waits && !isUnlanded) throw refusal(task, command);
  return { ...inPhase(task, command.at, { state, since: command.at, holder: command.holder }), untold: false };
}

type Settle = Extract<TaskCommand, { type: 'settle' }>;
type Release = Extract<TaskCommand, { type: 'release' }>;
type Fenced = Extract<TaskCommand, { fence: Fence }>;

/** After this many lost runs a task is quarantined, because it may be what takes its hosts down. */
const POISONOUS = 3;

/** Counters of earlier failures, reset. */
const UNTRIED = { attempts: 0, uncounted: 0, lostTimes: 0, stalledTimes: 0, refusedTimes: 0, fullTimes: 0 } as const;

/** Outcomes worth another attempt; any other would be the same again. */
const ACCIDENTS: ReadonlySet<Outcome> = new Set(['crashed', 'stalled', 'lost']);

function settled(task: Task, command: Settle): Task {
  const { at, outcome, retryAt } = command;
  // A vanished host may have been stopped because of this very task, so a request to cancel counts even after `lost`.
  if (task.cancelAsked || outcome === 'canceled') return canceled(task, at);
  if (outcome === 'succeeded' || outcome === 'no_changes')
    return inPhase(task, at, { state: 'verifying', since: at, holder: holderOf(task) });
  if (outcome === 'blocked' || outcome === 'auth_required')
    return inPhase(task, at, { state: 'blocked', since: at, block: agentBlock(command) });
  if (outcome === 'failed') return ended(task, at, { state: 'failed', at, reason: agentFailureReason(command) });
  if (outcome === 'rate_limited') return refusedWork(task, command);
  if (outcome === 'context_full') return afresh(task, command);
  const lostTimes = task.lostTimes + (outcome === 'lost' ? 1 : 0);
  if (lostTimes >= POISONOUS) {
    const what = `its run was lost ${lostTimes} times together with what ran it; look at its log, then retry or cancel it`;
    return { ...inPhase(task, at, { state: 'blocked', since: at, block: { cause: 'quarantine', who: 'you', what } }), lostTimes };
  }
  if (outcome === 'lost') return { ...inPhase(task, at, { state: 'waiting', since: at, on: [], until: retryAt }), lostTimes };
  const stalledTimes = task.stalledTimes + (outcome === 'stalled' ? 1 : 0);
  if (outcome === 'stalled' && stalledTimes > LIMITS.stallRestarts.value)
    return ended({ ...task, stalledTimes }, at, { state: 'failed', at, reason: `stalled ${stalledTimes} times` });
  if (ACCIDENTS.has(outcome) && countedAttempts(task) < task.maxAttempts)
    return { ...inPhase(task, at, { state: 'waiting', since: at, on: [], until: retryAt }), stalledTimes };
  const often = outcome === 'refused' ? 'refused' : tooOften(task, outcome);
  const reason = command.detail ? `${often}: ${command.detail.slice(0, REASON)}` : tooOften(task, outcome);
  return ended(task, at, { state: 'failed', at, reason });
}

const REASON = 500;

/** A fresh run goes on from the notes and counts no attempt; without progress the task needs a person. */
function afresh(task: Task, { at, mark = '' }: Settle): Task {
  const fullTimes = task.fullMark === mark ? task.fullTimes + 1 : 1;
  const seen = { ...task, fullTimes, fullMark: mark, uncounted: task.uncounted + 1 };
  if (fullTimes <= LIMITS.idleContinuations.value) return inPhase(seen, at, { state: 'queued', since: at });
  const what = `its agent filled its window ${fullTimes} times without getting any further: give it less to do at once, or tell it what to leave out`;
  return inPhase(seen, at, { state: 'blocked', since: at, block: { cause: 'agent', who: 'you', what } });
}

const tooOften = (task: Task, outcome: Outcome): string =>
  `${outcome} after ${countedAttempts(task)} of ${task.maxAttempts} attempts`;

/**
 * Queues the task again, where the pause of its account holds it up. With a stated time the attempt does not count; without
 * one the task may try a few times.
 */
function refusedWork(task: Task, { at, isStated = false }: Settle): Task {
  const queued = inPhase(task, at, { state: 'queued', since: at });
  if (isStated) return { ...queued, uncounted: task.uncounted + 1 };
  const refusedTimes = task.refusedTimes + 1;
  if (refusedTimes >= LIMITS.refusalsWithoutTime.value)
    return ended({ ...task, refusedTimes }, at, {
      state: 'failed',
      at,
      reason: `rate_limited ${refusedTimes} times, and its provider did not say until when`,
    });
  if (countedAttempts(task) >= task.maxAttempts)
    return ended(task, at, { state: 'failed', at, reason: tooOften(task, 'rate_limited') });
  return { ...queued, refusedTimes };
}

function released(task: Task, command: Release): Task {
  const { phase } = task;
  const { at, unmet, dead } = command;
  const waits = phase.state === 'waiting' || (phase.state === 'blocked' && phase.block.cause === 'dependency');
  if (!waits) throw refusal(task, command);
  if (dead) {
    const what = `dependency ${dead} will not be done: retry it, or take it out of this task's dependencies`;
    return inPhase(task, at, {
      state: 'blocked',
      since: at,
      block: { cause: 'dependency', who: 'you', what, taskId: dead, on: [...unmet] },
    });
  }
  return inPhase(task, at, whenFree(task, at, unmet, phase.state === 'waiting' ? dueAt(phase, task.notBefore, at) : undefined));
}

function rewired(task: Task, command: Extract<TaskCommand, { type: 'rewire' }>): Task {
  const { phase } = task;
  if (phase.state === 'draft') return task;
  const open =
    phase.state === 'queued' || phase.state === 'waiting' || (phase.state === 'blocked' && phase.block.cause === 'dependency');
  if (!open) throw refusal(task, command);
  const next = whenFree(task, command.at, command.unmet);
  // The place in the queue is the task's age: an edit must not send it to the back.
  return inPhase(task, command.at, phase.state === 'queued' && next.state === 'queued' ? phase : next);
}

function whenFree(task: Task, at: Instant, unmet: readonly TaskId[], until: Instant | undefined = task.notBefore): Phase {
  const later = until !== undefined && until > at ? { until } : {};
  if (unmet.length === 0 && later.until === undefined) return { state: 'queued', since: at };
  return { state: 'waiting', since: at, on: [...unmet], ...later };
}

function asked(task: Task, command: Extract<TaskCommand, { type: 'cancel' }>): Task {
  const { state } = task.phase;
  if (isFinal(task.phase)) throw refusal(task, command);
  if (state === 'running' || state === 'verifying' || state === 'merging')
    return { ...task, updatedAt: command.at, cancelAsked: task.cancelAsked ?? { at: command.at, by: command.by } };
  return canceled(task, command.at);
}

function retried(task: Task, command: Extract<TaskCommand, { type: 'retry' }>): Task {
  const { state } = task.phase;
  if (state !== 'failed' && state !== 'blocked' && state !== 'canceled') throw refusal(task, command);
  // A retry begins with the first executor again.
  const { executorAt: _at, ...begun } = task;
  const next = inPhase(begun, command.at, whenFree(task, command.at, command.unmet));
  return { ...next, ...UNTRIED, spentMs: 0, repairs: 0, untold: false };
}

/** A block for review releases the tasks that review this one. */
const blocked = (task: Task, at: Instant, block: Block): Task => ({
  ...inPhase(task, at, { state: 'blocked', since: at, block }),
  untold: block.cause === 'review' && task.awaited > 0,
});

const canceled = (task: Task, at: Instant): Task => ended(task, at, { state: 'canceled', at });

function ended(task: Task, at: Instant, phase: Phase): Task {
  const { cancelAsked: _, ...rest } = task;
  return { ...inPhase(rest, at, phase), untold: task.awaited > 0 };
}

/** The task in a new phase. Trouble of the old phase is dropped. */
const inPhase = (task: Task, at: Instant, phase: Phase): Task => ({ ...withoutTrouble(task), updatedAt: at, phase });

function holderOf(task: Task): Holder {
  const { phase } = task;
  if (phase.state === 'running' || phase.state === 'verifying' || phase.state === 'merging') return phase.holder;
  throw new Fault('conflict', `task ${task.id} is ${phase.state} and has no holder`, { task: task.id });
}

/** The fence: a lost holder that reports late must not settle the work of its successor. */
function heldBy(task: Task, command: Fenced): Task {
  const { phase } = task;
  const held = phase.state === 'running' || phase.state === 'verifying' || phase.state === 'merging';
  if (!held || fenceOf(phase.holder) !== command.fence) throw refusal(task, command);
  return task;
}

const refusal = (task: Task, command: TaskCommand) =>
  new Fault('conflict', `cannot ${WORDS[command.type]} task ${task.id}: it is ${task.phase.state}`, {
    task: task.id,
    state: task.phase.state,
  });

const WORDS: Record<TaskCommand['type'], string> = {
  dispatch: 'dispatch',
  release: 'release',
  rewire: 'change the dependencies of',
  claim: 'claim',
  settle: 'settle',
  verify: 'complete',
  finish: 'finish',
  merge: 'merge',
  repair: 'send back',
  land: 'land',
  reverify: 'verify',
  giveBack: 'give back',
  block: 'block',
  unblock: 'unblock',
  retry: 'retry',
  cancel: 'cancel',
};
