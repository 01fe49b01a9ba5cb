import type { CountPage, Query } from '../port.ts';
import type { Database, Statement } from './database.ts';
import { type RawRow, type Read, SAME } from './wire.ts';

export type Serve = (read: Read) => RawRow | typeof SAME | undefined | readonly RawRow[] | CountPage;

export function prepareRead(db: Database): Serve {
  const get = db.prepare('SELECT version, body FROM rows WHERE kind = ? AND id = ?');
  const up = prepareScan(db, 'ASC');
  const down = prepareScan(db, 'DESC');
  const counting = prepareCount(db);

  return (read) => {
    if (read.op === 'count') return count(counting, read.query);
    if (read.op === 'scan') return scan(read.query.reverse ? down : up, read.query);
    const found = get.get(read.key.kind, read.key.id) as RawRow | undefined;
    if (found !== undefined && found.version === read.known) return SAME;
    return found && { ...read.key, version: found.version, body: found.body };
  };
}

/** Sorts after every string an entry may hold: those are printable ASCII. */
const AFTER_ALL = '\x7f';

const scan = (statement: Statement, { index, from = '', to = AFTER_ALL, limit }: Query): readonly RawRow[] =>
  statement.all(index, from, to, limit) as unknown as readonly RawRow[];

function count(statement: Statement, { index, from = '', to = AFTER_ALL, limit }: Query): CountPage {
  const { n, last } = statement.get(index, from, to, limit) as unknown as { n: number; last: string | null };
  return { count: n, ...(last === null ? {} : { last }) };
}

/** The index alone is read. */
const prepareCount = (db: Database): Statement =>
  db.prepare(
    `SELECT count(*) AS n, max(sort) AS last FROM
     (SELECT sort FROM entries WHERE name = ? AND sort >= ? AND sort < ? ORDER BY sort, rid LIMIT ?)`,
  );

const prepareScan = (db: Database, direction: 'ASC' | 'DESC'): Statement =>
  db.prepare(
    `SELECT e.sort AS sort, r.kind AS kind, r.id AS id, r.version AS version, r.body AS body
     FROM entries e CROSS JOIN rows r ON r.rid = e.rid
     WHERE e.name = ? AND e.sort >= ? AND e.sort < ?
     ORDER BY e.sort ${direction}, e.rid ${direction} LIMIT ?`,
  );
