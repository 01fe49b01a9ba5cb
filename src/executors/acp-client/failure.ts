import type { Verdict } from '../../domain/agent/executor.ts';
import { recordIn } from '../agent-event.ts';
import type { AgentEvent } from '../executor.ts';
import { AUTH_REQUIRED, fieldsOf, METHOD_NOT_FOUND, textIn } from './rpc.ts';

type Fields = Readonly<Record<string, unknown>>;

const INVALID_PARAMS = -32_602;
const summaryCharacters = 2_000;

/** The events of an error answer, from its codes alone. */
export function failed(error: Fields, login: string): readonly AgentEvent[] {
  const message = messageOf(error);
  const status = statusIn(error);
  if (error['code'] === AUTH_REQUIRED || status === 401 || status === 403)
    return ended('auth_required', `${message}; sign in with: ${login}`);
  if (isNamed(error, NO_KEY)) return ended('auth_required', `${message}; sign in with: ${login}`);
  if (isNamed(error, OVERFLOWS)) return ended('context_full', message);
  if (status === 429 || status === 503 || status === 529) return [limited(error, message), ...ended('errored', message)];
  if (status === 413) return ended('context_full', message);
  if (status !== undefined && status >= 400 && status < 500 && status !== 408 && status !== 409) return ended('refused', message);
  const isPermanent = isNamed(error, NO_MODEL) || error['code'] === INVALID_PARAMS || error['code'] === METHOD_NOT_FOUND;
  return ended(isPermanent ? 'refused' : 'errored', message);
}

export const ended = (verdict: Verdict, summary: string): AgentEvent[] => [
  { type: 'ended', verdict, summary: summary.slice(0, summaryCharacters) },
];

/** The message of an error. Some programs put the cause into `data` and leave the message general. */
export function messageOf(error: Fields): string {
  const data = fieldsOf(error['data']);
  const said = [messageIn(textIn(error['message'])), textIn(error['data']), textIn(data['message']), textIn(data['details'])];
  const words = [...new Set(said.flatMap((text) => text || []))].join(': ').replace(/^Internal error: /, '');
  return words || 'it failed and did not say why';
}

/** The message inside a provider's answer, which some programs pass on as JSON. */
function messageIn(text = ''): string {
  const inner = fieldsOf(recordIn(text)?.['error'])['message'];
  return textIn(inner) ?? text;
}

/** The HTTP status of the provider, which some programs also use as the code of the error. */
function statusIn(error: Fields): number | undefined {
  const data = fieldsOf(error['data']);
  const inner = fieldsOf(data['error']);
  const places = [
    data['status'],
    data['statusCode'],
    data['http_status'],
    data['code'],
    inner['status'],
    inner['statusCode'],
    inner['code'],
  ];
  return [...places, error['code']].find((code): code is number => typeof code === 'number' && code >= 400 && code < 600);
}

/** Names that programs use for errors without a status. */
const OVERFLOWS = ['context_length_exceeded', 'ContextOverflowError', 'context_window_exceeded'];
const NO_KEY = ['ProviderAuthError', 'LoadAPIKeyError', 'authentication', 'authentication_failed'];
const NO_MODEL = ['ProviderModelNotFoundError', 'model_not_found'];

function isNamed(error: Fields, names: readonly string[]): boolean {
  const data = fieldsOf(error['data']);
  const inner = fieldsOf(data['error']);
  const words = [data['name'], data['errorName'], data['code'], data['type'], inner['name'], inner['code'], inner['type']];
  return words.some((word) => typeof word === 'string' && names.includes(word));
}

function limited(error: Fields, why: string): AgentEvent {
  const { until: told, resetsAt } = fieldsOf(error['data']);
  const until = textIn(told) ?? textIn(resetsAt);
  return { type: 'limited', ...(until === undefined || Number.isNaN(Date.parse(until)) ? {} : { until }), why };
}
