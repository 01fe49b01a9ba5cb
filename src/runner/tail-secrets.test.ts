import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { redactor } from '../redact/redactor.ts';
import { type OpenSpool, readSlice, type SpoolPosition, START, type TailOptions } from './tail.ts';

let directory: string;
let spool: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fleet-tail-'));
  spool = join(directory, 'out');
});
afterEach(() => rm(directory, { recursive: true }));

const redact = redactor(['a secret somebody told us of']);

async function shown(from: SpoolPosition = START, options: TailOptions = {}): Promise<string[]> {
  const texts: string[] = [];
  let [cursor, open]: [SpoolPosition, OpenSpool | undefined] = [from, undefined];
  for (;;) {
    const slice = await readSlice(spool, cursor, { isFinal: true, redact, ...options, open });
    texts.push(...slice.lines.map(({ text }) => text));
    ({ cursor, open } = slice);
    if (!slice.more) return texts;
  }
}

const rsa = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const encrypted = [
  '-----BEGIN EC PRIVATE KEY-----',
  'Proc-Type: 4,ENCRYPTED',
  'DEK-Info: AES-128-CBC,0123456789ABCDEF0123456789ABCDEF',
  '',
  randomBytes(48).toString('base64'),
  `${randomBytes(10).toString('base64')}`,
  '-----END EC PRIVATE KEY-----',
].join('\n');
const pgp = [
  '-----BEGIN PGP PRIVATE KEY BLOCK-----',
  'Version: GnuPG v2',
  '',
  ...Array.from({ length: 20 }, () => randomBytes(48).toString('base64')),
  `=${randomBytes(3).toString('base64')}`,
  '-----END PGP PRIVATE KEY BLOCK-----',
].join('\n');
const keys: Readonly<Record<string, string>> = { rsa: rsa.privateKey.trim(), encrypted, pgp };

/** How a program may print the lines of a file. */
const ways: Readonly<Record<string, (line: string, n: number) => string>> = {
  plain: (line) => line,
  'with carriage returns': (line) => `${line}\r`,
  indented: (line) => `    ${line}`,
  numbered: (line, n) => `${String(n + 1).padStart(6)}\t${line}`,
  'as a patch': (line) => `+${line}`,
  quoted: (line) => `> ${line}`,
  'with the time': (line, n) => `2026-11-16T07:00:${10 + (n % 50)}.${100 + n}Z ${line}`,
  'as events': (line, n) => JSON.stringify({ type: 'said', n: 1000 + n, text: line }),
  'as events with line ends': (line) => JSON.stringify({ type: 'said', text: `${line}\n` }),
};

/** Everything in a key but its first and its last line. */
const lettersOf = (key: string): string[] =>
  key
    .split('\n')
    .slice(1, -1)
    .filter((line) => /^[A-Za-z0-9+/=]+$/.test(line));

describe('a private key over several lines', () => {
  const around = ['first', '{"type":"said","text":"hello"}'];
  const later = ['{"type":"said","text":"all is well","sha":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b"}', 'the last line of all'];

  for (const [name, key] of Object.entries(keys))
    it.each(Object.entries(ways))(`loses all of them, from wherever it is read: ${name}, %s`, async (_way, print) => {
      const lines = [...around, ...key.split('\n').map(print), ...later];
      await writeFile(spool, `${lines.join('\n')}\n`);
      const whole = await shown();
      expect(whole.length).toBe(lines.length);
      expect([...whole.slice(0, 2), ...whole.slice(-2)]).toEqual([...around, ...later]);
      const leaked = (texts: readonly string[]) =>
        lettersOf(key).filter((letters) => texts.some((text) => text.includes(letters)));
      expect(leaked(whole)).toEqual([]);
      let at = 0;
      for (const [n, line] of lines.entries()) {
        expect(await shown({ offset: at, skipping: false }), `from line ${n}`).toEqual(whole.slice(n));
        at += Buffer.byteLength(line) + 1;
      }
      expect(await shown(START, { sliceBytes: 16, maxLineBytes: 300 })).toEqual(whole);
    });

  it('loses them too while it is still being printed', async () => {
    const lines = keys['rsa']?.split('\n') ?? [];
    await writeFile(spool, 'before\n');
    let cursor: SpoolPosition = START;
    const texts: string[] = [];
    for (const line of [...lines, 'after']) {
      for (const part of [line.slice(0, 20), `${line.slice(20)}\n`]) {
        await appendFile(spool, part);
        // Nobody remembers anything: each look is by another process.
        const slice = await readSlice(spool, cursor, { redact });
        texts.push(...slice.lines.map(({ text }) => text));
        ({ cursor } = slice);
      }
    }
    expect(texts).toEqual(['before', ...lines.map(() => '[redacted]'), 'after']);
  });

  it('is gone in base64 as well, in one line or in many', async () => {
    const coded = Buffer.from(keys['rsa'] ?? '').toString('base64');
    const wrapped = coded.match(/.{1,76}/g) ?? [];
    const publicKey = Buffer.from(rsa.publicKey).toString('base64');
    await writeFile(spool, ['one', `client-key-data: ${coded}`, 'two', ...wrapped, 'the end of it', publicKey].join('\n'));
    expect(await shown()).toEqual([
      'one',
      'client-key-data: [redacted]',
      'two',
      ...wrapped.map(() => '[redacted]'),
      'the end of it',
      publicKey,
    ]);
  });

  it('that is only spoken of, or never ends, hides no more than what may be part of it', async () => {
    const begin = '-----BEGIN RSA PRIVATE KEY-----';
    const prose = ['looks for a line like that one.', 'const x = 1;', '{"type":"said","text":"ok"}'];
    await writeFile(spool, [begin, ...prose].join('\n'));
    expect((await shown()).slice(1)).toEqual(prose);
    const letters = Array.from({ length: 2_000 }, () => randomBytes(48).toString('base64'));
    await writeFile(spool, [begin, ...letters, 'end'].join('\n'));
    const texts = await shown();
    expect(texts.findIndex((text) => text !== '[redacted]')).toBeGreaterThan(900);
    expect(texts.at(-1)).toBe('end');
  });

  it('that begins where nobody looks, at the end of a line that is too long, is seen all the same', async () => {
    const [begin = '', ...rest] = keys['rsa']?.split('\n') ?? [];
    await writeFile(spool, [`${'x'.repeat(2_000)} ${begin}`, ...rest, 'after'].join('\n'));
    expect((await shown(START, { maxLineBytes: 100 })).slice(1)).toEqual([...rest.map(() => '[redacted]'), 'after']);
  });
});

describe('a secret that lies across the cut of a long line', () => {
  const key = keys['rsa'] ?? '';
  const secrets = [
    'a secret somebody told us of',
    `sk-ant-api03-${randomBytes(60).toString('hex')}`,
    Buffer.from('a secret somebody told us of').toString('base64'),
    JSON.stringify(key).slice(1, -1),
    Buffer.from(key).toString('base64'),
  ];

  it.each(secrets.map((secret, n) => [n, secret] as const))(
    'shows no part of it, wherever the cut is: %i',
    async (_n, secret) => {
      const step = Math.max(1, Math.floor(secret.length / 40));
      for (let inside = 0; inside <= secret.length; inside += step) {
        const before = 'é '.repeat(50);
        const room = Buffer.byteLength(before) + inside;
        await writeFile(spool, `${before}${secret} ${'word '.repeat(40)}\nnext\n`);
        const [long = '', next] = await shown(START, { maxLineBytes: room });
        const rest = long.startsWith(before) ? long.slice(before.length) : long;
        // Of the last letter in base64 some bits are not of the secret.
        expect(rest.trim(), `${inside} of ${secret.length}`).toMatch(/^(?:\[redacted\][A-Za-z]?={0,2})?$/);
        expect(next).toBe('next');
      }
    },
  );

  it('is waited for while too little of it is there', async () => {
    const secret = secrets[1] ?? '';
    await writeFile(spool, `${'x'.repeat(90)} ${secret.slice(0, 30)}`);
    expect((await readSlice(spool, START, { redact, maxLineBytes: 100 })).lines).toEqual([]);
    await appendFile(spool, `${secret.slice(30)} more`);
    expect((await readSlice(spool, START, { redact, maxLineBytes: 100 })).lines).toEqual([]);
    await appendFile(spool, '\n');
    const { lines } = await readSlice(spool, START, { redact, maxLineBytes: 100 });
    expect(lines).toEqual([{ text: `${'x'.repeat(90)} [redacted]`, at: 0, cut: true }]);
    // A line without an end is not waited for without an end.
    await writeFile(spool, 'x'.repeat(100 + redact.reach + 1));
    expect((await readSlice(spool, START, { redact, maxLineBytes: 100 })).lines).toHaveLength(1);
  });
});
