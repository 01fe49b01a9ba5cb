import { isDeepStrictEqual } from 'node:util';
import { parse } from 'smol-toml';
import type { SettingName } from '../../domain/settings.ts';
import type { Assignment } from './assignment.ts';
import { statementsOf, type TomlStatement } from './toml-statements.ts';
import { tomlKey, tomlValue } from './toml-value.ts';

/** The text with the assignments made; every other line stays as it is. The text must be good TOML. */
export function editSettings(text: string, assignments: readonly Assignment[]): string {
  const wanted = structuredClone(parse(text)) as Record<string, unknown>;
  let edited = text;
  for (const assignment of assignments) {
    const whole = wholeEntry(assignment, wanted);
    apply(wanted, whole);
    edited = edit(edited, whole);
  }
  // The one thing that must never happen is to write a file that says something else than was asked.
  if (!isDeepStrictEqual(meaning(edited), withoutEmpty(wanted)))
    throw new Error('the settings file could not be edited faithfully');
  return edited;
}

/** A field is written with the rest of its table. */
function wholeEntry({ name, entry, field, value }: Assignment, table: Readonly<Record<string, unknown>>): Assignment {
  if (entry === undefined || field === undefined) return { name, ...(entry === undefined ? {} : { entry }), value };
  const before = (table[name] as Record<string, object> | undefined)?.[entry] ?? {};
  const { [field]: _, ...others } = before as Record<string, unknown>;
  const next = value === undefined ? others : { ...others, [field]: value };
  return { name, entry, value: Object.keys(next).length === 0 ? undefined : next };
}

function apply(table: Record<string, unknown>, { name, entry, value }: Assignment): void {
  if (entry === undefined) {
    if (value === undefined) delete table[name];
    else table[name] = value;
    return;
  }
  const { [entry]: _, ...others } = (table[name] ?? {}) as Record<string, unknown>;
  table[name] = value === undefined ? others : { ...others, [entry]: value };
}

/** An emptied table and an absent one mean the same. Cloned, because the parser's tables have no prototype. */
const meaning = (text: string): object => withoutEmpty(structuredClone(parse(text)));
const withoutEmpty = (table: object): object =>
  Object.fromEntries(Object.entries(table).filter(([, value]) => !isEmptyTable(value)));
const isEmptyTable = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof Date) &&
  Object.keys(value).length === 0;

function edit(text: string, { name, entry, value }: Assignment): string {
  const own = statementsOf(text).filter(({ path }) => path[0] === name);
  const inline = own.find(({ kind, path }) => kind === 'value' && path.length === 1);
  if (entry !== undefined) {
    if (!inline) return editTable(text, own, [name, entry], value);
    const { [name]: before } = parse(text);
    const table: Record<string, unknown> = { [name]: before };
    apply(table, { name, entry, value });
    return splice(text, inline.valueStart, inline.valueEnd, tomlValue(table[name]));
  }
  if (value === undefined) return own.toReversed().reduce((rest, { start, end }) => splice(rest, start, end, ''), text);
  if (inline) return splice(text, inline.valueStart, inline.valueEnd, tomlValue(value));
  if (own.length === 0) return insertTop(text, `${name} = ${tomlValue(value)}`);
  return editEntries(text, name, value as Record<string, unknown>);
}

/** A setting written as a table, or as dotted keys, keeps that form. */
function editEntries(text: string, name: SettingName, value: Readonly<Record<string, unknown>>): string {
  const present = statementsOf(text).filter(({ kind, path }) => kind === 'value' && path[0] === name);
  const gone = present.map(({ path }) => path[1] ?? '').filter((entry) => !Object.hasOwn(value, entry));
  const without = gone.reduce((rest, entry) => edit(rest, { name, entry }), text);
  return Object.entries(value).reduce((rest, [entry, count]) => edit(rest, { name, entry, value: count }), without);
}

/** A table with a heading of its own, or with dotted keys, becomes one line; another stays as it is. */
function editTable(text: string, own: readonly TomlStatement[], at: readonly [string, string], value: unknown): string {
  const parts = own.filter(({ kind, path }) => path[1] === at[1] && (path.length > 2 || kind === 'table'));
  if (parts.length === 0) return editEntry(text, own, at, value);
  const rest = parts.toReversed().reduce((left, { start, end }) => splice(left, start, end, ''), text);
  return editEntry(
    rest,
    statementsOf(rest).filter(({ path }) => path[0] === at[0]),
    at,
    value,
  );
}

function editEntry(
  text: string,
  own: readonly TomlStatement[],
  [name, entry]: readonly [string, string],
  value: unknown,
): string {
  const there = own.find(({ kind, path }) => kind === 'value' && path.length === 2 && path[1] === entry);
  if (there)
    return value === undefined
      ? splice(text, there.start, there.end, '')
      : splice(text, there.valueStart, there.valueEnd, tomlValue(value));
  if (value === undefined) return text;
  const heading = own.findIndex(({ kind, path }) => kind === 'table' && path.length === 1);
  const first = own.findIndex(({ kind, path }) => kind === 'table' && path.length > 1);
  const block = first === -1 ? own : own.slice(0, first);
  const line = heading === -1 ? `${name}.${tomlKey(entry)} = ${tomlValue(value)}` : `${tomlKey(entry)} = ${tomlValue(value)}`;
  const last = block.at(-1);
  return last ? insertAt(text, last.end, line) : insertTop(text, line);
}

/** At the end of the lines before the first table: after a heading it would mean something else. */
function insertTop(text: string, line: string): string {
  const statements = statementsOf(text);
  const table = statements.find(({ kind }) => kind === 'table');
  const before = statements.filter(({ kind, start }) => kind === 'value' && start < (table?.start ?? Infinity)).at(-1);
  if (before) return insertAt(text, before.end, line);
  return insertAt(text, table?.start ?? text.length, table ? `${line}\n` : line);
}

function insertAt(text: string, at: number, line: string): string {
  const head = text.slice(0, at);
  const lineBreak = text.includes('\r\n') ? '\r\n' : '\n';
  return `${head}${head === '' || head.endsWith('\n') ? '' : lineBreak}${line}${lineBreak}${text.slice(at)}`;
}

const splice = (text: string, start: number, end: number, put: string): string => text.slice(0, start) + put + text.slice(end);
