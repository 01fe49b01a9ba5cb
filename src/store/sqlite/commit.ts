import { crc32 } from 'node:zlib';
import { conflict } from '../assert-writes.ts';
import type { IndexEntry, Key, Version } from '../port.ts';
import type { Database } from './database.ts';
import { type PackedWrite, unpackWrites } from './wire.ts';

type Stored = { readonly rid: number; readonly version: Version; readonly entries: string };

/** A write whose belief was found true, with everything that is needed to carry it out. */
interface Step {
  readonly write: PackedWrite;
  readonly row: Stored | undefined;
  readonly before: readonly IndexEntry[];
  readonly after: readonly IndexEntry[];
}

/**
 * Looks at one commit inside the open transaction of its batch, and answers how to carry it out. Whatever is wrong with this
 * commit alone is thrown while nothing of it is written: no savepoint is needed to take a part of it back.
 */
export type CommitCheck = (packed: readonly string[], version: Version) => () => void;

export function prepareCommitCheck(db: Database): CommitCheck {
  const find = db.prepare('SELECT rid, version, entries FROM rows WHERE kind = ? AND id = ?');
  const insert = db.prepare('INSERT INTO rows (kind, id, version, body, entries, sum) VALUES (?, ?, ?, ?, ?, ?)');
  const update = db.prepare('UPDATE rows SET version = ?, body = ?, entries = ?, sum = ? WHERE rid = ?');
  const remove = db.prepare('DELETE FROM rows WHERE rid = ?');
  const enter = db.prepare('INSERT INTO entries (name, sort, rid) VALUES (?, ?, ?)');
  const leave = db.prepare('DELETE FROM entries WHERE name = ? AND sort = ? AND rid = ?');

  function move(rid: number, { before, after }: Step): void {
    for (const { index, sort } of missingFrom(after, before)) leave.run(index, sort, rid);
    for (const { index, sort } of missingFrom(before, after)) enter.run(index, sort, rid);
  }

  function look(write: PackedWrite): Step {
    const { kind, id, expect, entries } = write;
    const row = find.get(kind, id) as Stored | undefined;
    const actual = row?.version ?? 'absent';
    if (actual !== expect) throw conflict({ kind, id } satisfies Key, actual, expect);
    const stays = write.op === 'check' || entries === row?.entries;
    return {
      write,
      row,
      before: stays || row === undefined ? [] : unpackEntries(row.entries),
      after: stays || write.op === 'delete' ? [] : unpackEntries(entries),
    };
  }

  function carryOut(step: Step, version: Version): void {
    const { write, row } = step;
    const { op, kind, id, body, entries } = write;
    if (op === 'check') return;
    if (op === 'delete') {
      if (row === undefined) return;
      move(row.rid, step);
      remove.run(row.rid);
      return;
    }
    const sum = rowSum({ kind, id, version, body, entries });
    if (row === undefined) move(insert.run(kind, id, version, body, entries, sum), step);
    else {
      update.run(version, body, entries, sum, row.rid);
      move(row.rid, step);
    }
  }

  return (packed, version) => {
    const steps = unpackWrites(packed).map(look);
    return () => {
      for (const step of steps) carryOut(step, version);
    };
  };
}

interface SummedRow {
  readonly kind: string;
  readonly id: string;
  readonly version: string;
  readonly body: string;
  readonly entries: string;
}

/** Lets `fleet db check` find a changed letter that SQLite itself cannot notice. */
export const rowSum = ({ kind, id, version, body, entries }: SummedRow): number =>
  crc32([kind, id, version, body, entries].join('\0'));

/** The opposite of `packEntries`. */
export function unpackEntries(packed: string): IndexEntry[] {
  const flat = JSON.parse(packed) as readonly string[];
  return Array.from({ length: flat.length / 2 }, (_, at) => ({ index: flat[2 * at] ?? '', sort: flat[2 * at + 1] ?? '' }));
}

function missingFrom(known: readonly IndexEntry[], entries: readonly IndexEntry[]): readonly IndexEntry[] {
  if (known.length === 0) return entries;
  const places = new Set(known.map(placeName));
  return entries.filter((entry) => !places.has(placeName(entry)));
}

const placeName = ({ index, sort }: IndexEntry): string => `${index}\0${sort}`;
