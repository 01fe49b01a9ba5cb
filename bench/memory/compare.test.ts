import { describe, expect, it } from 'vitest';
import { accept, compare, hasFallen } from './compare.ts';
import { type Figure, type Goal, isMet, median, spreadOf } from './figure.ts';

const AT_MOST: Goal = { atMost: 1.3 };
const AT_LEAST: Goal = { atLeast: 0.5 };
const figure = (ratio: number, goal?: Goal, noise = 0.02): Figure => ({ name: 'x', ratio, noise, ...(goal ? { goal } : {}) });
const verdict = (now: Figure, before: number, noise = 0.02) => compare(now, { x: { ratio: before, noise } }).verdict;

describe('a figure beside its baseline', () => {
  it('is worse in the direction its goal says, and better in the other', () => {
    expect(verdict(figure(1.25, AT_MOST), 1)).toBe('worse');
    expect(verdict(figure(0.8, AT_MOST), 1)).toBe('better');
    expect(verdict(figure(0.6, AT_LEAST), 1)).toBe('worse');
    expect(verdict(figure(1.4, AT_LEAST), 1)).toBe('better');
  });

  it('is the same within its noise, whichever of the two runs had more of it, and within a tenth in any case', () => {
    expect(verdict(figure(1.09, AT_MOST), 1)).toBe('same');
    expect(verdict(figure(1.12, AT_MOST), 1)).toBe('worse');
    expect(verdict(figure(1.12, AT_MOST, 0.15), 1)).toBe('same');
    expect(verdict(figure(1.12, AT_MOST), 1, 0.15)).toBe('same');
  });

  it('does not fall by what is little of a goal that is far away', () => {
    expect(verdict(figure(0.03, { atMost: 1 }), 0.01)).toBe('same');
    expect(verdict(figure(0.08, { atMost: 1 }), 0.01)).toBe('worse');
    expect(verdict(figure(0.2, { atMost: 1 }), 0)).toBe('worse');
    expect(verdict(figure(0.04, { atMost: 1 }), 0)).toBe('same');
  });

  it('misses its goal whatever it was before, and has fallen besides only if it was better', () => {
    const missed = (before: number) => compare(figure(1.4, AT_MOST), { x: { ratio: before, noise: 0 } });
    expect([missed(1.39).verdict, hasFallen(missed(1.39))]).toEqual(['missed', false]);
    expect([missed(1.1).verdict, hasFallen(missed(1.1))]).toEqual(['missed', true]);
    expect(compare(figure(1.4, AT_MOST), {}).verdict).toBe('missed');
    expect(compare(figure(Number.NaN, AT_MOST), {}).verdict).toBe('missed');
  });

  it('is new without a baseline, and is not judged without a goal', () => {
    expect(compare(figure(1, AT_MOST), {})).toMatchObject({ verdict: 'new' });
    expect(compare(figure(1, AT_MOST), {}).change).toBeUndefined();
    expect(compare(figure(9), { x: { ratio: 1, noise: 0 } })).toMatchObject({ verdict: 'information', change: 8 });
    expect(hasFallen(compare(figure(9), { x: { ratio: 1, noise: 0 } }))).toBe(false);
  });

  it('meets a goal that it reaches exactly', () => {
    expect([isMet(AT_MOST, 1.3), isMet(AT_LEAST, 0.5), isMet({ atMost: 0 }, 0), isMet({ atMost: 0 }, 1)]).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });
});

describe('what is accepted', () => {
  const before = { gone: { ratio: 1, noise: 0 }, x: { ratio: 2, noise: 0 } };

  it('replaces what was measured and keeps the rest, which a whole run forgets', () => {
    const now = [figure(1.234567, AT_MOST, 0.0312345)];
    expect(accept(before, now, { isWhole: false })).toEqual({
      gone: { ratio: 1, noise: 0 },
      x: { ratio: 1.235, noise: 0.03123 },
    });
    expect(Object.keys(accept(before, now, { isWhole: true }))).toEqual(['x']);
  });

  it('is sorted, so that a change to one figure is one change', () => {
    const named = ['b', 'a', 'c'].map((name): Figure => ({ name, ratio: 1, noise: 0 }));
    expect(Object.keys(accept({}, named, { isWhole: false }))).toEqual(['a', 'b', 'c']);
  });
});

describe('noise', () => {
  it('is how far the middle half of the samples reaches, so that one outlier says nothing', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 2, 3])).toBe(2.5);
    expect(spreadOf([1, 1, 1, 1, 50])).toBe(0);
    expect(spreadOf([0.9, 0.95, 1, 1.05, 1.1])).toBeCloseTo(0.05);
    expect(spreadOf([0, 0, 0])).toBe(0);
  });
});
