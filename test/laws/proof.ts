import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { isFault } from '../../src/domain/fault.ts';

/** Two values, and what is seen with each: something else with the other, the same with the same. */
export interface Effect<Value, Given> {
  readonly values: readonly [Value, Value];
  seen(given: Given): Promise<unknown>;
}

/** A test elsewhere that proves it; that it is there, and runs in `npm test`, is checked. */
export interface Named {
  readonly file: string;
  readonly title: string;
}

export const provedBy = (file: string, title: string): Named => ({ file, title });

const root = join(import.meta.dirname, '../..');

/** What is wrong with the name of a test; undefined when it is there and runs. */
export function problemOf({ file, title }: Named): string | undefined {
  if (!existsSync(join(root, file))) return `there is no file ${file}`;
  const source = readFileSync(join(root, file), 'utf8');
  const at = ["'", '"', '`'].map((quote) => source.indexOf(`${quote}${title}${quote}`)).find((found) => found !== -1);
  if (at === undefined) return `${file} has no test called ${JSON.stringify(title)}`;
  const before = source.slice(0, at);
  if (!/\(\s*$/.test(before)) return `${file} has these words, but not as a title: ${JSON.stringify(title)}`;
  const callee = /([\w.]+)\(\s*$/.exec(before)?.[1] ?? 'it.each';
  return /^fullOnly$|skip|todo/.test(callee) ? `${JSON.stringify(title)} in ${file} does not run in npm test` : undefined;
}

/** The answer, or the words of the refusal. */
export const answered = (answer: Promise<unknown>): Promise<unknown> =>
  answer.catch((error: unknown) => {
    if (isFault(error)) return `${error.code}: ${error.message}`;
    throw error;
  });

/** Holds a proof to its word: the same value gives the same, the other something else. */
export async function assertEffect(name: string, proof: Effect<unknown, object> | Named): Promise<void> {
  if ('file' in proof) return expect(problemOf(proof)).toBeUndefined();
  const given = proof.values.map((value) => (value === undefined ? {} : { [name]: value }));
  const [first = {}, second = {}] = given;
  const seen = await proof.seen(first);
  expect(await proof.seen(first), `the same ${name} gives the same`).toEqual(seen);
  expect(await proof.seen(second), `another ${name} gives something else`).not.toEqual(seen);
}
