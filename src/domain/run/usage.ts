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
  // Field by field, and not spread: it is asked for every turn of a flood.
  const { inputTokens, outputTokens, cachedTokens = 0, costUsd } = said;
  if (costUsd !== undefined) return { inputTokens, outputTokens, cachedTokens, costUsd };
  if (!price) return { inputTokens, outputTokens, cachedTokens, unpriced: 1 };
  const listUsd = dollarsFor({ inputTokens, outputTokens, cachedTokens }, price);
  return { inputTokens, outputTokens, cachedTokens, costUsd: listUsd, listUsd };
}

export function added(a: Usage | undefined, b: Usage | undefined): Usage | undefined {
  if (!a || !b) return a ?? b;
  const sum: Usage = {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
  };
  // What nobody has said is left out, not zero.
  if (a.costUsd !== undefined || b.costUsd !== undefined) sum.costUsd = (a.costUsd ?? 0) + (b.costUsd ?? 0);
  if (a.listUsd !== undefined || b.listUsd !== undefined) sum.listUsd = (a.listUsd ?? 0) + (b.listUsd ?? 0);
  if (a.unpriced !== undefined || b.unpriced !== undefined) sum.unpriced = (a.unpriced ?? 0) + (b.unpriced ?? 0);
  return sum;
}

/** What budgets count: tokens that came from a cache cost next to nothing. */
export const budgetedTokens = ({ inputTokens, outputTokens }: Usage): number => inputTokens + outputTokens;
