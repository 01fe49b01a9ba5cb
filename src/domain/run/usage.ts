import { z } from 'zod';
import { dollarsFor, type Price } from '../agent/prices.ts';
import { Instant } from '../values.ts';

const Tokens = {
  /** Read anew; what came from a cache is counted besides. */
  inputTokens: z.int().min(0),
  outputTokens: z.int().min(0),
  cachedTokens: z.int().min(0),
};

export const Usage = z.strictObject({
  ...Tokens,
  /** What is known of the cost, as API access would cost it. Unknown is not zero. */
  costUsd: z.number().min(0).optional(),
  /** The part of it that comes from the price table, because the program does not say. */
  listUsd: z.number().min(0).optional(),
  /** Turns whose cost nobody knows: with them, the cost is more than what is known of it. */
  unpriced: z.int().min(1).optional(),
});
export type Usage = z.infer<typeof Usage>;

/** What one turn of an agent took. */
export const Turn = z.strictObject({
  at: Instant,
  ...Tokens,
  costUsd: z.number().min(0).optional(),
  model: z.string().optional(),
});
export type Turn = z.infer<typeof Turn>;

/** What a program says of one turn. */
interface Said {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens?: number;
  readonly costUsd?: number;
}

/** The program's own word first, then the price table. */
export function usageOf(said: Said, price: Price | undefined): Usage {
  const { inputTokens, outputTokens, cachedTokens = 0, costUsd } = said;
  const tokens = { inputTokens, outputTokens, cachedTokens };
  if (costUsd !== undefined) return { ...tokens, costUsd };
  if (!price) return { ...tokens, unpriced: 1 };
  const listUsd = dollarsFor(tokens, price);
  return { ...tokens, costUsd: listUsd, listUsd };
}

export function added(a: Usage | undefined, b: Usage | undefined): Usage | undefined {
  if (!a || !b) return a ?? b;
  const sum = (key: 'costUsd' | 'listUsd' | 'unpriced') =>
    a[key] === undefined && b[key] === undefined ? {} : { [key]: (a[key] ?? 0) + (b[key] ?? 0) };
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
    ...sum('costUsd'),
    ...sum('listUsd'),
    ...sum('unpriced'),
  };
}

/** What budgets count: tokens that came from a cache cost next to nothing. */
export const budgetedTokens = ({ inputTokens, outputTokens }: Usage): number => inputTokens + outputTokens;
