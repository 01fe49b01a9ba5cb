import type { AgentEvent } from '../executor.ts';
import { type CodexFields, countIn, fieldsIn, nameIn } from './fields.ts';

/** The last report of a quota window of the account. */
export interface QuotaWindow {
  readonly window: string;
  readonly used: number;
  readonly resets?: string;
}

/** The usage of one answer of the model. The total beside it includes earlier runs of the thread, so it is not used. */
export function spentIn(usage: CodexFields, model: string | undefined): AgentEvent {
  const last = fieldsIn(usage, 'last');
  // Codex counts cached tokens among the input tokens.
  const cached = countIn(last, 'cachedInputTokens') ?? 0;
  return {
    type: 'spent',
    inputTokens: Math.max(0, (countIn(last, 'inputTokens') ?? 0) - cached),
    outputTokens: countIn(last, 'outputTokens') ?? 0,
    cachedTokens: cached,
    ...(model === undefined ? {} : { model }),
  };
}

export function contextIn(usage: CodexFields): AgentEvent {
  const limit = countIn(usage, 'modelContextWindow');
  return {
    type: 'context',
    tokens: countIn(fieldsIn(usage, 'last'), 'totalTokens') ?? 0,
    ...(limit === undefined ? {} : { limit }),
  };
}

const MOST_WINDOWS = 8;

export function windowsIn(limits: CodexFields): readonly QuotaWindow[] {
  const of = nameIn(limits, 'limitId');
  const prefix = of === undefined || of === 'codex' ? '' : `${of} `;
  return ['primary', 'secondary'].flatMap((name) => {
    const fields = fieldsIn(limits, name);
    const percent = fields['usedPercent'];
    if (typeof percent !== 'number' || !Number.isFinite(percent)) return [];
    const resets = instantOf(countIn(fields, 'resetsAt'));
    const used = Math.min(1, Math.max(0, percent / 100));
    const window = prefix + lengthOf(countIn(fields, 'windowDurationMins'), name);
    return [{ window, used, ...(resets === undefined ? {} : { resets }) }];
  });
}

/** Merges reports of windows: an update names only windows that changed. */
export const withWindows = (before: readonly QuotaWindow[], now: readonly QuotaWindow[]): readonly QuotaWindow[] =>
  [...before.filter(({ window }) => !now.some((other) => other.window === window)), ...now].slice(-MOST_WINDOWS);

/** When the last used-up window resets. */
export const usedUpUntil = (windows: readonly QuotaWindow[]): string | undefined =>
  windows
    .filter(({ used }) => used >= 1)
    .flatMap(({ resets }) => resets ?? [])
    .toSorted()
    .at(-1);

const lengthOf = (minutes: number | undefined, otherwise: string): string => {
  if (!minutes) return otherwise;
  if (minutes % 1_440 === 0) return `${minutes / 1_440}d`;
  return minutes % 60 === 0 ? `${minutes / 60}h` : `${minutes}m`;
};

const LAST_SECOND = 253_402_300_799;

const instantOf = (seconds: number | undefined): string | undefined =>
  seconds === undefined || seconds > LAST_SECOND ? undefined : new Date(seconds * 1_000).toISOString();
