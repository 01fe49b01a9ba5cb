import type { FaultCode } from '../../domain/fault.ts';
import { Fault, isFault } from '../../domain/fault.ts';
import type { CheckedWrite } from '../assert-writes.ts';
import type { IndexEntry, Key, Query, Version } from '../port.ts';
import type { Library } from './database.ts';
import type { OwnCommits } from './revision.ts';

/**
 * What crosses the thread boundary. Bodies cross as JSON text and are parsed on the caller's side; writes cross as one list of
 * texts, because copying an object between threads costs many times what a text does.
 */
export type WorkerRequest =
  | { readonly op: 'get'; readonly id: number; readonly key: Key; readonly known?: Version }
  | { readonly op: 'scan'; readonly id: number; readonly query: Query }
  | { readonly op: 'count'; readonly id: number; readonly query: Query }
  | { readonly op: 'commit'; readonly id: number; readonly writes: readonly string[]; readonly flush: boolean }
  | { readonly op: 'watch'; readonly on: boolean }
  | { readonly op: 'close'; readonly id: number };

export type Read = Extract<WorkerRequest, { op: 'get' | 'scan' | 'count' }>;
export type WorkerCommit = Extract<WorkerRequest, { op: 'commit' }>;

/** Answers a `get` whose row is still at the version the caller knows. */
export const SAME = 'same';

export interface PackedWrite {
  readonly op: CheckedWrite['op'];
  readonly kind: string;
  readonly id: string;
  readonly expect: string;
  /** Empty unless it is a put. */
  readonly body: string;
  readonly entries: string;
}

const TEXTS_PER_WRITE = 6;

export function packWrites(writes: readonly CheckedWrite[]): readonly string[] {
  const packed: string[] = [];
  for (const write of writes) {
    const { op, key, expect } = write;
    if (op === 'put') packed.push(op, key.kind, key.id, expect, write.body, packEntries(write.entries));
    else packed.push(op, key.kind, key.id, expect, '', '');
  }
  return packed;
}

export function unpackWrites(packed: readonly string[]): readonly PackedWrite[] {
  const writes: PackedWrite[] = [];
  for (let at = 0; at < packed.length; at += TEXTS_PER_WRITE) {
    const [op, kind = '', id = '', expect = '', body = '', entries = ''] = packed.slice(at, at + TEXTS_PER_WRITE);
    writes.push({ op: op as PackedWrite['op'], kind, id, expect, body, entries });
  }
  return writes;
}

/** As JSON, one flat list: index, sort, index, sort. */
function packEntries(entries: readonly IndexEntry[]): string {
  const flat: string[] = [];
  for (const { index, sort } of entries) flat.push(index, sort);
  return JSON.stringify(flat);
}

export interface RawRow {
  readonly kind: string;
  readonly id: string;
  readonly version: string;
  readonly body: string;
  readonly sort?: string;
}

export type WorkerAnswer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly refused: WorkerRefusal };

/** All answers of one turn of the worker. `look`: another process or thread changed the database. */
export type WorkerReply =
  | { readonly opened: true }
  | { readonly answers: readonly WorkerAnswer[] }
  | { readonly look: true }
  | { readonly finding: string | undefined };

/** The worker's end of the wire. */
export interface WorkerPort {
  /** The next message that has arrived; `undefined` when none has. */
  next(): readonly WorkerRequest[] | undefined;
  reply(reply: WorkerReply): void;
  hangUp(): void;
}

export interface WorkerInput {
  readonly file: string;
  readonly library: Library | undefined;
  readonly lockWaitMs: number;
  /** Where the thread counts the transactions it commits. */
  readonly commits?: OwnCommits;
  /** Only looks through its pages, says what it found, and ends. */
  readonly quickCheck?: true;
}

/** A Fault keeps its code over the wire; anything else is a bug and keeps its stack. */
export interface WorkerRefusal {
  readonly code: FaultCode | undefined;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly stack: string;
}

export function refusal(error: unknown): WorkerRefusal {
  const { message, stack = '' } = error instanceof Error ? error : new Error(String(error));
  if (isFault(error)) return { code: error.code, message, details: error.details, stack };
  return { code: undefined, message, details: {}, stack };
}

export function asError({ code, message, details, stack }: WorkerRefusal): Error {
  if (code !== undefined) return new Fault(code, message, details);
  const error = new Error(message);
  error.stack = stack;
  return error;
}
