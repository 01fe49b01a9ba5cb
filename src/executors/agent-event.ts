import { type AgentEvent, VERDICTS } from './executor.ts';

type Check = (value: unknown) => boolean;
type Fields = Readonly<Record<string, Check>>;

const isText: Check = (value) => typeof value === 'string';
/** Limited in length, because open requests are kept in the state of a run. */
const isRequest: Check = (value) => typeof value === 'string' && value !== '' && value.length <= 200;
const isCount: Check = (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
const isAmount: Check = (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0;
const isShare: Check = (value) => typeof value === 'number' && value >= 0 && value <= 1;
const isInstant: Check = (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value));
const isFlag: Check = (value) => typeof value === 'boolean';
const isTexts: Check = (value) => Array.isArray(value) && value.every(isText);
const isGiven: Check = (value) => value !== undefined;
const oneOf =
  (...words: readonly string[]): Check =>
  (value) =>
    typeof value === 'string' && words.includes(value);
const maybe =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

/** The fields of each event. A table of checks, not a schema, because it runs for every line of every agent. */
export const EVENT_FIELDS: Readonly<Record<AgentEvent['type'], Fields>> = {
  opened: { session: isText },
  said: { text: isText },
  thought: { text: isText },
  tool: { id: isText, name: isText, detail: maybe(isText) },
  'tool-done': { id: isText, ok: isFlag },
  spent: {
    inputTokens: isCount,
    outputTokens: isCount,
    cachedTokens: maybe(isCount),
    costUsd: maybe(isAmount),
    model: maybe(isText),
  },
  context: { tokens: isCount, limit: maybe(isCount) },
  limited: { until: maybe(isInstant), why: maybe(isText) },
  quota: { window: isText, used: isShare, resets: maybe(isInstant) },
  asked: { request: isRequest, kind: oneOf('question', 'permission'), text: isText, options: isTexts },
  heard: { n: isCount },
  reported: { report: isGiven },
  ended: { verdict: oneOf(...VERDICTS), summary: isText },
};

const FIELDS = new Map(Object.entries(EVENT_FIELDS).map(([type, fields]) => [type, Object.entries(fields)]));

export const isEventType = (word: string): word is AgentEvent['type'] => Object.hasOwn(EVENT_FIELDS, word);

/** The value as an agent event with only its known fields; undefined if it is none. */
export function asAgentEvent(value: unknown): AgentEvent | undefined {
  if (!isRecord(value) || typeof value['type'] !== 'string') return undefined;
  const fields = FIELDS.get(value['type']);
  if (!fields) return undefined;
  const event: Record<string, unknown> = { type: value['type'] };
  for (const [name, check] of fields) {
    const field = Object.hasOwn(value, name) ? value[name] : undefined;
    if (!check(field)) return undefined;
    if (field !== undefined) event[name] = field;
  }
  return event as unknown as AgentEvent;
}

const BRACE = 123;

/** The JSON object in a line; undefined for any other text. */
export function recordIn(line: string): Readonly<Record<string, unknown>> | undefined {
  if (line.charCodeAt(0) !== BRACE && !/^\s*\{/.test(line)) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
