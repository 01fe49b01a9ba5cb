import { z } from 'zod';
import { LIMITS } from '../../domain/limits.ts';
import { SETTINGS, type SettingName } from '../../domain/settings.ts';

/** What people write a setting as. */
export type Shape = 'number' | 'choice' | 'switch' | 'list' | 'counts' | 'tables' | 'text';

export function shapeOf(name: SettingName): Shape {
  const schema: z.ZodType = SETTINGS[name].schema;
  if (schema instanceof z.ZodNumber) return 'number';
  if (schema instanceof z.ZodEnum) return 'choice';
  if (schema instanceof z.ZodBoolean) return 'switch';
  if (schema instanceof z.ZodArray) return 'list';
  if (!(schema instanceof z.ZodRecord)) return 'text';
  return schema.valueType instanceof z.ZodObject ? 'tables' : 'counts';
}

export type Checked = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly why: string };

/** Checks a value that has its type already, from the file. `why` says what was expected and what was seen. */
export function checkValue(name: SettingName, value: unknown): Checked {
  const result = SETTINGS[name].schema.safeParse(value);
  if (result.success) return { ok: true, value: result.data };
  const [issue] = result.error.issues;
  const path = issue?.path ?? [];
  const seen = path.reduce<unknown>((inside, key) => (inside as Record<PropertyKey, unknown> | undefined)?.[key], value);
  const label = [name, ...path.map(String)].join('.');
  return { ok: false, why: `${label}: ${expectation(name, issue?.message ?? 'is not usable', seen, path.length)}` };
}

/** Checks a value that was written as text, in the environment or in `name=value`. */
export function readValue(name: SettingName, raw: string): Checked {
  const value = valueOf(shapeOf(name), raw);
  return value === undefined
    ? { ok: false, why: `${name}: expected ${expected(name)}, got ${shown(raw)}` }
    : checkValue(name, value);
}

function valueOf(shape: Shape, raw: string): unknown {
  switch (shape) {
    case 'number':
      return /^[+-]?\d{1,16}$/.test(raw.trim()) ? Number(raw) : undefined;
    case 'switch':
      return /^(true|false)$/.test(raw.trim()) ? raw.trim() === 'true' : undefined;
    case 'list':
      if (raw.trimStart().startsWith('[')) return jsonOf(raw);
      return raw
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== '');
    case 'counts':
      return raw.trimStart().startsWith('{') ? jsonOf(raw) : countsOf(raw);
    case 'tables':
      return raw.trimStart().startsWith('{') ? jsonOf(raw) : undefined;
    case 'choice':
    case 'text':
      return raw;
  }
}

function countsOf(raw: string): Record<string, number> | undefined {
  const entries = raw
    .split(',')
    .filter((part) => part.trim() !== '')
    .map((part) => /^(.+)=\s*([+-]?\d{1,16})\s*$/s.exec(part));
  if (entries.some((entry) => entry === null)) return undefined;
  return Object.fromEntries(entries.map((entry) => [entry?.[1]?.trim() ?? '', Number(entry?.[2])]));
}

function jsonOf(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return undefined;
  }
}

/** Texts explain themselves by the message of their schema; the other shapes are told in one way. */
function expectation(name: SettingName, message: string, seen: unknown, depth: number): string {
  const shape = shapeOf(name);
  if (shape === 'text' && typeof seen === 'string') return message;
  if (shape === 'list' && depth > 0 && typeof seen === 'string') return message;
  if (shape === 'tables' && depth > 0) return `${message}, got ${shown(seen)}`;
  if (shape === 'counts' && depth > 0) return `expected ${COUNT}, got ${shown(seen)}`;
  return `expected ${expected(name)}, got ${shown(seen)}`;
}

const COUNT = `a whole number from 1 to ${LIMITS.holders.value}`;

function expected(name: SettingName): string {
  const schema = z.toJSONSchema(SETTINGS[name].schema) as { minimum?: number; maximum?: number; enum?: readonly string[] };
  switch (shapeOf(name)) {
    case 'number':
      return `a whole number from ${schema.minimum} to ${schema.maximum}`;
    case 'choice':
      return `one of ${schema.enum?.join(', ')}`;
    case 'switch':
      return 'true or false';
    case 'list':
      return 'a list, separated by commas';
    case 'counts':
      return 'names with whole numbers, like name=3,other=2';
    case 'tables':
      return 'names with tables, like {"name":{"sandbox":"required"}}';
    case 'text':
      return 'a text';
  }
}

const longest = 60;

function shown(value: unknown): string {
  const text =
    value === undefined
      ? 'nothing'
      : JSON.stringify(value, (_, inside: unknown) => (typeof inside === 'bigint' ? String(inside) : inside));
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
