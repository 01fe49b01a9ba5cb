import { overBudget } from '../../domain/run/budget.ts';
import { windowTooFull } from '../../domain/run/context.ts';
import { patienceMs, spinPatienceMs } from '../../domain/run/health.ts';
import { outcomeOf } from '../../domain/run/outcome.ts';
import type { Outcome, Run, Watch } from '../../domain/run/run.ts';
import { isFinal, type Task } from '../../domain/task/task.ts';
import { msOf } from '../../domain/values.ts';
import type { Versioned as Read } from '../../store/records/record.ts';
import { ENDINGS_PER_COMMIT } from '../settle.ts';
import type { RunState, SuperviseRules } from './deps.ts';

/** One live run: what the store says, what this machine says, and how long it has been silent. */
export interface ObservedRun {
  readonly run: Read<Run>;
  readonly task: Task | undefined;
  readonly look: RunState;
  readonly silentMs: number;
  /** How long it has shown nothing but use of the processor. */
  readonly speechlessMs?: number | undefined;
  /** How long it has run since that was last written down. */
  readonly sinceMs: number;
  /** How many processes it has, when that is too many. */
  readonly processes?: number | undefined;
  /** Messages or answers wait to be sent to it. */
  readonly toSend: boolean;
  /** Which budget that it shares with others is used up by all of them. */
  readonly overShared?: string | undefined;
  /** Its input has been ended by this process. */
  readonly hungUp?: boolean | undefined;
}

export interface SuperviseView {
  readonly sights: readonly ObservedRun[];
  readonly now: string;
  readonly rules: SuperviseRules;
}

export type SuperviseAction =
  | { readonly type: 'start'; readonly sight: ObservedRun }
  | { readonly type: 'adopt'; readonly sight: ObservedRun }
  | { readonly type: 'ingest'; readonly sight: ObservedRun }
  /** It has said how it went and only waits for more to be said: nothing will be. */
  | { readonly type: 'hangUp'; readonly sight: ObservedRun }
  | {
      readonly type: 'end';
      readonly sight: ObservedRun;
      readonly outcome: Outcome;
      readonly why: string;
      readonly atOnce?: boolean;
    }
  | { readonly type: 'ladder'; readonly sight: ObservedRun; readonly atOnce?: boolean }
  | { readonly type: 'catchUp'; readonly sight: ObservedRun }
  /** Several at once: what ends together is written down together. */
  | { readonly type: 'finish'; readonly sights: readonly ObservedRun[] };

/** Whoever began to start a run says who it is at once, or never. */
const STARTING_MS = 30_000;
/** How much of its output may be left to read when a run is settled; what is more is read in turn with the others'. */
const FINISH_BYTES = 1024 * 1024;
/** The time of a silent run is written down this often; after a restart the age of its process tells the rest. */
const WRITE_DOWN_MS = 60_000;
/** A program that has said how it went and shows no sign of life for this long will not end by itself. */
const AFTERWARDS_MS = 20_000;

/** How long a tool that is still open when its agent has said how it went may take. */
const LATE_MS = 2_000;

export function decide({ sights, now, rules }: SuperviseView): readonly SuperviseAction[] {
  const actions = sights.flatMap((sight) => actionFor(sight, now, rules) ?? []);
  const over = actions.flatMap((action) => (action.type === 'finish' ? action.sight : []));
  const finishing = Array.from({ length: Math.ceil(over.length / ENDINGS_PER_COMMIT) }, (_, n) => ({
    type: 'finish' as const,
    sights: over.slice(n * ENDINGS_PER_COMMIT, (n + 1) * ENDINGS_PER_COMMIT),
  }));
  return [...finishing, ...actions.filter((action) => action.type !== 'finish')];
}

type Single = Exclude<SuperviseAction, { type: 'finish' }> | { readonly type: 'finish'; readonly sight: ObservedRun };

function actionFor(sight: ObservedRun, now: string, rules: SuperviseRules): Single | undefined {
  const { run, look, task } = sight;
  const { phase } = run.body;
  if (look.state === 'ended' || look.state === 'dead')
    return { type: unreadOf(run.body, look.outBytes) > FINISH_BYTES ? 'catchUp' : 'finish', sight };
  if (look.state === 'never') return { type: 'finish', sight };
  if (look.state === 'unclaimed') {
    const wanted = phase.state === 'claimed' && task !== undefined && !task.cancelAsked;
    return wanted ? { type: 'start', sight } : { type: 'finish', sight };
  }
  if (look.state === 'starting') {
    if (phase.state === 'ending') return { type: 'ladder', sight };
    if (task?.cancelAsked) return { type: 'end', sight, outcome: 'canceled', why: `${task.cancelAsked.by} asked for it` };
    if (phase.state === 'running')
      return { type: 'end', sight, outcome: 'lost', why: 'its run directory no longer says who it is' };
    // By how long it has been watched: nobody knows what it did while nobody looked.
    const late = phase.state === 'claimed' && sight.silentMs > STARTING_MS;
    return late ? { type: 'ladder', sight } : undefined;
  }
  if (phase.state === 'claimed') return { type: 'adopt', sight };
  if (phase.state === 'ending') return { type: 'ladder', sight, atOnce: isOutOfHand(phase.outcome) };
  const end = reasonToEnd(sight, look, rules);
  if (end) return { type: 'end', sight, atOnce: isOutOfHand(end.outcome), ...end };
  const isRead = look.outBytes <= (run.body.watch?.offset ?? 0);
  if (isRead && look.listens && !sight.hungUp && isOver(sight)) return { type: 'hangUp', sight };
  const news = sight.toSend || !isRead || isToBeWrittenDown(sight, now, rules);
  return news ? { type: 'ingest', sight } : undefined;
}

/** It has said how it went, has been told all it was to be told, and waits for no tool such as one that hands in its report. */
function isOver({ run, silentMs }: ObservedRun): boolean {
  const { watch } = run.body;
  return watch?.verdict !== undefined && watch.outbox.tail === '' && (watch.openTools.length === 0 || silentMs > LATE_MS);
}

/** Signs of life that are no output are written down too, often enough that people see whether there were any. */
export function isToBeWrittenDown({ run, silentMs, sinceMs }: ObservedRun, now: string, { stallMs }: SuperviseRules): boolean {
  const { signAt = now, asks = [] } = run.body.watch ?? {};
  return isTimeUp(sinceMs, msOf(now)) || (asks.length === 0 && msOf(now) - silentMs - msOf(signAt) > stallMs / 4);
}

/** At the same moment for all of them, so that a hundred silent runs are one burst of writing in a minute and not a hundred. */
const isTimeUp = (sinceMs: number, nowMs: number): boolean =>
  sinceMs > 2 * WRITE_DOWN_MS || (sinceMs > WRITE_DOWN_MS / 2 && nowMs % WRITE_DOWN_MS < sinceMs);

/** Whoever floods the disk or the machine does so in its grace as well. */
const isOutOfHand = (outcome: Outcome): boolean => outcome === 'output_limit' || outcome === 'over_budget';

/** Of a flood the rest is not read: it is cut off. */
const unreadOf = ({ phase, watch }: Run, outBytes: number): number =>
  phase.state === 'ending' && phase.outcome === 'output_limit' ? 0 : outBytes - (watch?.offset ?? 0);

function reasonToEnd(
  { run, task, silentMs, speechlessMs = silentMs, sinceMs, processes = 0, overShared }: ObservedRun,
  look: Extract<RunState, { state: 'alive' }>,
  rules: SuperviseRules,
): { outcome: Outcome; why: string; atOnce?: boolean } | undefined {
  const { watch } = run.body;
  if (!task) return { outcome: 'canceled', why: 'its task is gone' };
  if (task.cancelAsked) return { outcome: 'canceled', why: `${task.cancelAsked.by} asked for it` };
  if (run.body.chore && isFinal(task.phase)) return { outcome: 'canceled', why: `its task is ${task.phase.state}` };
  // What an agent has said of its work holds, whatever its executor makes of the rest.
  if (watch?.failed !== undefined && watch.verdict === undefined) return { outcome: 'crashed', why: watch.failed };
  const bytes = look.outBytes + look.errBytes;
  if (bytes > rules.spoolBytes)
    return { outcome: 'output_limit', why: `it printed ${bytes} bytes, max_output_mb allows ${rules.spoolBytes}` };
  if (processes > rules.processes)
    return { outcome: 'over_budget', why: `it had ${processes} processes at once, max_processes allows ${rules.processes}` };
  const { chore } = run.body;
  const spentMs = (chore ? 0 : task.spentMs) + (watch?.activeMs ?? 0) + sinceMs;
  const allowed = chore ? chore.timeoutSeconds : (task.timeoutSeconds ?? (task.sandbox ? rules.sandboxSeconds : undefined));
  if (allowed !== undefined && spentMs > allowed * 1_000)
    return {
      outcome: 'timed_out',
      why: `it has run for ${Math.round(spentMs / 1_000)} s, at most ${allowed} s are allowed`,
    };
  const used = chore || !watch || watch.verdict !== undefined ? undefined : usedUp({ task, overShared }, watch, rules);
  if (used) return used;
  if (watch?.verdict !== undefined && silentMs > AFTERWARDS_MS) {
    const { outcome, detail } = outcomeOf(run.body, { exit: 0 });
    return { outcome, why: detail || 'it had said how it went, and did not end' };
  }
  // An agent that waits for a person is not stuck, and one that waits for a tool of its own has longer.
  if (silentMs > patienceMs(watch, rules.stallMs) && (watch?.asks.length ?? 0) === 0)
    return { outcome: 'stalled', why: silence(silentMs, speechlessMs, spinPatienceMs(watch, rules.stallMs)) };
  return undefined;
}

const silence = (silentMs: number, speechlessMs: number, spinningMs: number): string =>
  speechlessMs > spinningMs
    ? `it has used the processor for ${Math.round(speechlessMs / 1_000)} s and shown no other sign of life`
    : `no sign of life for ${Math.round(silentMs / 1_000)} s`;

/** An agent that has said how it went is over anyway, and one that costs too much may still put its things in order. */
function usedUp(
  { task, overShared }: { readonly task: Task; readonly overShared: string | undefined },
  watch: Watch,
  rules: SuperviseRules,
): { outcome: Outcome; why: string; atOnce?: boolean } | undefined {
  const spent = overBudget(task, watch) ?? overShared;
  if (spent) return { outcome: 'over_budget', why: spent, atOnce: false };
  const full = windowTooFull(watch, rules.contextPercent);
  return full === undefined ? undefined : { outcome: 'context_full', why: full };
}
