import { isRecord } from '../agent-event.ts';

/* Typed access to unchecked fields: a field of another type is undefined. */

export type CodexFields = Readonly<Record<string, unknown>>;

export const fieldsIn = (value: unknown, name: string): CodexFields => {
  const inner = isRecord(value) ? value[name] : undefined;
  return isRecord(inner) ? inner : {};
};

export const textIn = (fields: CodexFields, name: string): string | undefined => {
  const value = fields[name];
  return typeof value === 'string' ? value : undefined;
};

/** A text used as a name. Overlong ones are dropped, because names are kept in the state of a run. */
export const nameIn = (fields: CodexFields, name: string): string | undefined => {
  const value = textIn(fields, name);
  return value !== undefined && value !== '' && value.length <= 200 ? value : undefined;
};

export const countIn = (fields: CodexFields, name: string): number | undefined => {
  const value = fields[name];
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
};

export const listIn = (fields: CodexFields, name: string): readonly unknown[] => {
  const value = fields[name];
  return Array.isArray(value) ? value : [];
};
