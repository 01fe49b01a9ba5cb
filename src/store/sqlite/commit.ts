import { crc32 } from 'node:zlib';
import type { CheckedWrite } from '../assert-writes.ts';
import { conflict } from '../assert-writes.ts';
import type { IndexEntry, Key, Version } from '../port.ts';
import type { Database } from './database.ts';

type Put = Extract<CheckedWrite, { op: 'put' }>;
type Stored = { readonly rid: number; readonly version: Version; readonly entries: string };

/** Applies one commit inside the open transaction of its batch. A false belief throws before anything is written. */
export type Apply = (writes: readonly CheckedWrite[], version: Version) => void;

export function prepareApply(db: Database): Apply {
  const find = db.prepare('SELECT rid, version, entries FROM rows WHERE kind = ? AND id = ?');
  const insert = db.prepare('INSERT INTO rows (kind, id, version, body, entries, sum) VALUES (?, ?, ?, ?, ?, ?)');
  const update = db.prepare('UPDATE rows SET version = ?, body = ?, entries = ?, sum = ? WHERE rid = ?');
  const remove = db.prepare('DELETE FROM rows WHERE rid = ?');
  const enter = db.prepare('INSERT INTO entries (name, sort, rid) VALUES (?, ?, ?)');
  const leave = db.prepare('DELETE FROM entries WHERE name = ? AND sort = ? AND rid = ?');

  const stored = ({ kind, id }: Key) => find.get(kind, id) as Stored | undefined;

  function move(rid: number, before: readonly IndexEntry[], after: readonly IndexEntry[]): void {
    for (const { index, sort } of missingFrom(after, before)) leave.run(index, sort, rid);
    for (const { index, sort } of missingFrom(before, after)) enter.run(index, sort, rid);
  }

  function put({ key, body, entries }: Put, version: Version, old: Stored | undefined): void {
    const packed = packEntries(entries);
    const sum = rowSum({ ...key, version, body, entries: packed });
    if (old === undefined) {
      move(insert.run(key.kind, key.id, version, body, packed, sum), [], entries);
    } else {
      update.run(version, body, packed, sum, old.rid);
      if (packed !== old.entries) move(old.rid, unpackEntries(old.entries), entries);
    }
  }

  return (writes, version) => {
    const old = writes.map(({ key, expect }) => {
      const row = stored(key);
      const actual = row?.version ?? 'absent';
      if (actual !== expect) throw conflict(key, actual, expect);
      return row;
    });
    for (const [at, write] of writes.entries()) {
      const row = old[at];
      if (write.op === 'put') put(write, version, row);
      if (write.op === 'delete' && row !== undefined) {
        move(row.rid, unpackEntries(row.entries), []);
        remove.run(row.rid);
      }
    }
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

/** As JSON, one flat list: index, sort, index, sort. */
const packEntries = (entries: readonly IndexEntry[]): string =>
  JSON.stringify(entries.flatMap(({ index, sort }) => [index, sort]));

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
