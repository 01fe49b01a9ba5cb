import { createHmac } from 'node:crypto';
import { formsOfAll } from './known.ts';
import type { SecretSpan } from './spans.ts';

/**
 * One form of a secret, told so that it can be found again in a text but not read: how long it is, a keyed hash of all of
 * it, and sixteen bits of another one over its first `window` bytes, by which places worth hashing are found.
 *
 * The window is never less than two thirds of the form, up to a length nobody can guess. Sixteen bits over the first few
 * bytes would let those be guessed apart from the rest.
 */
export interface Digest {
  readonly bytes: number;
  readonly window: number;
  readonly print: number;
  readonly hash: string;
}

const longestWindow = 128;
const hashBytes = 16;
const unknown = '\uFFFD';
const shortestPart = 8;

/** Of values too short to be told from ordinary words there is none, as everywhere in the redactor. */
export function digestsOf(secrets: readonly string[], key: Uint8Array): readonly Digest[] {
  const forms = [...new Set(formsOfAll(secrets).flatMap(certainParts))].map((form) => Buffer.from(form));
  const windows = windowsFor(forms.map(({ length }) => length));
  const wheel = wheelOf(key);
  return forms.map((form) => {
    const window = windows.findLast((one) => one <= form.length) ?? form.length;
    return { bytes: form.length, window, print: wheel.print(hashOf(wheel, form, 0, window)), hash: keyed(key, form) };
  });
}

/** A replacement character stands for bytes nobody knows; what stands around it is looked for by itself. */
const certainParts = (form: string): readonly string[] =>
  form.includes(unknown) ? form.split(unknown).filter(({ length }) => length >= shortestPart) : [form];

/** As few as cover all lengths, because each is one pass over the text. */
function windowsFor(lengths: readonly number[]): readonly number[] {
  const windows: number[] = [];
  for (const length of lengths.map((one) => Math.min(one, longestWindow)).toSorted((a, b) => a - b))
    if (length > 1.5 * (windows.at(-1) ?? 0)) windows.push(length);
  return windows;
}

/** Says for two keys, without showing them, whether they are the same. */
export const keyName = (key: Uint8Array): string => keyed(key, Buffer.from('name of this key'));

const keyed = (key: Uint8Array, bytes: Uint8Array): string =>
  createHmac('sha256', key).update(bytes).digest().subarray(0, hashBytes).toString('base64url');

/** A hash that can be rolled along a text, one byte in and one out. */
interface Wheel {
  readonly base: number;
  /** Sixteen bits of it, mixed so that nothing can be computed backwards from them. */
  print(hash: number): number;
}

function wheelOf(key: Uint8Array): Wheel {
  const seed = createHmac('sha256', key).update('wheel').digest();
  const [base, mix, salt] = [seed.readInt32LE(0) | 5, seed.readInt32LE(4) | 1, seed.readInt32LE(8)];
  return {
    base,
    print: (hash) => {
      const once = Math.imul(hash ^ salt ^ (hash >>> 15), mix);
      return Math.imul(once ^ (once >>> 13), 0x9e37_79b1) >>> 16;
    },
  };
}

function hashOf({ base }: Wheel, bytes: Uint8Array, from: number, length: number): number {
  let hash = 0;
  for (let at = from; at < from + length; at += 1) hash = (Math.imul(hash, base) + (bytes[at] as number)) | 0;
  return hash;
}

export interface DigestFinder {
  find(text: string): SecretSpan[];
  /** Where in the bytes the first one stands; `to` when there is none. */
  next(bytes: Uint8Array, from: number, to: number): number;
}

/** Finds the values again of which only digests are known. The time it takes grows with the text, not with their number. */
export function digestFinder(digests: readonly Digest[], key: Uint8Array): DigestFinder {
  const wheel = wheelOf(key);
  const isSecret = checker(digests, key);
  const passes = [...new Set(digests.map(({ window }) => window))].map((window) =>
    passOf(
      wheel,
      window,
      digests.filter((one) => one.window === window),
    ),
  );
  const firstOf = (pass: Pass, bytes: Uint8Array, from: number, to: number) => pass(bytes, { from, to }, isSecret);
  return {
    next(bytes, from, to) {
      let first = to;
      // A later pass need not look beyond what an earlier one has found, but for a value that begins before it.
      for (const pass of passes) first = Math.min(first, firstOf(pass, bytes, from, to)?.start ?? to);
      return first;
    },
    find(text) {
      const bytes = Buffer.from(text);
      const spans: SecretSpan[] = [];
      for (const pass of passes)
        for (let found = firstOf(pass, bytes, 0, bytes.length); found; found = firstOf(pass, bytes, found.end, bytes.length))
          spans.push(inText(text, bytes, found));
      return spans;
    },
  };
}

function inText(text: string, bytes: Buffer, { start, end }: { start: number; end: number }): SecretSpan {
  if (bytes.length === text.length) return { context: start, start, end };
  const begin = bytes.toString('utf8', 0, start).length;
  return { context: begin, start: begin, end: begin + bytes.toString('utf8', start, end).length };
}

type Check = (bytes: Uint8Array, from: number, length: number) => boolean;
type Pass = (
  bytes: Uint8Array,
  range: { readonly from: number; readonly to: number },
  isSecret: Check,
) => { readonly start: number; readonly end: number } | undefined;

/** One roll along the bytes, with a look at each place whose sixteen bits are those of some form. */
function passOf(wheel: Wheel, window: number, digests: readonly Digest[]): Pass {
  const { base, print } = wheel;
  let power = 1;
  for (let n = 1; n < window; n += 1) power = Math.imul(power, base);
  const prints = new Uint8Array(0x10000);
  for (const one of digests) prints[one.print] = 1;
  // The longest first: what is found is to be hidden whole.
  const lengths = [...new Set(digests.map(({ bytes }) => bytes))].toSorted((a, b) => b - a);
  return (bytes, { from, to }, isSecret) => {
    if (to - from < window) return undefined;
    let hash = hashOf(wheel, bytes, from, window);
    for (let at = from; ; at += 1) {
      if (prints[print(hash)] === 1) {
        const length = lengths.find((one) => at + one <= to && isSecret(bytes, at, one));
        if (length !== undefined) return { start: at, end: at + length };
      }
      if (at + window >= to) return undefined;
      hash = (Math.imul(hash - Math.imul(bytes[at] as number, power), base) + (bytes[at + window] as number)) | 0;
    }
  };
}

const mostRemembered = 4_096;

/** What has been looked at is remembered for a while: a text that repeats itself is hashed once. */
function checker(digests: readonly Digest[], key: Uint8Array): Check {
  const hashes = new Set(digests.map(({ hash }) => hash));
  const known = new Map<string, boolean>();
  return (bytes, from, length) => {
    const candidate = bytes.subarray(from, from + length);
    const name = Buffer.from(candidate.buffer, candidate.byteOffset, length).toString('latin1');
    const before = known.get(name);
    if (before !== undefined) return before;
    if (known.size >= mostRemembered) known.clear();
    const answer = hashes.has(keyed(key, candidate));
    known.set(name, answer);
    return answer;
  };
}
