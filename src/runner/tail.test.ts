import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdtemp, open, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inFullRun } from '../../test/full-only.ts';
import { redactor } from '../redact/redactor.ts';
import { readSlice, type SpoolLine, type SpoolPosition, START, type TailOptions } from './tail.ts';

let directory: string;
let spool: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fleet-tail-'));
  spool = join(directory, 'out');
});
afterEach(() => rm(directory, { recursive: true }));

const MB = 1_024 * 1_024;

async function readAll(from: SpoolPosition = START, options: TailOptions = {}) {
  const lines: SpoolLine[] = [];
  let [cursor, dropped, slices] = [from, 0, 0];
  for (;;) {
    const slice = await readSlice(spool, cursor, options);
    lines.push(...slice.lines);
    cursor = slice.cursor;
    dropped += slice.dropped;
    slices += 1;
    if (!slice.more) return { lines, texts: lines.map(({ text }) => text), cursor, dropped, slices };
  }
}

describe('reading a spool', () => {
  it('gives each line once and keeps back what is not complete', async () => {
    await writeFile(spool, 'one\ntwo\nthr');
    const first = await readAll();
    expect(first.lines).toEqual([
      { text: 'one', at: 0, cut: false },
      { text: 'two', at: 4, cut: false },
    ]);
    expect(first.cursor).toEqual({ offset: 8, skipping: false });
    await appendFile(spool, 'ee\n');
    expect((await readAll(first.cursor)).lines).toEqual([{ text: 'three', at: 8, cut: false }]);
  });

  it('takes the rest for a line when the agent has ended', async () => {
    await writeFile(spool, 'one\nrest');
    const all = await readAll(START, { isFinal: true });
    expect(all.texts).toEqual(['one', 'rest']);
    expect((await readAll(all.cursor, { isFinal: true })).texts).toEqual([]);
  });

  it('says when the spool is missing or was cut behind its back', async () => {
    expect(await readSlice(spool, START)).toMatchObject({ lost: true, lines: [] });
    await writeFile(spool, 'one\n');
    const { cursor } = await readAll();
    await truncate(spool);
    expect(await readSlice(spool, cursor)).toMatchObject({ lost: true, cursor });
  });

  it('cuts a line that is too long, counts what it drops and goes on after it', async () => {
    await writeFile(spool, `short\n${'x'.repeat(1_000)}\nnext\n`);
    const { lines, dropped } = await readAll(START, { maxLineBytes: 100, sliceBytes: 128 });
    expect(lines).toEqual([
      { text: 'short', at: 0, cut: false },
      { text: 'x'.repeat(100), at: 6, cut: true },
      { text: 'next', at: 1_007, cut: false },
    ]);
    expect(dropped).toBe(900);
  });

  it('never cuts inside a character', async () => {
    await writeFile(spool, `${'€'.repeat(50)}\n`);
    for (const maxLineBytes of [99, 100, 101]) {
      const { texts, dropped } = await readAll(START, { maxLineBytes });
      expect(texts).toEqual(['€'.repeat(33)]);
      expect(dropped).toBe(51);
    }
  });

  it('loses no byte it does not count, whatever the bytes and wherever it stops', async () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.string({ unit: 'binary', maxLength: 20 }).map((text) => Buffer.from(text)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), fc.integer({ min: 1, max: 30 }), async (pieces, maxLineBytes) => {
        const bytes = Buffer.concat(pieces.flatMap((part) => [part, Buffer.from('\n')]));
        await writeFile(spool, bytes);
        const { lines, cursor, dropped } = await readAll(START, { maxLineBytes, sliceBytes: 8 });
        const expected = splitBytes(bytes);
        expect(lines.map(({ at }) => at)).toEqual(expected.map(({ at }) => at));
        for (const [n, { part }] of expected.entries())
          if (part.length <= maxLineBytes) expect(lines[n]).toMatchObject({ text: part.toString('utf8'), cut: false });
          else expect(lines[n]?.cut).toBe(true);
        expect(cursor.offset).toBe(bytes.length);
        const over = expected.reduce((sum, { part }) => sum + Math.max(0, part.length - maxLineBytes), 0);
        expect(dropped).toBeGreaterThanOrEqual(over);
        expect(dropped).toBeLessThanOrEqual(over + 3 * expected.length);
      }),
      { numRuns: 150 },
    );
  });

  it('gives, redacted, exactly the lines it gives plain, each redacted by itself', async () => {
    const secret = 'correct horse\nbattery staple of many words';
    const redact = redactor([secret, 'hunter2-hunter2']);
    const piece = fc.oneof(
      fc.constantFrom(secret, 'hunter2-hunter2', `sk-ant-${'x1'.repeat(20)}`, JSON.stringify(secret), '"password":"a b"'),
      fc.constantFrom('\n', '\r\n', 'hunter2-', 'hunter2', 'battery staple', '{"password":', '€'),
      fc.string({ unit: 'binary', maxLength: 10 }),
    );
    const bytes = fc
      .array(
        fc.oneof(
          piece,
          fc.uint8Array({ maxLength: 6 }).map((raw) => Buffer.from(raw)),
        ),
        { maxLength: 16 },
      )
      .map((pieces) => Buffer.concat(pieces.map((part) => Buffer.from(part))));
    await fc.assert(
      fc.asyncProperty(bytes, fc.constantFrom(20, 60, 1_000), fc.boolean(), async (given, maxLineBytes, isFinal) => {
        await writeFile(spool, given);
        const options = { maxLineBytes, sliceBytes: 8, isFinal };
        const [plain, hidden] = [await readAll(START, options), await readAll(START, { ...options, redact })];
        const wholeOf = ({ at }: SpoolLine) => given.toString('utf8', at, [...given, 10].indexOf(10, at));
        const redacted = plain.lines.map((line) => ({ ...line, text: redact(wholeOf(line), { length: line.text.length }) }));
        const last = redacted.at(-1);
        // Of a long line that has no end yet more must be there before its beginning may be shown.
        const isHeldBack = !isFinal && last?.cut === true && given.indexOf(10, last.at) === -1;
        expect(hidden.lines).toEqual(isHeldBack ? redacted.slice(0, -1) : redacted);
        if (isHeldBack) expect(hidden.cursor).toEqual({ offset: last.at, skipping: false });
        else expect([hidden.cursor, hidden.dropped]).toEqual([plain.cursor, plain.dropped]);
      }),
      { numRuns: 300 },
    );
  });
});

describe('floods', () => {
  const megabytes = inFullRun ? 200 : 50;

  it('passes over one endless line and parses what follows, with flat memory', async () => {
    await fill(`head -c ${megabytes * MB} /dev/zero | tr '\\0' 'x'; echo; echo '{"valid":true}'`);
    const { value, grownBy } = await measured(() => readAll());
    expect(value.texts.at(-1)).toBe('{"valid":true}');
    expect(value.lines.map(({ cut }) => cut)).toEqual([true, false]);
    expect(value.dropped).toBe(megabytes * MB - (value.texts[0]?.length ?? 0));
    expect(grownBy).toBeLessThan(30 * MB);
  });

  it('takes a flood of empty lines in portions', async () => {
    await writeFile(spool, '\n'.repeat(100_000));
    expect((await readSlice(spool, START)).lines.length).toBeLessThan(10_000);
    expect((await readAll()).lines).toHaveLength(100_000);
  });

  it('passes through a binary flood with flat memory', async () => {
    await fill(`head -c ${megabytes * MB} /dev/urandom; echo; echo last`);
    const { value, grownBy } = await measured(async () => {
      let [cursor, count, last] = [START, 0, ''];
      for (;;) {
        const slice = await readSlice(spool, cursor);
        count += slice.lines.length;
        last = slice.lines.at(-1)?.text ?? last;
        cursor = slice.cursor;
        if (!slice.more) return { cursor, count, last };
      }
    });
    expect(value.last).toBe('last');
    expect(value.count).toBeGreaterThan(megabytes * 1_000);
    expect(grownBy).toBeLessThan(30 * MB);
  });
});

async function fill(script: string): Promise<void> {
  const handle = await open(spool, 'w');
  const child = spawn('sh', ['-c', script], { stdio: ['ignore', handle.fd, 'inherit'] });
  await once(child, 'exit');
  await handle.close();
}

setFlagsFromString('--expose_gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** What the program holds: neither garbage that nobody has collected yet, nor what the system keeps of its files in memory. */
function heldBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function measured<T>(work: () => Promise<T>): Promise<{ value: T; grownBy: number }> {
  let most = 0;
  const before = heldBytes();
  const timer = setInterval(() => {
    most = Math.max(most, heldBytes());
  }, 50);
  const value = await work();
  clearInterval(timer);
  return { value, grownBy: Math.max(most, heldBytes()) - before };
}

function splitBytes(bytes: Buffer): { at: number; part: Buffer }[] {
  const parts: { at: number; part: Buffer }[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(10, at);
    parts.push({ at, part: bytes.subarray(at, end) });
    at = end + 1;
  }
  return parts;
}
