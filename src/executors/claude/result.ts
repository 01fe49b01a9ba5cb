import type { AgentEvent, Verdict } from '../../domain/agent/executor.ts';
import { amountOf, type ClaudeFields, countOf, fieldsOf, listOf, textOf } from './fields.ts';
import { claudeProgram, LOGIN } from './program.ts';

/** How a turn went, from structured fields only. `limited`: the provider refuses more work. */
export interface ResultVerdict {
  readonly verdict: Verdict;
  readonly limited: boolean;
  readonly summary: string;
}

const SUMMARY = 4_000;

/** Judges a result. `problem` is the kind of the last failure. A failed request has the subtype `success` with `is_error`. */
export function judgeResult(result: ClaudeFields, problem: string | undefined): ResultVerdict {
  const kind = kindOf(result, problem);
  const text = (
    textOf(result['result']) ??
    listOf(result['errors'])
      .filter((error) => typeof error === 'string')
      .join('; ')
  ).slice(0, SUMMARY);
  if (textOf(result['terminal_reason'])?.startsWith('aborted_'))
    return { verdict: 'errored', limited: false, summary: 'it was interrupted' };
  if (kind === 'auth_required') return { verdict: kind, limited: false, summary: `${text || 'not signed in'}; ${REPAIR}` };
  if (kind === 'limited') return { verdict: 'errored', limited: true, summary: text || 'its provider refused more work' };
  if (kind === 'succeeded') return { verdict: kind, limited: false, summary: text };
  return { verdict: kind, limited: false, summary: text || whyOf(result) };
}

const REPAIR = `sign in with \`${LOGIN}\`, or set ${claudeProgram.keys[0]}`;

const whyOf = (result: ClaudeFields): string =>
  `it stopped: ${textOf(result['terminal_reason']) ?? textOf(result['subtype']) ?? 'it does not say why'}`;

type Kind = Verdict | 'limited';

const BY_REASON: Readonly<Record<string, Kind>> = {
  max_turns: 'over_budget',
  budget_exhausted: 'over_budget',
  prompt_too_long: 'context_full',
  blocking_limit: 'context_full',
  rapid_refill_breaker: 'context_full',
  image_error: 'refused',
};

const BY_SUBTYPE: Readonly<Record<string, Kind>> = {
  error_max_turns: 'over_budget',
  error_max_budget_usd: 'over_budget',
};

/** Failed requests to the provider. Used-up credit is a limit too: another account can go on, and later this one. */
const BY_PROBLEM: Readonly<Record<string, Kind>> = {
  authentication_failed: 'auth_required',
  oauth_org_not_allowed: 'auth_required',
  account_on_hold: 'auth_required',
  verification_required: 'auth_required',
  cloud_credential_error: 'auth_required',
  rate_limit: 'limited',
  overloaded: 'limited',
  billing_error: 'limited',
  model_not_found: 'refused',
  invalid_request: 'refused',
};

const BY_STATUS: Readonly<Record<number, Kind>> = {
  400: 'refused',
  401: 'auth_required',
  402: 'limited',
  403: 'auth_required',
  404: 'refused',
  413: 'refused',
  422: 'refused',
  429: 'limited',
  529: 'limited',
};

/** Startup failures that a retry can pass. Any other startup failure needs a person. */
const PASSING = new Set(['session_held_by_background', 'worktree_resume_refused', 'worktree_unverified']);
const SIGN_IN = /^(?:gateway_|org_)/;

function kindOf(result: ClaudeFields, problem: string | undefined): Kind {
  const reason = textOf(result['terminal_reason']) ?? '';
  const subtype = textOf(result['subtype']) ?? '';
  const stated = own(BY_REASON, reason) ?? own(BY_SUBTYPE, subtype);
  if (stated) return stated;
  if (result['is_error'] === false && subtype === 'success') return 'succeeded';
  const startup = textOf(result['startup_failure_reason']);
  if (startup !== undefined) return SIGN_IN.test(startup) ? 'auth_required' : PASSING.has(startup) ? 'errored' : 'refused';
  if (result['stop_reason'] === 'refusal') return 'refused';
  return own(BY_PROBLEM, problem ?? '') ?? own(BY_STATUS, String(result['api_error_status'])) ?? 'errored';
}

const own = (table: Readonly<Record<string, Kind>>, key: string): Kind | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;

/**
 * The usage since the previous result. The totals of a result include earlier runs of a resumed or forked conversation, so they
 * would be counted twice.
 */
export function spentIn(result: ClaudeFields): AgentEvent | undefined {
  const models = Object.entries(fieldsOf(result['model_usage_since_last_result'])).map(([model, use]) => ({
    model,
    ...usedOf(fieldsOf(use)),
  }));
  if (models.length === 0) return withoutModels(fieldsOf(result['usage']));
  const [dearest] = models.toSorted((a, b) => (b.cost ?? 0) - (a.cost ?? 0));
  const sum = (of: (one: (typeof models)[number]) => number): number => models.reduce((total, one) => total + of(one), 0);
  return {
    type: 'spent',
    inputTokens: sum(({ input }) => input),
    outputTokens: sum(({ output }) => output),
    cachedTokens: sum(({ cached }) => cached),
    ...(models.every(({ cost }) => cost !== undefined) ? { costUsd: sum(({ cost }) => cost ?? 0) } : {}),
    ...(dearest ? { model: dearest.model } : {}),
  };
}

/** Input includes tokens written into a cache: the model read them too. */
const usedOf = (use: ClaudeFields) => ({
  input: countOf(use['inputTokens']) + countOf(use['cacheCreationInputTokens']),
  output: countOf(use['outputTokens']),
  cached: countOf(use['cacheReadInputTokens']),
  cost: amountOf(use['costUSD']),
});

function withoutModels(usage: ClaudeFields): AgentEvent | undefined {
  const spent = {
    inputTokens: countOf(usage['input_tokens']) + countOf(usage['cache_creation_input_tokens']),
    outputTokens: countOf(usage['output_tokens']),
    cachedTokens: countOf(usage['cache_read_input_tokens']),
  };
  return spent.inputTokens + spent.outputTokens + spent.cachedTokens === 0 ? undefined : { type: 'spent', ...spent };
}
