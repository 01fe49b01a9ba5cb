import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { visible } from './visible.ts';

describe('a line that is to be judged', () => {
  it.each([
    ['steal() inside a title', '/*\u001b]0;*/ steal(); /*\u0007*/', '/*␛]0;*/ steal(); /*␇*/'],
    ['a return that would hide what is before it', 'rm -rf /\r# nothing', 'rm -rf /␍# nothing'],
    ['text that reads backwards', 'if (isAdmin\u202e) {', 'if (isAdmin<U+202E>) {'],
    ['a space without width', 'user\u200bname', 'user<U+200B>name'],
    ['a byte of the second control set', '\u009b2J', '<U+009B>2J'],
    ['an invisible tag', 'a\u{e0041}b', 'a<U+E0041>b'],
    ['the end of a line', 'a\u2028b\u007f', 'a<U+2028>b␡'],
  ])('shows %s [T16]', (_, line, shown) => expect(visible(line)).toBe(shown));

  it('leaves text alone, with the joiners of letters and pictures', () => {
    for (const text of ['const x = 1; // ✓', '日本語 👩‍👩‍👧', 'نمی‌خواهم', '  a  ']) expect(visible(text)).toBe(text);
    expect(visible('\tx')).toBe('    x');
  });

  it('holds nothing a terminal obeys, whatever it was [T16]', () => {
    const character = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 3 }),
      fc.constantFrom('\u001b', '\u009b', '\r', '\n', '\u202e', ']', '[', 'm'),
    );
    fc.assert(
      fc.property(fc.array(character), (parts) => {
        expect(visible(parts.join(''))).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/);
      }),
    );
  });
});
