/**
 * Looks for many short texts at once, in bytes, at the same speed however many they are. It answers only where something
 * may be, which is what makes a gigabyte without secrets cheap: whatever it does not point at needs no closer look.
 *
 * Each needle is known by three bytes in a row, the rarest it has. Every second pair of bytes is looked up in a table; of
 * three bytes in a row one of the two pairs is always among them.
 */
export interface Sieve {
  /** A place from `from` on, in the first line that holds a needle; `to` when there is none before it. */
  next(bytes: Uint8Array, from: number, to: number): number;
}

interface Needle {
  readonly bytes: Uint8Array;
  /** Where in it the three bytes stand that it is known by. */
  readonly mark: number;
}

const FIRST_PAIR = 1;
const SECOND_PAIR = 2;
const LINE_END = 10;

/** No needle may be shorter than three bytes; one that goes over the end of a line is in no line, and is left out. */
export function sieveOf(texts: readonly string[]): Sieve {
  const pairs = new Uint8Array(0x10000);
  const triples = new Uint8Array(0x10000);
  const marks = new Map<number, Needle[]>();
  for (const text of new Set(texts)) {
    const bytes = Buffer.from(text);
    if (bytes.includes(LINE_END)) continue;
    const mark = rarest(bytes);
    const [a = 0, b = 0, c = 0] = bytes.subarray(mark, mark + 3);
    pairs[asPair(a, b)] = (pairs[asPair(a, b)] ?? 0) | FIRST_PAIR;
    pairs[asPair(b, c)] = (pairs[asPair(b, c)] ?? 0) | SECOND_PAIR;
    const key = (a << 16) | (b << 8) | c;
    triples[hashed(key)] = 1;
    marks.set(key, [...(marks.get(key) ?? []), { bytes, mark }]);
  }
  const isAt = (stretch: Stretch, at: number): boolean => {
    const { bytes, from, to } = stretch;
    if (at < from || at + 2 >= to) return false;
    const key = ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number);
    if (triples[hashed(key)] === 0) return false;
    return marks.get(key)?.some((needle) => isWhole(stretch, at - needle.mark, needle.bytes)) ?? false;
  };
  const firstIn = (stretch: Stretch, begin: number, end: number): number => {
    const { bytes, words } = stretch;
    for (let word = begin; word < end; word += 1) {
      const found = pairs[words[word] as number] as number;
      if (found === 0) continue;
      const at = 2 * word - bytes.byteOffset;
      // The earlier place first: the first line that holds one is wanted.
      if ((found & SECOND_PAIR) !== 0 && isAt(stretch, at - 1)) return at - 1;
      if ((found & FIRST_PAIR) !== 0 && isAt(stretch, at)) return at;
    }
    return -1;
  };
  return {
    next(bytes, from, to) {
      const words = new Uint16Array(bytes.buffer, 0, bytes.buffer.byteLength >>> 1);
      const stretch = { bytes, words, from, to };
      const end = (bytes.byteOffset + to) >>> 1;
      let word = (bytes.byteOffset + from) >>> 1;
      // Four pairs to a step: most of the time all four are known to be nothing at once.
      for (; word + 4 <= end; word += 4) {
        const any =
          (pairs[words[word] as number] as number) |
          (pairs[words[word + 1] as number] as number) |
          (pairs[words[word + 2] as number] as number) |
          (pairs[words[word + 3] as number] as number);
        if (any === 0) continue;
        const found = firstIn(stretch, word, word + 4);
        if (found !== -1) return found;
      }
      const last = firstIn(stretch, word, end);
      return last === -1 ? to : last;
    },
  };
}

interface Stretch {
  readonly bytes: Uint8Array;
  /** The memory in which the bytes lie, two by two: it may begin before them and end after them. */
  readonly words: Uint16Array;
  readonly from: number;
  readonly to: number;
}

/** Two bytes as this machine reads them at once. */
const asPair = (first: number, second: number): number => new Uint16Array(Uint8Array.of(first, second).buffer)[0] as number;

const hashed = (key: number): number => Math.imul(key, 0x9e37_79b1) >>> 16;

function isWhole({ bytes, from, to }: Stretch, at: number, needle: Uint8Array): boolean {
  if (at < from || at + needle.length > to) return false;
  for (let n = 0; n < needle.length; n += 1) if (bytes[at + n] !== needle[n]) return false;
  return true;
}

/** What agents print most, commonest first: their words, code, numbers and JSON. */
const COMMON = '"e taoinsrhldcu0123456789\\mfpgwybvk,.:/_-\'=(){}[]TSAICEPRMDNOLFBHGUWxjqzVKYXJQZ';

const rarity = (byte: number): number => {
  const place = COMMON.indexOf(String.fromCharCode(byte));
  return place === -1 ? COMMON.length : place;
};

function rarest(bytes: Uint8Array): number {
  if (bytes.length < 3) throw new Error('a needle has at least three bytes');
  let [best, most] = [0, -1];
  for (let at = 0; at + 2 < bytes.length; at += 1) {
    const sum = [0, 1, 2].reduce((rare, n) => rare + rarity(bytes[at + n] as number), 0);
    if (sum > most) [best, most] = [at, sum];
  }
  return best;
}
