import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSecretName, redactingStream, redactor, secretsIn } from './redactor.ts';

const letters = (count: number, seed = 7): string =>
  Array.from({ length: count }, (_, n) => 'aB3dE5gH1jK9mN0pQ2rS4tU6vW8xY7z'.charAt((n * seed + seed) % 31)).join('');
const b64 = (text: string): string => Buffer.from(text).toString('base64');

/** Values somebody told us of: as they are, with spaces, quotes and lines, and in other alphabets. */
const told = [
  'hunter2-hunter2',
  'correct horse battery staple',
  String.raw`quo"te\back/slash`,
  'tab\tand\nline of sixteen and more\nanother line of sixteen',
  'grüße-aus-münchen-🚀',
  'a+b/c=d&e?f%20g',
  '$^.*+?()[]{}|--',
  'nabcdefghij',
  'u0041abcdefg',
  letters(64, 11),
  'AAAAAAAAAAAA',
  'postgres://me:pw@host/db',
];

/** Values nobody told us of, each with what stands around it. */
const shaped: readonly (readonly [before: string, secret: string, after: string])[] = [
  ['key is ', `sk-ant-api03-${letters(80)}`, ' ok'],
  ['key is ', `sk-proj-${letters(60)}`, ' ok'],
  ['key is ', `sk-${letters(48)}`, ' ok'],
  ['key is ', `AIza${letters(35)}`, ' ok'],
  ['id is ', `AKIA${letters(16).toUpperCase()}`, ' ok'],
  ['', `ghp_${letters(36)}`, ' ok'],
  ['', `github_pat_${letters(60)}`, '.'],
  ['(', `glpat-${letters(20)}`, ')'],
  ['', `xoxb-1234567890-${letters(24)}`, ''],
  ['', `sk_live_${letters(24)}`, ''],
  ['', `npm_${letters(36)}`, ''],
  ['', `eyJ${letters(20)}.eyJ${letters(40)}.${letters(43)}`, ''],
  ['Authorization: Bearer ', letters(32), ''],
  ['authorization: Basic ', 'dXNlcjpwYXNzd29yZA==', ''],
  ['x-api-key: ', letters(24), ''],
  ['', `-----BEGIN RSA PRIVATE KEY-----\n${letters(64)}\n${letters(64, 5)}\n-----END RSA PRIVATE KEY-----`, '\nok'],
  ['export OPENAI_API_KEY=', letters(20), ' && ok'],
  ['DB_PASSWORD="', 'with some spaces', '"'],
  ['{"password": "', 'x1', '"}'],
  ['{"list":[{"api_key":"', letters(10), '"}]}'],
  ['{"accessToken" : "', letters(10), '"}'],
  ['git clone https://me:', letters(20), '@example.test/a.git'],
  ['tool --token=', letters(10), ' --verbose'],
];

describe('the redactor', () => {
  const redact = redactor(told);

  it('knows a secret it was told of, plain, in JSON, in JSON in JSON, in an address and in base64', () => {
    for (const secret of told) {
      const forms = [
        secret,
        JSON.stringify(secret),
        JSON.stringify(JSON.stringify([secret])),
        encodeURIComponent(secret),
        b64(secret),
      ];
      for (const form of forms) expect(redact(`before ${form} after`), form).not.toContain(coreOf(form));
      for (const before of ['', 'u', 'us']) {
        const hidden = redact(b64(`${before}:${secret}:more`));
        expect(Buffer.from(hidden.replaceAll('[redacted]', ''), 'base64').toString(), secret).not.toContain(coreOf(secret));
      }
    }
  });

  it('knows a secret by its shape, and leaves what stands around it', () => {
    for (const [before, secret, after] of shaped) expect(redact(before + secret + after)).toBe(`${before}[redacted]${after}`);
  });

  it('finds shapes at any depth of JSON in JSON, and leaves good JSON', () => {
    for (const [before, secret, after] of shaped) {
      let text = `line one\n${before}${secret}${after}`;
      for (let depth = 0; depth < 4; depth++) {
        text = JSON.stringify({ items: ['\t', text, 'more'] });
        const hidden = redact(text);
        expect(hidden).not.toContain(JSON.stringify(secret).slice(1, -1).split(String.raw`\n`)[1] ?? coreOf(secret));
        expect(() => JSON.parse(hidden), hidden).not.toThrow();
      }
    }
  });

  it('ends a value where its own quote closes', () => {
    const secrets = [String.raw`ends in a backslash\\`, 'has "quotes" and, commas', `it's`, '\\"', 'x"'];
    for (const password of secrets) {
      let text = JSON.stringify({ password, kept: 'this stays' });
      for (let depth = 0; depth < 3; depth++) {
        const hidden = redact(text);
        expect(hidden).toContain('this stays');
        expect(hidden.length - text.length).toBeLessThan(10);
        let value: unknown = JSON.parse(hidden);
        while (Array.isArray(value)) value = JSON.parse(String(value[0]));
        expect(value).toEqual({ password: '[redacted]', kept: 'this stays' });
        text = JSON.stringify([text]);
      }
    }
  });

  it.each([
    '{"usage":{"input_tokens":123,"output_tokens":4567,"max_tokens":8192,"token_count":9}}',
    'tokens used: 1234, token limit 200000',
    'export PATH=/usr/bin; API_KEY=$OPENAI_API_KEY; TOKEN=${X:-y}',
    '{"password":"","secret":null,"token":"short"}',
    'the password is required, the bearer authentication-scheme-of-old too',
    'task-admin-dashboard-refactoring-of-the-year-2026',
    'https://example.test:8080/a/b@c and git@example.test:a/b.git',
    'sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    '01JD3Z5W8M9N0PQRSTVWXYZABC run_01JD3Z5W8M9N0PQRSTVWXYZABC',
    '--token --verbose',
  ])('leaves %j alone', (text) => expect(redact(text)).toBe(text));

  it('keeps every line of JSON good, whatever is in it', () => {
    const piece = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...told, ...shaped.map((parts) => parts.join(''))));
    const value = fc.dictionary(
      fc.constantFrom('password', 'text', 'api_key', 'token'),
      fc.array(piece).map((all) => all.join('')),
    );
    fc.assert(
      fc.property(value, (given) => {
        const line = JSON.stringify({ given, nested: JSON.stringify(given) });
        expect(() => JSON.parse(redact(line))).not.toThrow();
      }),
      { numRuns: 300 },
    );
  });

  it('takes time in proportion to the text, whatever the text', () => {
    const pieces = [
      'a',
      'sk-',
      'eyJ',
      'eyJ.',
      'eyJaaaaaaaaaa.',
      ' eyJaaaaaaaaaa.eyJ',
      '-----BEGIN PRIVATE KEY-----',
      '-----BEGIN PRIVATE KEY-----\\',
    ];
    const more = [
      '\\',
      '"',
      '\\"',
      'password":"',
      'password":"\\"',
      'password\\":\\"x',
      '://',
      '://a:',
      '://a:b',
      'bearer ',
      'Authorization: ',
    ];
    const rest = [
      'AKIA',
      'API_KEY=',
      '--token ',
      'authorization=',
      '\\\\\\"',
      ' \t',
      "'",
      'AAAAAAAAAAA',
      'xox',
      'ghp_',
      '\\u0022eyJ',
      '%3DeyJ',
    ];
    for (const part of [...pieces, ...more, ...rest]) {
      for (const text of [part.repeat(1_000_000 / part.length), `"password":"${part.repeat(1_000_000 / part.length)}`]) {
        const started = performance.now();
        redact(text);
        // Some milliseconds; what grows with the square of the text would take hours.
        expect(performance.now() - started, part).toBeLessThan(60_000);
      }
    }
  });
});

describe('the redacting stream', () => {
  const lines = [...told.map((secret) => `it is ${secret} there`), ...shaped.map((parts) => parts.join(''))];
  const text = `${lines.join('\nplain line\n')}\nend`;

  it('gives the same however the text is cut', () => {
    const whole = redactor(told)(text);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: text.length })), (cuts) => {
        expect(pushed(told, pieces(text, cuts))).toBe(whole);
      }),
      { numRuns: 100 },
    );
    expect(
      pushed(
        told,
        [...text.matchAll(/[^]/g)].map(([unit]) => unit),
      ),
    ).toBe(whole);
  });

  it('hides a secret in one endless line, wherever the pieces end', () => {
    const filler = 'word '.repeat(3_000);
    for (const secret of [...told, `sk-ant-${letters(40)}`, `"password":"${letters(30)}"`]) {
      for (const shift of [0, 1, 7, 8_190, 8_192, 8_193]) {
        const long = `${filler.slice(shift)}${secret} ${filler}`;
        const out = pushed(
          told,
          pieces(
            long,
            Array.from({ length: 40 }, (_, n) => n * 997),
          ),
        );
        expect(out).toBe(redactor(told)(long));
        expect(out).not.toContain(coreOf(secret));
      }
    }
  });

  it('holds little of a line or a secret without an end, and passes what follows', () => {
    const stream = redactingStream([]);
    const before = `sk-ant-${letters(50)}`;
    let out = stream.push(before);
    for (let n = 0; n < 100; n++) out += stream.push(letters(10_000));
    expect(out).toBe('');
    out += stream.push(' after\n');
    expect(out + stream.end()).toBe('[redacted] after\n');
  });

  it('gives a finished line at once', () => {
    const stream = redactingStream([]);
    expect(stream.push('one\ntw')).toBe('one\n');
    expect(stream.push('o\n')).toBe('two\n');
    expect(stream.end()).toBe('');
  });
});

describe('the secrets of an environment', () => {
  it('are the values of names that say so', () => {
    const env = {
      ANTHROPIC_API_KEY: 'value-of-1',
      GH_TOKEN: 'value-of-2',
      AWS_SECRET_ACCESS_KEY: 'value-of-3',
      db_password: 'value-of-4',
      AWS_ACCESS_KEY_ID: 'value-of-5',
      SHORT_TOKEN: 'short',
      MAX_THINKING_TOKENS: '123456789',
      SSH_ASKPASS: '/usr/bin/ask',
      KEYBOARD: 'qwertyuiop',
      HOME: '/home/you',
      GONE_TOKEN: undefined,
    };
    expect(secretsIn(env)).toEqual(['value-of-1', 'value-of-2', 'value-of-3', 'value-of-4', 'value-of-5']);
    expect(isSecretName('TOKENIZER')).toBe(false);
  });
});

/** A piece from the middle that no escape touches. */
function coreOf(text: string): string {
  const runs = text.match(/[A-Za-z0-9]+/g) ?? [text];
  return runs.toSorted((a, b) => b.length - a.length)[0] ?? text;
}

function pieces(text: string, cuts: readonly number[]): string[] {
  const at = [0, ...cuts.toSorted((a, b) => a - b), text.length];
  return at.slice(1).map((end, index) => text.slice(at[index], end));
}

function pushed(secrets: readonly string[], parts: readonly string[]): string {
  const stream = redactingStream(secrets);
  return parts.map((part) => stream.push(part)).join('') + stream.end();
}
