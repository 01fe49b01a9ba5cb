import type { AgentEvent, Executor, Step } from '../../domain/agent/executor.ts';
import type { Price } from '../../domain/agent/prices.ts';
import { LIMITS } from '../../domain/limits.ts';
import { estimatedContext } from '../../domain/run/context.ts';
import type { Watch } from '../../domain/run/run.ts';
import { type Turn, type Usage, usageOf, usageSum } from '../../domain/run/usage.ts';
import type { Instant, QuestionId } from '../../domain/values.ts';
import type { OutputSlice } from './deps.ts';

/** A question the agent asks in the lines just read. */
export interface NewAsk {
  readonly questionId: QuestionId;
  readonly text: string;
  readonly options: readonly string[];
  readonly permission: boolean;
}

export interface Ingested {
  readonly watch: Watch;
  readonly asks: readonly NewAsk[];
  /** Messages the agent has confirmed. */
  readonly heard: readonly number[];
  /** The agent has come to the end of a turn, or waits for somebody. */
  readonly turnOver: boolean;
}

/** What a model costs; without a name, the model the run was asked to use. */
export type PriceOf = (model: string | undefined) => Price | undefined;

const unknownPrice: PriceOf = () => undefined;

const TURN_ENDS: ReadonlySet<AgentEvent['type']> = new Set(['spent', 'asked', 'ended']);

const LAST_WORDS = 500;
const SUMMARY = 4_000;

/** A run of which nothing has been read yet. */
export function newWatch(begun: Step, at: Instant): Watch {
  const empty: Watch = {
    offset: 0,
    skipping: false,
    state: null,
    outbox: { at: 0, tail: '' },
    lines: 0,
    events: 0,
    droppedBytes: 0,
    lastWords: '',
    openTools: [],
    asks: [],
    signAt: at,
    activeMs: 0,
  };
  return stepped(empty, begun);
}

/** Reads lines into what is known of the run. Pure: the same lines from the same state always mean the same. */
export function ingest(
  watch: Watch,
  executor: Executor,
  read: OutputSlice,
  { questionId, at, price = unknownPrice }: { questionId: () => QuestionId; at: Instant; price?: PriceOf },
): Ingested {
  const asks: NewAsk[] = [];
  const heard: number[] = [];
  const turns: Spent[] = [];
  let turnOver = false;
  const now = draftOf(watch);
  now.offset = read.cursor.offset;
  now.skipping = read.cursor.skipping;
  now.droppedBytes += read.dropped;
  now.lines += read.lines.length;
  if (read.lines.length > 0) now.signAt = at;
  for (const { text } of read.lines) {
    if (now.failed !== undefined) break;
    const step = executor.step(now.state, text);
    take(now, step, price, turns);
    for (const event of step.events) {
      turnOver ||= TURN_ENDS.has(event.type);
      if (event.type === 'heard') heard.push(event.n);
      if (
        event.type !== 'asked' ||
        event.request.length > LIMITS.titleCharacters.value ||
        now.asks.length >= LIMITS.questionOptions.value
      )
        continue;
      const ask = {
        questionId: questionId(),
        text: event.text.slice(0, SUMMARY),
        options: event.options.map((option) => option.slice(0, LIMITS.titleCharacters.value)),
        permission: event.kind === 'permission',
      };
      asks.push(ask);
      now.asks = [...now.asks, { request: event.request, questionId: ask.questionId }];
    }
  }
  if (turns.length > 0) now.turns = turned(now.turns, turns, at);
  measured(now, executor);
  return { watch: now, asks, heard, turnOver };
}

/** A turn that is over, and what it took. */
interface Spent {
  readonly model?: string | undefined;
  readonly usage: Usage;
}

function turned(before: Watch['turns'], turns: readonly Spent[], at: Instant): NonNullable<Watch['turns']> {
  const newest = turns.slice(-LIMITS.turnsKept.value);
  return {
    count: (before?.count ?? 0) + turns.length,
    ends: [...(before?.ends ?? []), ...newest.map(() => at)].slice(-LIMITS.turnsKept.value),
    spent: [...(before?.spent ?? []), ...newest.map((turn) => turnOf(turn, at))].slice(-LIMITS.turnsKept.value),
  };
}

function turnOf({ model, usage }: Spent, at: Instant): Turn {
  const { listUsd: _list, unpriced: _unpriced, ...took } = usage;
  return { at, ...took, ...(model === undefined ? {} : { model: model.slice(0, LIMITS.titleCharacters.value) }) };
}

/** A window whose size the program leaves out is as large as its executor says; one it says nothing of is estimated. */
function measured(draft: Draft, { can, contextLimit }: Executor): void {
  if (contextLimit === undefined) return;
  if (draft.context && !draft.context.estimate) draft.context = { limit: contextLimit, ...draft.context };
  else if (!can.context) draft.context = estimatedContext(draft.offset, contextLimit);
}

/** Whether something has happened that somebody waits for: nothing more is read before it is written down. */
export const isUrgent = (before: Watch, { watch, asks, heard }: Ingested): boolean =>
  asks.length > 0 ||
  heard.length > 0 ||
  watch.report !== before.report ||
  watch.verdict !== before.verdict ||
  watch.failed !== before.failed ||
  watch.session !== before.session ||
  watch.outbox !== before.outbox;

/** Whether something has happened that others act upon: it is written down at once, and everything else now and then. */
export const isConsequence = (before: Watch, ingested: Ingested): boolean =>
  isUrgent(before, ingested) ||
  // What a turn took may have been the last of a budget, or of its window.
  ingested.watch.turns?.count !== before.turns?.count ||
  (ingested.watch.context?.tokens !== before.context?.tokens && !ingested.watch.context?.estimate);

/** The state after one step, with everything it has to send put behind what was sent before. */
export function stepped(watch: Watch, step: Step, price: PriceOf = unknownPrice): Watch {
  const draft = draftOf(watch);
  take(draft, step, price);
  return draft;
}

/** A copy that only its maker knows of and may still write into: a flood would otherwise copy a whole row for each line. */
type Draft = { -readonly [Key in keyof Watch]: Watch[Key] };

const draftOf = (watch: Watch): Draft => ({ ...watch });

function take(draft: Draft, { state, events, send, unknown, failed }: Step, price: PriceOf, turns: Spent[] = []): void {
  draft.state = state;
  if (failed !== undefined) draft.failed = failed.slice(0, SUMMARY);
  if (unknown) draft.unknownLines = (draft.unknownLines ?? 0) + 1;
  draft.events += events.length;
  for (const event of events) takeEvent(draft, event, price, turns);
  if (send.length > 0) draft.outbox = { at: draft.outbox.at, tail: draft.outbox.tail + send.map((line) => `${line}\n`).join('') };
}

function takeEvent(draft: Draft, event: AgentEvent, price: PriceOf, turns: Spent[]): void {
  switch (event.type) {
    case 'opened':
      draft.session = event.session.slice(0, LIMITS.nameCharacters.value * 16);
      return;
    case 'said':
      draft.lastWords = event.text.slice(-LAST_WORDS);
      return;
    case 'tool':
      draft.openTools = [...draft.openTools.filter((id) => id !== event.id), event.id].slice(-LIMITS.argsPerTask.value);
      return;
    case 'tool-done':
      draft.openTools = draft.openTools.filter((id) => id !== event.id);
      return;
    case 'spent': {
      const usage = usageOf(event, price(event.model));
      draft.usage = usageSum(draft.usage, usage);
      turns.push({ model: event.model, usage });
      return;
    }
    case 'context':
      draft.context = { tokens: event.tokens, ...(event.limit === undefined ? {} : { limit: event.limit }) };
      return;
    case 'limited':
      draft.verdict = 'limited';
      if (event.until) draft.limitedUntil = event.until;
      if (event.why) draft.summary = event.why.slice(0, SUMMARY);
      return;
    case 'quota':
      draft.quota = [
        ...(draft.quota ?? []).filter(({ window }) => window !== event.window),
        { window: event.window, used: event.used, ...(event.resets ? { resets: event.resets } : {}) },
      ].slice(-LIMITS.quotaWindows.value);
      return;
    case 'reported':
      draft.report = bounded(event.report);
      return;
    case 'ended':
      draft.verdict = event.verdict === 'errored' && draft.verdict === 'limited' ? 'limited' : event.verdict;
      draft.summary = event.summary.slice(0, SUMMARY);
      return;
    case 'thought':
    case 'asked':
    case 'heard':
  }
}

/** A row holds what people read; the whole report is in the output. */
function bounded(report: unknown): unknown {
  const text = JSON.stringify(report) ?? 'null';
  if (text.length <= LIMITS.textFieldBytes.value) return report;
  return { cut: text.slice(0, LIMITS.textFieldBytes.value / 4) };
}
