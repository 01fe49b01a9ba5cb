import { asAgentEvent, EVENT_FIELDS, isEventType, isRecord } from '../agent-event.ts';
import { type AgentEvent, VERDICTS } from '../executor.ts';
import { refuse, refuseUnknown, type TomlPlace, type TomlTable, tableOf } from './toml-values.ts';

/** The source of an event's field: a literal value, or a path in the line. */
type Source = { readonly value: unknown } | { readonly path: readonly string[] };

/** A line that meets all conditions of `when` becomes the event. */
export interface EventRule {
  readonly when: readonly { readonly path: readonly string[]; readonly value: string | number | boolean }[];
  readonly type: AgentEvent['type'];
  readonly fields: Readonly<Record<string, Source>>;
}

/** Fields with a closed list of words: such a word is a literal, not a path. */
const words: Readonly<Record<string, readonly string[]>> = {
  verdict: VERDICTS,
  kind: ['question', 'permission'],
};

/** Values of fields that neither the rule nor the line provides. */
const defaults: Readonly<Partial<Record<AgentEvent['type'], Readonly<Record<string, unknown>>>>> = {
  ended: { summary: '' },
  asked: { kind: 'question', options: [] },
  'tool-done': { ok: true },
  spent: { inputTokens: 0, outputTokens: 0 },
};

export function parseRule(raw: unknown, place: TomlPlace): EventRule {
  const table = tableOf(raw, place);
  const at = (key: string): TomlPlace => ({ file: place.file, key: `${place.key}.${key}` });
  const then = table['then'];
  if (typeof then !== 'string' || !isEventType(then)) {
    return refuse(at('then'), then, `one of ${Object.keys(EVENT_FIELDS).join(', ')}`);
  }
  const names = Object.keys(EVENT_FIELDS[then]);
  refuseUnknown(table, ['when', 'then', ...names.map(snake)], { file: place.file, key: `${place.key}.` });
  const when = conditions(tableOf(table['when'], at('when')), at('when'));
  if (when.length === 0) return refuse(at('when'), {}, 'at least one field and its value');
  const given = names.filter((name) => table[snake(name)] !== undefined);
  const fields = Object.fromEntries(given.map((name) => [name, source(name, table[snake(name)], at(snake(name)))]));
  const missing = names.find((name) => isNeeded(then, name) && fields[name] === undefined);
  if (missing !== undefined) return refuse(at(snake(missing)), undefined, `where the ${missing} of the event stands`);
  return { when, type: then, fields };
}

/** The events of all matching rules. A rule gives no event if the line lacks one of its fields. */
export const eventsIn = (rules: readonly EventRule[], line: TomlTable): readonly AgentEvent[] =>
  rules.filter(({ when }) => when.every(({ path, value }) => at(line, path) === value)).flatMap((rule) => eventOf(rule, line));

function eventOf({ type, fields }: EventRule, line: TomlTable): AgentEvent[] {
  const event: Record<string, unknown> = { type, ...defaults[type] };
  for (const [name, from] of Object.entries(fields)) {
    const value = converted(name, 'value' in from ? from.value : at(line, from.path));
    if (value !== undefined && value !== null) event[name] = value;
  }
  const known = asAgentEvent(event);
  return known ? [known] : [];
}

/** Converts numbers that programs print in place of texts and times. */
function converted(name: string, value: unknown): unknown {
  if (typeof value !== 'number') return value;
  if (name === 'until') return instant(value < 1e11 ? value * 1000 : value);
  return EVENT_NUMBERS.has(name) ? value : String(value);
}

const EVENT_NUMBERS = new Set([
  'inputTokens',
  'outputTokens',
  'cachedTokens',
  'costUsd',
  'tokens',
  'limit',
  'n',
  'report',
  'used',
]);
const latestMs = 8.64e15;
const instant = (ms: number): string | undefined => (Math.abs(ms) <= latestMs ? new Date(ms).toISOString() : undefined);

function conditions(table: TomlTable, place: TomlPlace, above: readonly string[] = []): EventRule['when'] {
  return Object.entries(table).flatMap(([key, value]) => {
    const path = [...above, ...key.split('.')];
    if (isRecord(value)) return conditions(value, place, path);
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return [{ path, value }];
    return refuse({ ...place, key: `${place.key}.${key}` }, value, 'a text, a number or a boolean');
  });
}

function source(name: string, raw: unknown, place: TomlPlace): Source {
  const literal = words[name];
  if (typeof raw === 'string') return literal?.includes(raw) ? { value: raw } : { path: raw === '.' ? [] : raw.split('.') };
  if (typeof raw === 'number' || typeof raw === 'boolean' || Array.isArray(raw)) return { value: raw };
  if (isRecord(raw) && Object.keys(raw).length === 1 && raw['value'] !== undefined) return { value: raw['value'] };
  return refuse(place, raw, 'a path such as "message.text", or { value = … }');
}

/** The value at a path of own properties, never of inherited ones. */
function at(line: unknown, path: readonly string[]): unknown {
  let value = line;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as TomlTable)[key];
  }
  return value;
}

const isNeeded = (type: AgentEvent['type'], name: string): boolean =>
  defaults[type]?.[name] === undefined && !EVENT_FIELDS[type][name]?.(undefined);

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
