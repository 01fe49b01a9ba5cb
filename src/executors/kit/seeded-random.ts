/** Random choices that are the same for the same seed, so a failure can be reproduced. */
export interface SeededRandom {
  /** A whole number from 0 to below `count`. */
  below(count: number): number;
  pick<Thing>(from: readonly Thing[]): Thing;
}

export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const below = (count: number): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * count);
  };
  return {
    below,
    pick: (from) => {
      const found = from[below(from.length)];
      if (found === undefined) throw new RangeError('nothing to pick from');
      return found;
    },
  };
}
