import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { columns } from './columns.ts';
import { truncate, widthOf } from './width.ts';
import { wrap } from './wrap.ts';

describe('the width of text', () => {
  it.each([
    ['abc', 3],
    ['日本', 4],
    ['🚀', 2],
    ['👩‍👩‍👧', 2],
    ['🇧🇪', 2],
    ['e\u0301', 1],
    ['한글', 4],
    ['ｆｕｌｌ', 8],
    ['✓ ▶ –', 5],
  ])('of %s is %i cells', (text, cells) => expect(widthOf(text)).toBe(cells));

  it('is never more than allowed after cutting, and no character is halved', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 20 }), (text, cells) => {
        const cut = truncate(text, cells);
        expect(widthOf(cut)).toBeLessThanOrEqual(Math.max(cells, 1));
        expect(cut.isWellFormed()).toBe(text.isWellFormed() || cut.isWellFormed());
      }),
    );
    expect(truncate('日本語', 4)).toBe('日…');
    expect(truncate('abcdef', 4)).toBe('abc…');
  });
});

describe('wrapping', () => {
  it('keeps line breaks and indentation, and breaks only what is too long', () => {
    expect(wrap('one two three\n\n  - four five', 9)).toEqual(['one two', 'three', '', '  - four', '  five']);
    expect(wrap('abcdefghij', 4)).toEqual(['abcd', 'efgh', 'ij']);
    expect(wrap('日本語です', 4)).toEqual(['日本', '語で', 'す']);
  });

  it('never goes over the edge and loses no word', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'b', ' ', '日', '\n') }),
        fc.integer({ min: 4, max: 20 }),
        (text, cells) => {
          const lines = wrap(text, cells);
          for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(cells);
          expect(lines.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
        },
      ),
    );
  });
});

describe('columns', () => {
  const rows = [
    { name: '日本', text: 'a rather long text that has to be cut' },
    { name: 'b', text: 'short' },
  ];
  const wanted = [
    { title: 'NAME', cell: (row: (typeof rows)[number]) => row.name },
    { title: 'TEXT', cell: (row: (typeof rows)[number]) => row.text, least: 8 },
    { title: 'MORE', cell: () => 'xxxx', expendable: 1 },
  ];
  const lay = (width: number) => columns(rows, wanted, { width, heading: (text) => text });

  it('stand under each other and are whole when nobody looks', () => {
    expect(lay(Infinity)).toBe(
      'NAME  TEXT                                   MORE\n日本  a rather long text that has to be cut  xxxx\nb     short                                  xxxx\n',
    );
  });

  it('are cut to the terminal, and leave when there is no room', () => {
    expect(lay(26)).toBe('NAME  TEXT            MORE\n日本  a rather long…  xxxx\nb     short           xxxx\n');
    expect(lay(16)).toBe('NAME  TEXT\n日本  a rather…\nb     short\n');
  });
});
