import { closeSync, fstatSync, read, readSync } from 'node:fs';
import { promisify } from 'node:util';
import { belowPlace } from '../platform/agent-path.ts';
import { lookSync, openSafelySync } from '../platform/read-safely-sync.ts';
import { blockAfter, blockOpenAfter, inBlock, LONGEST_BLOCK, type OpenBlock } from '../redact/block.ts';
import type { Redactor } from '../redact/redactor.ts';

/** How far a spool has been read. Plain data: kept with what was made of the lines, it continues exactly there. */
export interface SpoolPosition {
  readonly offset: number;
  /** Inside a line that was too long: what comes until its end is dropped. */
  readonly skipping: boolean;
}

export const START: SpoolPosition = { offset: 0, skipping: false };

export interface SpoolLine {
  /** Without its newline. Bytes that are not UTF-8 become U+FFFD; NUL stays. */
  readonly text: string;
  /** Where it begins, in bytes from the start of the spool. */
  readonly at: number;
  /** Only its beginning: the rest was dropped. */
  readonly cut: boolean;
}

export interface SpoolSlice {
  readonly lines: readonly SpoolLine[];
  /** After the last line that is complete, or inside one that is too long. */
  readonly cursor: SpoolPosition;
  /** Bytes of long lines that were passed over. */
  readonly dropped: number;
  /** There may be more to read now. */
  readonly more: boolean;
  /** The spool is missing, or shorter than it was: somebody took what was not read yet. */
  readonly lost: boolean;
  /** What is open at the cursor, if secrets were looked for. */
  readonly open?: OpenSpool;
}

export interface TailOptions {
  readonly sliceBytes?: number;
  readonly maxLineBytes?: number;
  /** The agent has ended: what is left without a newline is a line too. */
  readonly isFinal?: boolean;
  /** Takes the secrets out of every line. */
  readonly redact?: Redactor;
  /** What the slice before said to come after it; found out again when it is left out. */
  readonly open?: OpenSpool | undefined;
}

/** A secret that goes on over lines, where there is one. */
export interface OpenSpool {
  readonly block?: OpenBlock | undefined;
}

const NOTHING = { lines: [], dropped: 0, more: false };
const NEWLINE = 10;
const SLICE_BYTES = 256 * 1_024;
const MAX_LINE_BYTES = 128 * 1_024;
/** A slice of empty lines would otherwise be a hundred times its size in memory. */
const LINES_PER_SLICE = 8_192;
/** Lines that need no closer look are made from bytes together: making each by itself takes twice as long. */
const GROUP_BYTES = 16 * 1_024;

/**
 * Reads on from a cursor, at most one slice; opens and closes the file each time.
 *
 * A slice is longer than the longest line, so that each one completes a line, cuts one, or passes over part of one that
 * was cut: no content can hold it up, and none needs more memory than the slice.
 */
export async function readSlice(path: string, from: SpoolPosition, options: TailOptions = {}): Promise<SpoolSlice> {
  // Most looks find nothing new, and there are many of them: hundreds of silent agents, every second.
  const size = lookSync(belowPlace(path))?.size;
  if (size === undefined || size <= from.offset)
    return { ...NOTHING, cursor: from, lost: size === undefined || size < from.offset };
  const maxLineBytes = options.maxLineBytes ?? MAX_LINE_BYTES;
  const { redact = AS_IT_IS } = options;
  const sliceBytes = Math.max(options.sliceBytes ?? SLICE_BYTES, maxLineBytes + redact.reach + 1);
  const slice = await readAt(path, { from: from.offset, most: sliceBytes }, (bytes, length, before) => {
    const isEnd = options.isFinal === true && from.offset + bytes.length >= length;
    const openAt = (offset: number): OpenSpool =>
      redact === AS_IT_IS || offset === 0 ? {} : { block: blockOpenAfter(before(offset)) };
    const split = splitLines(bytes, from, { maxLineBytes, isEnd, redact, openAt, open: options.open ?? openAt(from.offset) });
    return { ...split, more: split.cursor.offset < length && split.cursor.offset > from.offset, lost: false };
  });
  return slice ?? { ...NOTHING, cursor: from, lost: true };
}

const AS_IT_IS: Redactor = Object.assign((text: string) => text, {
  reach: 0,
  suspect: (_bytes: Uint8Array, _from: number, to: number) => to,
  known: (text: string) => text,
  knowsAny: false,
});

function splitLines(
  bytes: Buffer,
  from: SpoolPosition,
  { maxLineBytes, isEnd, redact, openAt, open }: Splitting,
): Pick<SpoolSlice, 'lines' | 'cursor' | 'dropped' | 'open'> {
  const lines: SpoolLine[] = [];
  let { block } = open;
  let { skipping } = from;
  let dropped = 0;
  let start = 0;
  let suspect = -1;
  while (start < bytes.length && lines.length < LINES_PER_SLICE) {
    if (suspect < start) suspect = redact.suspect(bytes, start, bytes.length);
    const group = Math.min(suspect - start, maxLineBytes, GROUP_BYTES, LINES_PER_SLICE - lines.length);
    const together = skipping || block || group === 0 ? start : bytes.lastIndexOf(NEWLINE, start + group - 1) + 1;
    if (together > start) {
      pushGroup(lines, bytes.subarray(start, together), from.offset + start);
      start = together;
      continue;
    }
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline === -1 ? bytes.length : newline;
    const isWhole = newline !== -1 || isEnd;
    const isLong = !skipping && end - start > maxLineBytes;
    // Where it is cut there may be a secret, of which too little is there yet.
    if (!isWhole && !skipping && end - start <= maxLineBytes + redact.reach) break;
    const kept = skipping ? 0 : isLong ? wholeCharacters(bytes, start, maxLineBytes) : end - start;
    if (!skipping) {
      const seen = Math.min(end, start + kept + (isLong ? redact.reach : 0));
      const text = bytes.toString('utf8', start, start + kept);
      const whole = isLong ? bytes.toString('utf8', start, seen) : text;
      const inside = block && inBlock(block, text);
      const isSuspect = suspect < seen || inside !== undefined;
      const around = { hidden: inside?.hidden ?? [], length: text.length };
      lines.push({ text: isSuspect ? redact(whole, around) : text, at: from.offset + start, cut: isLong });
      block = isSuspect && !isLong ? blockAfter(text, inside) : undefined;
    }
    dropped += end - start - kept;
    start = newline === -1 ? end : newline + 1;
    if (isWhole && (skipping || isLong)) block = openAt(from.offset + start).block;
    skipping = !isWhole;
  }
  return {
    lines,
    cursor: { offset: from.offset + start, skipping },
    dropped,
    ...(redact === AS_IT_IS ? {} : { open: { block } }),
  };
}

interface Splitting extends Required<Pick<TailOptions, 'maxLineBytes' | 'redact'>> {
  readonly isEnd: boolean;
  readonly open: OpenSpool;
  openAt(offset: number): OpenSpool;
}

/** Whole lines, none of them too long. A newline is a newline in bytes and in text alike, whatever stands around it. */
function pushGroup(lines: SpoolLine[], bytes: Buffer, offset: number): void {
  const text = bytes.toString('utf8', 0, bytes.length - 1);
  const isOneToOne = text.length === bytes.length - 1;
  let at = 0;
  for (const line of text.split('\n')) {
    lines.push({ text: line, at: offset + at, cut: false });
    at = isOneToOne ? at + line.length + 1 : bytes.indexOf(NEWLINE, at) + 1;
  }
}

/** The longest length up to `most` that does not end inside a character. */
function wholeCharacters(bytes: Buffer, start: number, most: number): number {
  let length = most;
  const isContinuation = (): boolean => ((bytes[start + length] ?? 0) & 0xc0) === 0x80;
  while (length > most - 4 && length > 0 && isContinuation()) length -= 1;
  return length > most - 4 ? length : most;
}

let spare: Buffer | undefined;

/**
 * Hands over bytes that are valid during the call only: a flood would otherwise leave its whole size as garbage. Only the
 * reading goes to another thread: opening and closing take a fiftieth of the time of the trip there and back.
 */
async function readAt<T>(
  path: string,
  { from, most }: { readonly from: number; readonly most: number },
  use: (bytes: Buffer, size: number, before: (offset: number) => string) => T,
): Promise<T | undefined> {
  const file = openSafelySync(belowPlace(path));
  if (file === undefined) return undefined;
  try {
    const { size } = fstatSync(file);
    const length = Math.min(most, Math.max(0, size - from));
    const buffer = spare && spare.length >= length ? spare : Buffer.allocUnsafe(length);
    if (buffer === spare) spare = undefined;
    const bytesRead = length === 0 ? 0 : (await readBytes(file, buffer, 0, length, from)).bytesRead;
    const used = use(buffer.subarray(0, bytesRead), size, (offset) => textBefore(file, offset));
    if (buffer.length >= (spare?.length ?? SLICE_BYTES)) spare = buffer;
    return used;
  } finally {
    closeSync(file);
  }
}

const readBytes = promisify(read);

/** What stands before a place, as far as a secret may reach. Asked for where somebody begins to read, which is seldom. */
function textBefore(file: number, offset: number): string {
  const bytes = Buffer.allocUnsafe(Math.min(offset, LONGEST_BLOCK));
  return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, offset - bytes.length));
}
