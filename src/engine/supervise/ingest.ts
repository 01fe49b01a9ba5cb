import type { AgentEvent, Executor, Step } from '../../domain/agent/executor.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Usage, Watch } from '../../domain/run/run.ts';
import type { Instant, QuestionId } from '../../domain/values.ts';
import type { Slice } from './needs.ts';

/** A question the agent asks in the lines just read. */
export interface NewAsk {
  readonly questionId: QuestionId;
  readonly text: string;
  readonly options: readonly string[];
}

export interface Ingested {
  readonly watch: Watch;
  readonly asks: readonly NewAsk[];
  /** Messages the agent has confirmed. */
  readonly heard: readonly number[];
}

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
  read: Slice,
  { questionId, at }: { questionId: () => QuestionId; at: Instant },
): Ingested {
  const asks: NewAsk[] = [];
  const heard: number[] = [];
  let now: Watch = {
    ...watch,
    ...read.cursor,
    droppedBytes: watch.droppedBytes + read.dropped,
    signAt: read.lines.length > 0 ? at : watch.signAt,
  };
  for (const { text } of read.lines) {
    const step = executor.step(now.state, text);
    now = stepped({ ...now, lines: now.lines + 1 }, step);
    for (const event of step.events) {
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
      };
      asks.push(ask);
      now = { ...now, asks: [...now.asks, { request: event.request, questionId: ask.questionId }] };
    }
  }
  return { watch: now, asks, heard };
}

/** The state after one step, with everything it has to send put behind what was sent before. */
export function stepped(watch: Watch, { state, events, send }: Step): Watch {
  const told = events.reduce(told1, { ...watch, state, events: watch.events + events.length });
  const lines = send.map((line) => `${line}\n`).join('');
  return { ...told, outbox: { at: told.outbox.at, tail: told.outbox.tail + lines } };
}

function told1(watch: Watch, event: AgentEvent): Watch {
  switch (event.type) {
    case 'opened':
      return { ...watch, session: event.session.slice(0, LIMITS.nameCharacters.value * 16) };
    case 'said':
      return { ...watch, lastWords: event.text.slice(-LAST_WORDS) };
    case 'tool':
      return {
        ...watch,
        openTools: [...watch.openTools.filter((id) => id !== event.id), event.id].slice(-LIMITS.argsPerTask.value),
      };
    case 'tool-done':
      return { ...watch, openTools: watch.openTools.filter((id) => id !== event.id) };
    case 'spent':
      return { ...watch, usage: added(watch.usage, event) };
    case 'context':
      return { ...watch, context: { tokens: event.tokens, ...(event.limit === undefined ? {} : { limit: event.limit }) } };
    case 'limited':
      return { ...watch, verdict: 'limited', ...(event.until ? { limitedUntil: event.until } : {}) };
    case 'reported':
      return { ...watch, report: bounded(event.report) };
    case 'ended':
      return {
        ...watch,
        verdict: event.verdict === 'errored' && watch.verdict === 'limited' ? 'limited' : event.verdict,
        summary: event.summary.slice(0, SUMMARY),
      };
    case 'thought':
    case 'asked':
    case 'heard':
      return watch;
  }
}

/** A row holds what people read; the whole report is in the output. */
function bounded(report: unknown): unknown {
  const text = JSON.stringify(report) ?? 'null';
  if (text.length <= LIMITS.textFieldBytes.value) return report;
  return { cut: text.slice(0, LIMITS.textFieldBytes.value / 4) };
}

function added(before: Usage | undefined, event: Extract<AgentEvent, { type: 'spent' }>): Usage {
  const cost = event.costUsd === undefined ? before?.costUsd : (before?.costUsd ?? 0) + event.costUsd;
  return {
    inputTokens: (before?.inputTokens ?? 0) + event.inputTokens,
    outputTokens: (before?.outputTokens ?? 0) + event.outputTokens,
    cachedTokens: (before?.cachedTokens ?? 0) + (event.cachedTokens ?? 0),
    ...(cost === undefined ? {} : { costUsd: cost }),
  };
}
