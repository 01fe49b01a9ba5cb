import { expect, it } from 'vitest';
import { widthOf } from './width.ts';

const RANGES = [
  [0x20, 0x7e],
  [0xa1, 0x24f],
  [0x2010, 0x2027],
  [0x2190, 0x21ff],
  [0x2500, 0x25fc],
  [0x2713, 0x2718],
] as const;

it('measures plain characters the same way alone and beside one that must be looked at closely', () => {
  for (const [from, to] of RANGES)
    for (let code = from; code <= to; code += 1) {
      const character = String.fromCharCode(code);
      expect(widthOf(`${character}${character}漢`), code.toString(16)).toBe(2 * widthOf(character) + 2);
    }
});
