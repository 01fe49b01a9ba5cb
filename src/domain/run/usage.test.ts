import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dollarsFor, LIST_PRICES, priceFor } from '../agent/prices.ts';
import { dollarsLeft, exhaustedBudget, overBudget } from './budget.ts';
import { estimatedContext, windowTooFull } from './context.ts';
import { type Usage, usageOf, usageSum } from './usage.ts';

const tokens = { inputTokens: 1_000_000, outputTokens: 100_000, cachedTokens: 2_000_000 };

describe('the cost of a turn', () => {
  it('is what the program states, else the list price, else unknown and never zero [RUN-08]', () => {
    const price = { input: 2, output: 10, cached: 0.2 };
    expect(usageOf({ ...tokens, costUsd: 0.5 }, price)).toEqual({ ...tokens, costUsd: 0.5 });
    expect(usageOf(tokens, price)).toEqual({ ...tokens, costUsd: 3.4, listUsd: 3.4 });
    expect(usageOf(tokens, undefined)).toEqual({ ...tokens, unpriced: 1 });
  });

  it('is looked up by the name of the model without provider and date, and not by a similar name [RUN-08]', () => {
    for (const name of ['claude-sonnet-4-5', 'claude-sonnet-4-5-20250929', 'anthropic/claude-sonnet-4-5', 'gpt-5-2025-08-07'])
      expect(priceFor(name, LIST_PRICES), name).toBeDefined();
    for (const name of ['claude-sonnet-4-5-turbo', 'sonnet', 'gpt-5-nano', '', 'toString', 'fake-model'])
      expect(priceFor(name, LIST_PRICES), name).toBeUndefined();
    expect(LIST_PRICES.asOf).toMatch(/^\d{4}-\d\d-\d\d$/);
    for (const price of Object.values(LIST_PRICES.models)) expect(price.cached).toBeLessThanOrEqual(price.input);
  });

  it('adds up the same in any order, and the sum still counts the turns of unknown cost [RUN-08]', () => {
    const usage: fc.Arbitrary<Usage> = fc.oneof(
      fc.record({ inputTokens: fc.nat(999), outputTokens: fc.nat(999), cachedTokens: fc.nat(999), costUsd: fc.nat(99) }),
      fc.record({ inputTokens: fc.nat(999), outputTokens: fc.nat(999), cachedTokens: fc.nat(999), unpriced: fc.constant(1) }),
    );
    fc.assert(
      fc.property(fc.array(usage), (list) => {
        const sum = list.reduce<Usage | undefined>(usageSum, undefined);
        expect(list.toReversed().reduce<Usage | undefined>(usageSum, undefined)).toEqual(sum);
        expect(sum?.unpriced ?? 0).toBe(list.filter(({ unpriced }) => unpriced !== undefined).length);
        expect(sum?.costUsd).toBe(
          list.every(({ costUsd }) => costUsd === undefined)
            ? undefined
            : list.reduce((dollars, { costUsd = 0 }) => dollars + costUsd, 0),
        );
      }),
    );
    expect(dollarsFor({ inputTokens: 0, outputTokens: 0 }, { input: 1, output: 1, cached: 1 })).toBe(0);
  });
});

describe('a budget', () => {
  const spent = { inputTokens: 60, outputTokens: 30, cachedTokens: 1_000, costUsd: 0.75 };
  const watch = { usage: spent, turns: { count: 2, ends: [] }, openTools: [] };

  it('counts all runs of the task [RUN-08]', () => {
    expect(overBudget({ turns: 0, maxBudgetUsd: 1 }, watch)).toBeUndefined();
    expect(overBudget({ turns: 0, maxBudgetUsd: 1, usage: spent }, watch)).toBe(
      'it has cost $1.50, and $1 is the most it may cost',
    );
    expect(overBudget({ turns: 0, maxTokens: 100 }, watch)).toBeUndefined();
    expect(overBudget({ turns: 0, maxTokens: 100, usage: spent }, watch)).toBe('it has used 180 tokens of at most 100');
    expect(overBudget({ turns: 1, maxTurns: 3 }, watch)).toBeUndefined();
    expect(overBudget({ turns: 1, maxTurns: 3 }, { ...watch, openTools: ['t'] })).toContain('3 turns');
    expect(overBudget({ turns: 2, maxTurns: 3 }, watch)).toContain('4 turns');
    expect(overBudget({ turns: 9, usage: spent }, watch)).toBeUndefined();
  });

  it('allows no further run once it is used up, and otherwise states what is left [RUN-08]', () => {
    expect(exhaustedBudget({ turns: 0, maxBudgetUsd: 0.75, usage: spent })).toContain('$0.75');
    expect(exhaustedBudget({ turns: 3, maxTurns: 3 })).toContain('3 turns');
    expect(exhaustedBudget({ turns: 2, maxTurns: 3, maxTokens: 91, usage: spent })).toBeUndefined();
    expect(dollarsLeft({ turns: 0, maxBudgetUsd: 1, usage: spent }, [])).toBe(0.25);
    expect(dollarsLeft({ turns: 0, usage: spent }, [])).toBeUndefined();
    // A shared budget has less left, or nothing.
    const shared = (maxBudgetUsd: number) => [{ task: { id: 'task_x' as never, maxBudgetUsd }, usage: spent }];
    expect(dollarsLeft({ turns: 0, maxBudgetUsd: 1 }, shared(0.85))).toBeCloseTo(0.1);
    expect(dollarsLeft({ turns: 0 }, shared(0.5))).toBe(0);
  });
});

describe('a window', () => {
  const at = (share: number, openTools: string[] = []) =>
    windowTooFull({ context: { tokens: share * 1_000, limit: 1_000 }, openTools }, 90);

  it('is too full at 90 % between two tools, and at 95 % also during one [RUN-06]', () => {
    expect(at(0.89)).toBeUndefined();
    expect(at(0.9)).toBe('its window is 90 % full (900 of 1000 tokens), context_percent is 90');
    expect(at(0.9, ['t'])).toBeUndefined();
    expect(at(0.95, ['t'])).toContain('95 %');
  });

  it('of unknown size is never full, and an estimate is named as one [RUN-06]', () => {
    expect(windowTooFull({ context: { tokens: 9_999_999 }, openTools: [] }, 90)).toBeUndefined();
    expect(windowTooFull({ context: estimatedContext(4_000, 1_000), openTools: [] }, 90)).toContain(
      '100 % full, by our estimate (1000 of 1000',
    );
  });
});
