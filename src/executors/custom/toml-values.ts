import { Fault } from '../../domain/fault.ts';
import { nearest } from '../../platform/nearest.ts';
import { isRecord } from '../agent-event.ts';

export type TomlTable = Readonly<Record<string, unknown>>;

/** The file and key of a value, for messages. */
export interface TomlPlace {
  readonly file: string;
  readonly key: string;
}

export function refuse({ file, key }: TomlPlace, seen: unknown, expected: string): never {
  const what = seen === undefined ? 'is missing' : `is ${shown(seen)}`;
  throw new Fault('invalid', `${file}: ${key} ${what}, expected ${expected}`, { file, key, expected });
}

export function refuseUnknown(table: TomlTable, known: readonly string[], { file, key }: TomlPlace): void {
  for (const name of Object.keys(table)) {
    if (known.includes(name)) continue;
    const candidate = nearest(name, known);
    const hint = candidate === undefined ? `known are ${known.join(', ')}` : `did you mean ${candidate}?`;
    throw new Fault('invalid', `${file}: unknown key ${JSON.stringify(key + name)}; ${hint}`, { file, key: key + name });
  }
}

export function oneOf<Word extends string>(value: unknown, words: readonly Word[], place: TomlPlace): Word {
  const found = words.find((word) => word === value);
  return found ?? refuse(place, value, words.map((word) => JSON.stringify(word)).join(' or '));
}

export function tableOf(value: unknown, place: TomlPlace): TomlTable {
  return isRecord(value) ? value : refuse(place, value, 'a table');
}

/** The value as JSON, cut short. */
function shown(value: unknown): string {
  const text = JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? String(inner) : inner));
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
