import { Fault } from '../domain/fault.ts';
import { LIMITS } from '../domain/limits.ts';
import type { IndexEntry, Key, Query, StoreLimits, Write } from './port.ts';

/** What the house grants; a driver whose backend grants less says so in its own `limits`. */
export const STORE_LIMITS: StoreLimits = {
  writesPerCommit: LIMITS.writesPerCommit.value,
  bytesPerRow: LIMITS.bytesPerRow.value,
  entriesPerRow: LIMITS.entriesPerRow.value,
  rowsPerScan: LIMITS.rowsPerScan.value,
  rowsPerCount: LIMITS.rowsPerCount.value,
};

type Put = Extract<Write, { op: 'put' }>;
/** A write that obeys the limits, its body already JSON text: nothing the caller changes later reaches a driver. */
export type CheckedWrite = Exclude<Write, Put> | (Omit<Put, 'body'> & { readonly body: string });

/** Stands above every driver, so that all of them refuse the same things with the same words. */
export function assertWrites(writes: readonly Write[], limits: StoreLimits): readonly CheckedWrite[] {
  if (writes.length === 0) throw new Fault('invalid', 'a commit holds 0 writes, expected at least 1');
  atMost(limits.writesPerCommit, writes.length, 'a commit', 'writes');
  const seen = new Set<string>();
  return writes.map((write) => {
    assertKey(write.key);
    const name = keyName(write.key);
    if (seen.has(name)) throw new Fault('limit', `a commit writes ${shown(write.key)} twice, expected one write per key`);
    seen.add(name);
    assertText(write.expect, `the belief about ${shown(write.key)}`);
    return write.op === 'put' ? checkedPut(write, limits) : { op: write.op, key: write.key, expect: write.expect };
  });
}

export function assertKey({ kind, id }: Key): void {
  assertText(kind, 'the kind of a key');
  assertText(id, 'the id of a key');
}

export function assertQuery(query: Query, { rowsPerScan }: StoreLimits): void {
  assertRange(query, 'scan');
  atMost(rowsPerScan, query.limit, 'a scan', 'rows');
}

export function assertCount(query: Query, { rowsPerCount }: StoreLimits): void {
  assertRange(query, 'count');
  atMost(rowsPerCount, query.limit, 'a count', 'rows');
}

function assertRange({ index, from, to, limit }: Query, what: string): void {
  if (!PRINTABLE.test(index)) throw new Fault('invalid', `index ${quoted(index)} is not printable ascii`);
  for (const bound of [from, to]) {
    if (bound !== undefined && !BOUND.test(bound)) throw new Fault('invalid', `bound ${quoted(bound)} of ${index} is not ascii`);
  }
  if (!Number.isInteger(limit) || limit < 1) throw new Fault('invalid', `${what} limit is ${limit}, expected 1 or more`);
}

/** One string per key; a NUL can be in neither half. */
export const keyName = ({ kind, id }: Key): string => `${kind}\0${id}`;

export const conflict = (key: Key, actual: string, expect: string): Fault =>
  new Fault('conflict', `${shown(key)} is at ${actual}, expected ${expect}`, { key });

export const closed = (): Fault => new Fault('unavailable', 'the store is closed');

const PRINTABLE = /^[\x20-\x7e]+$/;
/** 0x7f sorts after every printable string: the natural end of a prefix. */
const BOUND = /^[\x20-\x7f]*$/;
const MISSHAPEN = /[\p{Surrogate}\0]/u;

function checkedPut({ key, expect, body, entries }: Put, limits: StoreLimits): CheckedWrite {
  const text = json(key, body);
  atMost(limits.bytesPerRow, Buffer.byteLength(text), shown(key), 'bytes');
  atMost(limits.entriesPerRow, entries.length, shown(key), 'entries');
  const places = new Set<string>();
  for (const { index, sort } of entries) {
    if (!PRINTABLE.test(index)) throw new Fault('invalid', `${shown(key)} has index ${quoted(index)}, expected printable ascii`);
    if (!PRINTABLE.test(sort)) throw new Fault('invalid', `${shown(key)} has sort ${quoted(sort)}, expected printable ascii`);
    places.add(`${index}\0${sort}`);
  }
  if (places.size < entries.length) throw new Fault('invalid', `${shown(key)} stands twice in one place of an index`);
  return { op: 'put', key, expect, body: text, entries: entries.map(copy) };
}

const copy = ({ index, sort }: IndexEntry): IndexEntry => ({ index, sort });

function json(key: Key, body: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(body);
  } catch (cause) {
    throw new Fault('invalid', `the body of ${shown(key)} cannot be written as json`, { key }, { cause });
  }
  if (text === undefined) throw new Fault('invalid', `the body of ${shown(key)} is ${typeof body}, expected json`, { key });
  return text;
}

function assertText(text: string, what: string): void {
  if (typeof text !== 'string' || text === '') throw new Fault('invalid', `${what} is ${quoted(text)}, expected some text`);
  if (MISSHAPEN.test(text)) throw new Fault('invalid', `${what} is ${quoted(text)}: a lone surrogate or a NUL`);
}

function atMost(max: number, actual: number, what: string, unit: string): void {
  if (actual > max) throw new Fault('limit', `${what} holds ${actual} ${unit}, at most ${max} are allowed`, { max, actual });
}

const shown = ({ kind, id }: Key): string => `${kind}/${id}`;
const quoted = (value: unknown): string => JSON.stringify(String(value).slice(0, 100));
