import { isDeepStrictEqual } from 'node:util';

/** What every executor keeps. Plain functions, so that any runner of tests can ask, and `fleet executor test` does. */
export interface Law {
  readonly says: string;
  /** Throws `Broken` when the law does not hold. */
  holds(): void;
}

/** Says in one line what was seen and what was expected. */
export class Broken extends Error {
  override readonly name = 'Broken';
}

export function must(isSo: boolean, what: string): asserts isSo {
  if (!isSo) throw new Broken(what);
}

export function same(seen: unknown, expected: unknown, what: string): void {
  if (!isDeepStrictEqual(seen, expected)) throw new Broken(`${what}: ${short(seen)}, expected ${short(expected)}`);
}

const most = 300;

export function short(value: unknown): string {
  const text = (typeof value === 'string' ? JSON.stringify(value) : written(value)) ?? String(value);
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** What cannot be JSON is shown all the same. */
function written(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    return `${typeof value} (${error instanceof Error ? error.message : 'no JSON'})`;
  }
}
