import { isDeepStrictEqual } from 'node:util';

/** One law of executors. Laws are plain functions, so that any test runner and `fleet executor test` can check them. */
export interface ExecutorLaw {
  readonly title: string;
  /** Throws `Broken` if the law does not hold. */
  check(): void;
}

/** A broken law. The message says in one line what was seen and what was expected. */
export class LawBroken extends Error {
  override readonly name = 'Broken';
}

export function must(isSo: boolean, what: string): asserts isSo {
  if (!isSo) throw new LawBroken(what);
}

export function same(seen: unknown, expected: unknown, what: string): void {
  if (!isDeepStrictEqual(seen, expected)) throw new LawBroken(`${what}: ${short(seen)}, expected ${short(expected)}`);
}

const most = 300;

export function short(value: unknown): string {
  const text = (typeof value === 'string' ? JSON.stringify(value) : jsonText(value)) ?? String(value);
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** The value as JSON, or a description if it cannot be JSON. */
function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    return `${typeof value} (${error instanceof Error ? error.message : 'no JSON'})`;
  }
}
