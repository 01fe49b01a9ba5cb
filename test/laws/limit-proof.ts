import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { z } from 'zod';
import { contract } from '../../src/contract/index.ts';
import { type Named, problemOf } from './proof.ts';

/** So much is taken, and one more is refused with words that name the limit. */
interface Refused {
  refused(size: number): unknown;
}

/** So much is kept of so much, and no more of one more. */
interface Bounded {
  bounded(size: number): number | Promise<number>;
}

export type LimitProof = Refused | Bounded | Named;

/** Fields of an operation as its contract takes them. */
export const input =
  (name: string, of: (size: number) => object): Refused['refused'] =>
  (size) => {
    const operation = contract.find((one) => one.name === name);
    if (!operation) throw new Error(`there is no operation ${name}`);
    const parsed = (operation.input as z.ZodType).safeParse(of(size));
    if (!parsed.success) throw new Error(parsed.error.issues.map(({ message }) => message).join('; '));
    return undefined;
  };

export const letters = (size: number): string => 'x'.repeat(size);
export const many = <Item>(size: number, item: (n: number) => Item): Item[] => Array.from({ length: size }, (_, n) => item(n));

export async function inDirectory<Result>(work: (path: string) => Promise<Result>): Promise<Result> {
  const path = mkdtempSync(join(tmpdir(), 'fleet-limits-'));
  try {
    return await work(path);
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}

export async function assertLimit(value: number, proof: LimitProof): Promise<void> {
  if ('file' in proof) return expect(problemOf(proof)).toBeUndefined();
  if ('bounded' in proof) {
    expect(await proof.bounded(value)).toBe(value);
    return expect(await proof.bounded(value + 1)).toBeLessThanOrEqual(value);
  }
  await proof.refused(value);
  const refusal = await (async () => proof.refused(value + 1))().then(
    () => 'not refused',
    (error: unknown) => String(error).replaceAll(/(?<=\d)[_,](?=\d)/g, ''),
  );
  expect(refusal).toContain(String(value));
}
