import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestsOf, keyName } from './digest.ts';
import { redactor } from './redactor.ts';

const key = randomBytes(32);
const unseen = (secrets: readonly string[]) => redactor([], { digests: digestsOf(secrets, key), key });
const letters = (count: number) =>
  randomBytes(count * 2)
    .toString('base64url')
    .replaceAll(/[^A-Za-z]/g, 'x')
    .slice(0, count);

const inForm: readonly ((value: string) => string)[] = [
  (value) => value,
  (value) => JSON.stringify({ list: ['a', value] }),
  (value) => JSON.stringify([JSON.stringify({ value })]),
  (value) => encodeURIComponent(value),
  (value) => Buffer.from(value).toString('base64'),
  (value) => Buffer.from(`x:${value}:y`).toString('base64'),
  (value) => Buffer.from(`xy${value}`).toString('base64url'),
];

describe('secrets of which only digests are known', () => {
  it('are hidden wherever those that are known would be', () => {
    const secret = fc.oneof(
      fc.string({ unit: fc.constantFrom(...'abcXYZ019-_+/="\\ é🚀'), minLength: 8, maxLength: 60 }),
      fc.string({ minLength: 100, maxLength: 300 }),
      fc.constant('tab\tand\nline of sixteen and more\nanother line of sixteen'),
    );
    const noise = fc.string({ unit: 'grapheme', maxLength: 30 });
    fc.assert(
      fc.property(
        fc.array(secret, { minLength: 1, maxLength: 4 }),
        fc.tuple(noise, noise),
        fc.nat(),
        (secrets, [before, after], n) => {
          const value = secrets[n % secrets.length] as string;
          const text = before + inForm[n % inForm.length]?.(value) + after;
          const [known, hidden] = [redactor(secrets)(text), unseen(secrets)(text)];
          // What overlaps is hidden from its first to its last; apart from that both hide the same.
          expect(hidden.replaceAll('[redacted]', '').length).toBeLessThanOrEqual(known.replaceAll('[redacted]', '').length);
          if (known !== text) expect(hidden).not.toBe(text);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('are suspected in exactly the lines that hold one', () => {
    const secrets = [letters(24), letters(9), letters(200), 'grüße-aus-münchen-🚀'];
    const redact = unseen(secrets);
    for (const secret of secrets)
      for (const form of inForm) {
        const line = `é ${form(secret)} ü`;
        const bytes = Buffer.from(`${'plain line\n'.repeat(3_000)}${line}\n${'more of it\n'.repeat(3_000)}`);
        const found = redact.suspect(bytes, 0, bytes.length);
        expect(found).toBeGreaterThanOrEqual(bytes.indexOf(line));
        expect(found).toBeLessThan(bytes.indexOf(line) + Buffer.byteLength(line));
        expect(redact.suspect(bytes, bytes.indexOf('\n', found) + 1, bytes.length)).toBe(bytes.length);
        expect(redact(line)).not.toContain(secret.slice(2, -2));
        expect(redact(line)).toMatch(/^é .*\[redacted\].* ü$/);
      }
  });

  it('are passed over when they are too short to be secrets, and cannot be found with another key', () => {
    expect(digestsOf(['short'], key)).toEqual([]);
    const digests = digestsOf(['hunter2-hunter2'], key);
    expect(redactor([], { digests, key: randomBytes(32) })('hunter2-hunter2')).toBe('hunter2-hunter2');
    expect(keyName(key)).not.toBe(keyName(randomBytes(32)));
  });

  it('cannot be read from their digests, nor guessed by their beginning', () => {
    const secrets = [8, 11, 12, 16, 24, 33, 64, 100].map(letters);
    const digests = digestsOf(secrets, key);
    const shown = JSON.stringify(digests);
    for (const secret of secrets)
      for (let at = 0; at + 6 <= secret.length; at += 1) expect(shown).not.toContain(secret.slice(at, at + 6));
    for (const { bytes, window } of digests) expect(window).toBeGreaterThanOrEqual(Math.min(bytes, 128) / 1.5 - 1);
    expect(new Set(digests.map(({ window }) => window)).size).toBeLessThanOrEqual(7);
  });
});
