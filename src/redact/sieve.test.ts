import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactor } from './redactor.ts';
import { sieveOf } from './sieve.ts';

const NEWLINE = 10;

/** The lines a sieve points at, by number. */
function pointedAt(next: (bytes: Uint8Array, from: number, to: number) => number, bytes: Buffer): number[] {
  const lines: number[] = [];
  let [line, start] = [0, 0];
  while (start < bytes.length) {
    const found = next(bytes, start, bytes.length);
    if (found >= bytes.length) break;
    for (let end = bytes.indexOf(NEWLINE, start); end !== -1 && end < found; end = bytes.indexOf(NEWLINE, start)) {
      start = end + 1;
      line += 1;
    }
    lines.push(line);
    const end = bytes.indexOf(NEWLINE, found);
    if (end === -1) break;
    start = end + 1;
    line += 1;
  }
  return lines;
}

/** At an odd and at an even place in memory. */
const placed = (text: string, shift: number): Buffer => {
  const bytes = Buffer.from(text);
  const place = Buffer.alloc(bytes.length + shift + 3, 'k');
  bytes.copy(place, shift);
  return place.subarray(shift, shift + bytes.length);
};

describe('the sieve', () => {
  it('points at exactly the lines that hold a needle, wherever it stands', () => {
    const needle = fc.string({ unit: fc.constantFrom(...'abcé-'), minLength: 3, maxLength: 6 });
    const text = fc.array(fc.string({ unit: fc.constantFrom(...'abcé-\n'), maxLength: 30 }), { maxLength: 5 });
    fc.assert(
      fc.property(
        fc.array(needle, { minLength: 1, maxLength: 4 }),
        text,
        fc.integer({ min: 0, max: 3 }),
        (needles, parts, shift) => {
          const whole = parts.join('\n');
          const expected = whole.split('\n').flatMap((line, n) => (needles.some((one) => line.includes(one)) ? [n] : []));
          expect(pointedAt(sieveOf(needles).next, placed(whole, shift))).toEqual(expected);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('looks at nothing outside the stretch it is asked about', () => {
    const { next } = sieveOf(['needle']);
    const bytes = Buffer.from('xxneedlexx');
    expect(next(bytes, 0, 10)).toBeLessThan(8);
    expect(next(bytes, 3, 10)).toBe(10);
    expect(next(bytes, 0, 7)).toBe(7);
    expect(next(bytes, 10, 10)).toBe(10);
  });
});

const told = [
  'hunter2-hunter2',
  String.raw`quo"te\back/slash`,
  'tab\tand\nline of sixteen and more\nanother line of sixteen',
  'grüße-aus-münchen-🚀',
  'ends with cr\r\nand goes on for long',
  'bytes \uFFFD\uFFFD nobody knows',
  'AAAAAAAAAAAA',
];
const token = 'aB3dE5gH1jK9mN0pQ2rS4tU6vW8xY7zaB3dE5gH1jK9mN0pQ2rS4tU6vW8xY7z';
const shaped = [
  ...['sk-ant-api03-', 'sk-', 'AIza', 'ya29.', 'GOCSPX-', 'ghp_', 'github_pat_', 'glpat-', 'gldt-', 'xoxb-', 'xapp-'],
  ...['sk_live_', 'rk_test_', 'whsec_', 'npm_', 'hf_', 'Authorization: Bearer ', 'authorization: Basic ', 'x-api-key: '],
  ...['X-Auth-Token: ', 'private-token=', 'bearer ', 'export OPENAI_API_KEY=', 'MYSQL_PASSWORD=', 'A_SECRET=', 'PASSWD='],
  ...['--token=', '--api-key ', '--password ', '{"password": "', "{'apiKey':'", '{\\"client_secret\\":\\"', '"accessToken":"'],
  ...['"SECRET-KEY":"', '"private_key" = "', "'passphrase':'", '"passwd":"', '{"TOKEN":"', '-----BEGIN RSA PRIVATE KEY-----'],
].map((head) => head + token);
const others = ['AKIAABCDEFGHIJKLMNOP', 'https://me:secretword@host/', `eyJ${token}.eyJ${token}.${token}`];

describe('lines of which the redactor suspects nothing', () => {
  it('are those it would give back as they are, whatever stands in them and next to them', () => {
    const redact = redactor(told);
    const secret = fc.constantFrom(...told, ...shaped, ...others);
    const hidden = fc
      .tuple(secret, fc.constantFrom('plain', 'json', 'twice', 'address', 'base64'))
      .map(([value, how]) => inForm(value, how));
    const noise = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.constantFrom('\n', '\r\n', '\n\n', '"', '\\', 'token', 'key"', '://', 'sk-', 'task-', ' ', '{"text":"', '"}'),
    );
    const bytes = fc.array(fc.oneof(hidden, noise, noise), { maxLength: 12 }).map((parts) => Buffer.from(parts.join('')));
    fc.assert(
      fc.property(bytes, (given) => {
        const lines = given.toString().split('\n');
        const suspects = new Set(pointedAt(redact.suspect, given));
        const changed = lines.flatMap((line, n) => (redact(line) === line ? [] : [n]));
        expect(changed.filter((n) => !suspects.has(n))).toEqual([]);
      }),
      { numRuns: 3_000 },
    );
  });

  it('knows each shape by one of its anchors', () => {
    const redact = redactor([]);
    for (const line of [...shaped, ...others]) {
      expect(redact(line), line).not.toBe(line);
      expect(pointedAt(redact.suspect, Buffer.from(`first\n${line}\nlast`)), line).toEqual([1]);
    }
  });

  it('are most of what agents print', () => {
    const redact = redactor(told);
    const usual = [
      '{"type":"said","text":"hello world"}',
      '{"inputTokens":12,"outputTokens":3}',
      'function task(key) {',
      '  "key": 1,',
    ];
    expect(pointedAt(redact.suspect, Buffer.from(usual.join('\n')))).toEqual([]);
  });

  it('are none when a secret can be told in text only', () => {
    const { suspect } = redactor(['\uFFFDa\uFFFDb\uFFFDc\uFFFDd']);
    expect(suspect(Buffer.from('anything'), 3, 8)).toBe(3);
  });
});

function inForm(value: string, how: string): string {
  if (how === 'json') return JSON.stringify({ text: value });
  if (how === 'twice') return JSON.stringify([JSON.stringify({ text: value })]);
  if (how === 'address') return encodeURIComponent(value);
  return how === 'base64' ? Buffer.from(`x${value}y`).toString('base64') : value;
}
