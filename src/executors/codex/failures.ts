import { isRecord, recordIn } from '../agent-event.ts';
import type { AgentEvent } from '../executor.ts';
import { type CodexFields, countIn, fieldsIn, textIn } from './fields.ts';

type Verdict = Extract<AgentEvent, { type: 'ended' }>['verdict'];

const VERDICT_OF: Readonly<Record<string, Verdict | 'limited'>> = {
  contextWindowExceeded: 'context_full',
  sessionBudgetExceeded: 'over_budget',
  usageLimitExceeded: 'limited',
  rateLimitExceeded: 'limited',
  serverOverloaded: 'limited',
  flexUnavailable: 'limited',
  policyCapacityUnavailable: 'limited',
  unauthorized: 'auth_required',
  modelNotFound: 'refused',
  badRequest: 'refused',
  cyberPolicy: 'refused',
  misalignmentPolicyViolation: 'refused',
  tooManyDenials: 'refused',
};

const VERDICT_OF_STATUS: Readonly<Record<number, Verdict | 'limited'>> = {
  400: 'refused',
  401: 'auth_required',
  403: 'auth_required',
  404: 'refused',
  413: 'context_full',
  422: 'refused',
  429: 'limited',
  529: 'limited',
};

const SUMMARY = 1_000;

/** The events of a failed turn: by the kind codex names, else by the provider's status. */
export function failureOf(error: CodexFields, until: string | undefined): readonly AgentEvent[] {
  const text = textIn(error, 'message') ?? 'its turn failed and it did not say why';
  const message = (textIn(bodyIn(text), 'message') ?? text).slice(0, SUMMARY);
  const verdict = verdictOf(error);
  if (verdict === 'limited')
    return [
      { type: 'limited', why: message, ...(until === undefined ? {} : { until }) },
      { type: 'ended', verdict: 'errored', summary: message },
    ];
  const summary = verdict === 'auth_required' ? `codex is not signed in, run \`codex login\`: ${message}` : message;
  return [{ type: 'ended', verdict, summary }];
}

function verdictOf(error: CodexFields): Verdict | 'limited' {
  const kind = error['codexErrorInfo'];
  if (isRecord(kind)) return byStatus(kind) ?? 'errored';
  if (typeof kind === 'string' && Object.hasOwn(VERDICT_OF, kind)) return VERDICT_OF[kind] ?? 'errored';
  return byBody(textIn(error, 'message') ?? '') ?? 'errored';
}

function byStatus(kind: CodexFields): Verdict | 'limited' | undefined {
  const [name = ''] = Object.keys(kind);
  const status = countIn(fieldsIn(kind, name), 'httpStatusCode');
  return status === undefined ? undefined : VERDICT_OF_STATUS[status];
}

/** The verdict of a bad request, which has no kind: its message is the body of the provider's answer. */
function byBody(message: string): Verdict | undefined {
  const body = bodyIn(message);
  if (Object.keys(body).length === 0) return undefined;
  return textIn(body, 'code') === 'context_length_exceeded' ? 'context_full' : 'refused';
}

const bodyIn = (message: string): CodexFields => fieldsIn(recordIn(message), 'error');
