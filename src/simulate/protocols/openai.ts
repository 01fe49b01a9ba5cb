import type { RefusalAnswer, RefusalTable } from '../protocol.ts';
import { retryAfter } from '../protocol.ts';
import type { ProviderQuota, RefusalFacts } from '../provider-faults.ts';

/* The refusals, which are the same in both protocols of OpenAI. */

const REFUSALS: RefusalTable = {
  rate_limit: { status: 429, type: 'rate_limit_exceeded' },
  quota_spent: { status: 429, type: 'usage_limit_reached' },
  credit: { status: 429, type: 'insufficient_quota' },
  overloaded: { status: 503, type: 'server_is_overloaded' },
  server_error: { status: 500, type: 'server_error' },
  unauthorized: { status: 401, type: 'invalid_api_key' },
  forbidden: { status: 403, type: 'permission_denied' },
  bad_request: { status: 400, type: 'invalid_request_error' },
  unknown_model: { status: 404, type: 'model_not_found' },
  context_full: { status: 400, type: 'context_length_exceeded' },
};

export const openaiRefusal = (trouble: RefusalFacts): RefusalAnswer => ({
  status: REFUSALS[trouble.kind].status,
  headers: {
    ...retryAfter(trouble),
    ...(trouble.kind === 'rate_limit'
      ? { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': `${trouble.seconds}s` }
      : {}),
    ...(trouble.kind === 'quota_spent' ? openaiQuota({ percent: 100, until: trouble.until }) : {}),
  },
  body: { error: openaiProblem(trouble) },
});

export const openaiProblem = ({ kind, message, seconds, until }: RefusalFacts) => ({
  message: kind === 'rate_limit' ? `${message} Please try again in ${seconds}s.` : message,
  type: TYPES[kind] ?? REFUSALS[kind].type,
  param: null,
  code: REFUSALS[kind].type,
  // Only subscriptions get these fields.
  ...(kind === 'quota_spent' ? { plan_type: 'plus', resets_at: Math.ceil(until / 1000), resets_in_seconds: seconds } : {}),
});

/** Types that are broader than the code. */
const TYPES: Partial<Record<RefusalFacts['kind'], string>> = {
  rate_limit: 'requests',
  unauthorized: 'invalid_request_error',
  unknown_model: 'invalid_request_error',
  context_full: 'invalid_request_error',
};

/** The quota headers of a subscription, which Codex reads. */
export const openaiQuota = ({ percent, until }: ProviderQuota): Record<string, string> => ({
  'x-codex-primary-used-percent': String(percent),
  'x-codex-primary-window-minutes': '300',
  'x-codex-primary-reset-at': String(Math.ceil(until / 1000)),
});
