import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plain, plainLine } from './plain.ts';

const ESC = '\u001b';
const BEL = '\u0007';
const ST = `${ESC}\\`;

/** What a terminal would obey, and the text that must be left of it. */
const corpus: readonly (readonly [string, string])[] = [
  // Clipboard, links, titles, colours, notifications: strings that end in BEL, in ST, in the one-byte ST, or not at all.
  ...[
    `52;c;aGVsbG8=`,
    '52;p;?',
    '0;title',
    '1;icon',
    '2;title',
    '8;;https://evil.example',
    '8;id=1;file:///etc/passwd',
    '4;1;rgb:ff/00/00',
    '10;?',
    '11;#ffffff',
    '12;red',
    '104',
    '133;A',
    '9;notify',
    '777;notify;a;b',
    '1337;File=name=eA==;inline=1:eA==',
    '7;file:///tmp',
  ].flatMap((body): (readonly [string, string])[] => [
    [`a${ESC}]${body}${BEL}b`, 'ab'],
    [`a${ESC}]${body}${ST}b`, 'ab'],
    [`a\u009d${body}\u009cb`, 'ab'],
    [`a${ESC}]${body}\nb`, 'a\nb'],
  ]),
  // Device control, private messages, application commands, start of string.
  ...['P', 'X', '^', '_'].flatMap((kind): (readonly [string, string])[] => [
    [`a${ESC}${kind}q#0;2;0;0;0${ST}b`, 'ab'],
    [`a${ESC}${kind}unfinished`, 'a'],
  ]),
  ['a\u0090$qm\u009cb', 'ab'],
  // Cursor, screen, modes, reports.
  ...[
    '2J',
    'H',
    '1;1H',
    '31m',
    '0m',
    '38;5;196m',
    '38;2;1;2;3m',
    'A',
    '999D',
    'K',
    '1K',
    's',
    'u',
    '6n',
    'c',
    '>c',
    '?25l',
    '?1049h',
    '?2004h',
    '?1000h',
    '5i',
    '4i',
    '18t',
    '21t',
    '3;0;0t',
    '!p',
    '"p',
    ' q',
    '?u',
    '=1u',
    '1;5r',
    '>4;2m',
  ].flatMap((body): (readonly [string, string])[] => [
    [`a${ESC}[${body}b`, 'ab'],
    [`a\u009b${body}b`, 'ab'],
  ]),
  // Single escapes: reset, index, save, keypad, character sets.
  ...['c', 'D', 'E', 'M', '7', '8', '=', '>', 'N', 'O', '(B', ')0', '#8', '%G', ' F'].map((body): readonly [string, string] => [
    `a${ESC}${body}b`,
    'ab',
  ]),
  // Single characters.
  ...[
    '\u0000',
    BEL,
    '\b',
    '\u000b',
    '\f',
    '\u000e',
    '\u000f',
    '\u007f',
    '\u0080',
    '\u0085',
    '\u009c',
    '\u2028',
    '\u2029',
    '\u202a',
    '\u202b',
    '\u202d',
    '\u202e',
    '\u202c',
    '\u2066',
    '\u2067',
    '\u2068',
    '\u2069',
    '\u200e',
    '\u200f',
    '\u061c',
    '\ufeff',
    '\u{e0041}',
  ].map((char): readonly [string, string] => [`a${char}b`, 'ab']),
  ['safe text\rgone', 'safe text\ngone'],
  ['a\r\nb', 'a\nb'],
  [`a${ESC}`, 'a'],
  [`a${ESC}[`, 'a'],
  [`a${ESC}${ESC}[31mb`, 'ab'],
  [`a${ESC}]0;x${ESC}[31mb`, 'ab'],
  // Removing one sequence must not leave another made of what was around it.
  [`a${ESC}${ESC}]0;x${BEL}[31mb`, 'a[31mb'],
];

describe('text for a terminal', () => {
  it(`loses every one of ${corpus.length} sequences and keeps the text around it [T16]`, () => {
    expect(corpus.length).toBeGreaterThan(80);
    expect(corpus.map(([hostile]) => plain(hostile))).toEqual(corpus.map(([, left]) => left));
  });

  it('holds nothing a terminal obeys, whatever it was made of [T16]', () => {
    const parts = fc.constantFrom(
      ESC,
      BEL,
      ST,
      '[',
      ']',
      '52;',
      'P',
      '\u009b',
      '\u009d',
      '\u202e',
      '\r',
      '\n',
      'm',
      '31',
      'x',
      'é',
      '日',
      '🚀',
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 30 }), (pieces) => {
        expect(plain(pieces.join(''))).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
        expect(plainLine(pieces.join(''))).not.toContain('\n');
      }),
    );
  });

  it('leaves ordinary text as it is', () => {
    for (const text of ['', 'naïve — “quotes” €', '日本語', '👩‍👩‍👧 🇧🇪 ✅', 'a\n\n  b', '[31m without an escape'])
      expect(plain(text)).toBe(text);
    expect(plain('a\tb')).toBe('a    b');
    expect(plainLine(' a \n b ')).toBe('a b');
  });

  it('takes time in proportion to the text', () => {
    const began = performance.now();
    plain(`${ESC}]`.repeat(200_000));
    plain(`${ESC}[${'1;'.repeat(500_000)}`);
    // Some milliseconds; what grows with the square of the text would take hours.
    expect(performance.now() - began).toBeLessThan(60_000);
  });
});
