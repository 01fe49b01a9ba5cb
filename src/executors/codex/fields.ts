import { isRecord } from '../agent-event.ts';

/* Parts of what a program printed, as what they should be or undefined. */

export type Fields = Readonly<Record<string, unknown>>;

export const fieldsIn = (value: unknown, name: string): Fields => {
  const inner = isRecord(value) ? value[name] : undefined;
  return isRecord(inner) ? inner : {};
};

export const textIn = (fields: Fields, name: string): string | undefined => {
  const value = fields[name];
  return typeof value === 'string' ? value : undefined;
};

/** Names are kept in the state of a run: one that is longer than any name is none. */
export const nameIn = (fields: Fields, name: string): string | undefined => {
  const value = textIn(fields, name);
  return value !== undefined && value !== '' && value.length <= 200 ? value : undefined;
};

export const countIn = (fields: Fields, name: string): number | undefined => {
  const value = fields[name];
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
};

export const listIn = (fields: Fields, name: string): readonly unknown[] => {
  const value = fields[name];
  return Array.isArray(value) ? value : [];
};
