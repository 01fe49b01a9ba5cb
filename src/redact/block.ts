/**
 * A private key over several lines. Its first line says what it is, the others look like nothing in particular: whether
 * one belongs to it can be told only from the lines before. Nothing of it is shown, up to a line that cannot be part of it.
 */
export interface OpenBlock {
  /** What stands around it in its first line, and may in the others: an indent, or the rest of an event. */
  readonly before: string;
  readonly after: string;
  /** Length of it so far. */
  readonly length: number;
  /** Letters of it have been seen; before them there may be headers. */
  readonly hasBegun: boolean;
}

interface Place {
  readonly start: number;
  readonly end: number;
}

/** What a line has of a key that began before it. */
export interface InBlock {
  readonly hidden: readonly Place[];
  /** Absent when the key ends in this line. */
  readonly block?: OpenBlock | undefined;
}

/** No key is longer. Whoever begins to read in the middle looks back so far. */
export const LONGEST_BLOCK = 64 * 1024;

const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
/** Letters of a key, and what may stand between them in a string. */
const LETTERS = /(?:[A-Za-z0-9+/=:,\s-]|\\{1,8}[nrt])*/y;
const LONGEST_AROUND = 400;

/** The letters of `-----BEGIN `: a key in base64. */
export const CODED = 'LS0tLS1CRUdJTi';
const CODED_KEY = /LS0tLS1CRUdJTi[A-Za-z0-9+/_-]{20,}={0,2}/g;
const CODED_NAME = 96;

/** Where keys in base64 stand. Certificates and public keys look alike at first, and are none. */
export const codedKeysIn = (text: string): Place[] =>
  text.includes(CODED)
    ? [...text.matchAll(CODED_KEY)]
        .filter(([found]) => /PRIVATE KEY/.test(Buffer.from(found.slice(0, CODED_NAME), 'base64').toString('latin1')))
        .map(({ index, 0: { length } }) => ({ start: index, end: index + length }))
    : [];

/** What is open after a line: the key that went on in it, or the last that begins in it and does not end there. */
export function blockAfter(line: string, inside: InBlock | undefined): OpenBlock | undefined {
  if (inside?.block) return inside.block;
  const plain = line.includes('PRIVATE KEY') ? [...line.matchAll(BEGIN)].at(-1) : undefined;
  if (plain) {
    const from = plain.index + plain[0].length;
    if ([...line.matchAll(END)].some(({ index }) => index >= from)) return undefined;
    LETTERS.lastIndex = from;
    return opened(line, plain.index, from + (LETTERS.exec(line)?.[0].length ?? 0));
  }
  const coded = codedKeysIn(line).at(-1);
  return coded && !isWhole(line.slice(coded.start, coded.end)) ? opened(line, coded.start, coded.end) : undefined;
}

const isWhole = (coded: string): boolean => coded.endsWith('=') || Buffer.from(coded, 'base64').includes('-----END ');

function opened(line: string, start: number, end: number): OpenBlock {
  const [before, after] = [line.slice(0, start), line.slice(end)];
  const isShort = before.length + after.length <= LONGEST_AROUND;
  return { before: isShort ? before : '', after: isShort ? after : '', length: line.length - start, hasBegun: false };
}

const BLANK = /^(?:\s|\\{1,8}[nrt])*$/;
const BODY = /^(?:\s|\\{1,8}[nrt])*[A-Za-z0-9+/_=-]+(?:\s|\\{1,8}[nrt])*$/;
const HEADER = /^\s*[A-Za-z][A-Za-z0-9-]{0,40}:(?: [^\n]{0,200})?$/;
/** Signs, or a number and signs, around the letters: a quotation, a comment, numbered lines. */
const ADORNED = /^([^A-Za-z0-9+/=]{0,12}(?:\d{1,8}[^A-Za-z0-9+/=]{1,12})?)([A-Za-z0-9+/]+={0,2})[^A-Za-z0-9+/=]{0,12}$/;
const LONG_RUN = /[A-Za-z0-9+/]{60,}={0,2}/g;

/** What the next line is to a key; undefined when it is no part of it, and the key is over. */
export function inBlock(block: OpenBlock, line: string): InBlock | undefined {
  const length = block.length + line.length + 1;
  if (length > LONGEST_BLOCK) return undefined;
  const [end] = line.matchAll(END);
  if (end) {
    const start = isLike(line, block.before) && block.before.length <= end.index ? block.before.length : 0;
    return { hidden: [{ start, end: end.index + end[0].length }] };
  }
  const header = !block.hasBegun && headerIn(block, line);
  if (header) return { hidden: [header], block: { ...block, length } };
  const hidden = hiddenIn(block, line);
  return hidden && { hidden, block: { ...block, length, hasBegun: block.hasBegun || hidden.length > 0 } };
}

/** The line without what stands around all of them. */
function innerOf({ before, after }: OpenBlock, line: string): Place | undefined {
  const [start, end] = [before.length, line.length - after.length];
  return start <= end && isLike(line, before) && isLike(line.slice(end), after) ? { start, end } : undefined;
}

function headerIn(block: OpenBlock, line: string): Place | undefined {
  const inner = innerOf(block, line);
  return inner && HEADER.test(line.slice(inner.start, inner.end)) ? inner : undefined;
}

function hiddenIn(block: OpenBlock, line: string): readonly Place[] | undefined {
  if (BLANK.test(line)) return [];
  const place = innerOf(block, line);
  const inner = place && line.slice(place.start, place.end);
  if (inner !== undefined && BLANK.test(inner)) return [];
  if (inner !== undefined && BODY.test(inner)) return [place as Place];
  const [, signs = '', letters] = ADORNED.exec(line) ?? [];
  if (letters !== undefined) return [{ start: signs.length, end: signs.length + letters.length }];
  const runs = [...line.matchAll(LONG_RUN)].map(({ index, 0: { length } }) => ({ start: index, end: index + length }));
  return runs.length > 0 ? runs : undefined;
}

/** Begins with the same text but for its digits: those of a time, or of a number with spaces before it. */
const isLike = (line: string, text: string): boolean =>
  line.startsWith(text) || numberless(line.slice(0, text.length)) === numberless(text);

const numberless = (text: string): string => text.replaceAll(/[\d ]/g, '0');

/** The key that is open where a text ends, which is after the end of a line. */
export function blockOpenAfter(text: string): OpenBlock | undefined {
  let block: OpenBlock | undefined;
  if (mayHoldKey(text)) for (const [line] of linesOf(text)) block = blockAfter(line, block && inBlock(block, line));
  return block;
}

/** All of the keys in a text but their first lines, which can be told by themselves. */
export function blocksIn(text: string): readonly Place[] {
  const found: Place[] = [];
  let block: OpenBlock | undefined;
  if (!text.includes('\n') || !mayHoldKey(text)) return found;
  for (const [line, at] of linesOf(text)) {
    const inside = block && inBlock(block, line);
    for (const { start, end } of inside?.hidden ?? []) found.push({ start: at + start, end: at + end });
    block = blockAfter(line, inside);
  }
  return found;
}

const mayHoldKey = (text: string): boolean => text.includes('PRIVATE KEY') || text.includes(CODED);

function* linesOf(text: string): Generator<readonly [line: string, at: number]> {
  for (let at = 0; at < text.length; ) {
    const newline = text.indexOf('\n', at);
    const end = newline === -1 ? text.length : newline;
    yield [text.slice(at, end), at];
    at = end + 1;
  }
}
