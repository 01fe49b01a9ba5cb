import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { box } from './box.ts';
import { filled, lineWidth, painted, piece, type RichLine, spread } from './rich.ts';
import { widthOf } from './width.ts';

const red = (text: string) => `<${text}>`;
const plain = (text: string) => text;
const lines = fc.array(fc.string({ unit: 'grapheme', maxLength: 8 }).map((text) => piece(text))) as fc.Arbitrary<RichLine>;

describe('a line of pieces', () => {
  it('is coloured after it was cut', () => {
    const line = [piece('abc', red), piece('defgh')];
    expect(painted(line)).toBe('<abc>defgh');
    expect(painted(line, 6)).toBe('<abc>de…');
    expect(painted(line, 3)).toBe('<ab…>');
    expect(filled([piece('日本', red)], 6)).toBe('<日本>  ');
    expect(lineWidth(line)).toBe(8);
  });

  it('fills exactly the cells it is given', () => {
    fc.assert(
      fc.property(lines, fc.integer({ min: 2, max: 30 }), (line, cells) => {
        expect(widthOf(filled(line, cells))).toBe(cells);
        expect(widthOf(painted(line, cells))).toBeLessThanOrEqual(cells);
      }),
    );
  });

  it('keeps what stands on the right in sight', () => {
    expect(spread([piece('a long title')], [piece('3 s', red)], 10)).toBe('a lon… <3 s>');
  });
});

describe('a box', () => {
  it('has walls of one width, whatever is inside', () => {
    const text = box([[piece('日本語のとても長い行')], [piece('short', red)]], {
      title: 'T',
      width: 20,
      paint: plain,
      bold: plain,
    });
    const rows = text.trimEnd().split('\n');
    expect(rows.map((row) => widthOf(row.replace(/[<>]/g, '')))).toEqual([20, 20, 20, 20]);
    expect(rows[0]).toBe('╭─ T ──────────────╮');
  });
});
