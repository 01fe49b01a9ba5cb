import { z } from 'zod';
import { dollarsFor, type Price } from '../agent/prices.ts';
import { Instant } from '../values.ts';

const Tokens = {
  /** Input tokens not read from a cache; those read from one are in `cachedTokens`. */
  inputTokens: z.int().min(0),
  outputTokens: z.int().min(0),
  cachedTokens: z.int().min(0),
};

export const Usage = z.strictObject({
  ...Tokens,
  /** The known part of the cost, at API prices. Absent means unknown, not zero. */
  costUsd: z.number().min(0).optional(),
  /** The part of `costUsd` that comes from the price table, because the program did not state it. */
  listUsd: z.number().min(0).optional(),
  /** How many turns have an unknown cost, so that the real cost is higher than `costUsd`. */
  unpriced: z.int().min(1).optional(),
});
export type Usage = z.infer<typeof Usage>;

/** The usage of one turn of an agent. */
export const Turn = z.strictObject({
  at: Instant,
  ...Tokens,
  costUsd: z.number().min(0).optional(),
  model: z.string().optional(),
});
export type Turn = z.infer<typeof Turn>;

/** The usage of one turn as the program states it. */
interface StatedUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens?: number;
  readonly costUsd?: number;
}

/** The usage of a turn: the cost the program states, else by the price table. */
export function usageOf(stated: StatedUsage, price: Price | undefined): Usage {
  // No spread: this runs for every turn of a flood of output.
  const { inputTokens, outputTokens, cachedTokens = 0, costUsd } = stated;
  if (costUsd !== undefined) return { inputTokens, outputTokens, cachedTokens, costUsd };
  if (!price) return { inputTokens, outputTokens, cachedTokens, unpriced: 1 };
  const listUsd = dollarsFor({ inputTokens, outputTokens, cachedTokens }, price);
  return { inputTokens, outputTokens, cachedTokens, costUsd: listUsd, listUsd };
}

export function usageSum(a: Usage | undefined, b: Usage | undefined): Usage | undefined {
  if (!a || !b) return a ?? b;
  const sum: Usage = {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
  };
  // A field unknown on both sides stays absent; zero would claim to know it.
  if (a.costUsd !== undefined || b.costUsd !== undefined) sum.costUsd = (a.costUsd ?? 0) + (b.costUsd ?? 0);
  if (a.listUsd !== undefined || b.listUsd !== undefined) sum.listUsd = (a.listUsd ?? 0) + (b.listUsd ?? 0);
  if (a.unpriced !== undefined || b.unpriced !== undefined) sum.unpriced = (a.unpriced ?? 0) + (b.unpriced ?? 0);
  return sum;
}

/** The tokens a budget counts. Tokens read from a cache are left out, because they cost next to nothing. */
export const budgetedTokens = ({ inputTokens, outputTokens }: Usage): number => inputTokens + outputTokens;
