import { isRecord } from '../agent-event.ts';

export type ClaudeFields = Readonly<Record<string, unknown>>;

const NONE: ClaudeFields = {};

/* Typed access to unchecked values: a value of another type is undefined. */

export const fieldsOf = (value: unknown): ClaudeFields => (isRecord(value) ? value : NONE);
export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
export const amountOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
/** A larger count is not real, and sums of such counts would not be exact. */
const MOST = 1_000_000_000_000;
export const countOf = (value: unknown): number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MOST ? value : 0;
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Seconds since 1970, as providers write them. */
export function instantOf(seconds: unknown): string | undefined {
  const at = amountOf(seconds);
  // Later times cannot be written as a date.
  return at === undefined || at > 8_000_000_000_000 ? undefined : new Date(at * 1_000).toISOString();
}
