import { statSync } from 'node:fs';
import { rowSum, unpackEntries } from '../commit.ts';
import { openReadOnly } from '../connect.ts';
import type { Database } from '../database.ts';
import { type HighWater, lossOf, readHighWater } from '../high-water.ts';
import { counterOf, standingInside } from '../migrate.ts';
import { asFault, isUndecided } from '../sqlite-error.ts';

const MOST_FINDINGS = 100;
const PAGE = 500;

/** Everything that is wrong with a database, in words; nothing when it is well. Writes nothing. */
export async function check(file: string): Promise<readonly string[]> {
  // Read first: what it speaks of was in the database before it was noted.
  const high = readHighWater(file);
  if (statSync(file, { throwIfNoEntry: false }) === undefined)
    return [lossOf(file, high, undefined)?.message ?? `${file} does not exist`];
  const findings: string[] = [];
  try {
    const db = openReadOnly(file);
    try {
      for (const finding of findAll(db, file, high)) {
        findings.push(finding);
        if (findings.length === MOST_FINDINGS) break;
      }
    } finally {
      db.close();
    }
  } catch (error) {
    if (isUndecided(error)) throw asFault(error, file);
    findings.push(error instanceof Error ? error.message : String(error));
  }
  return findings;
}

/** One read transaction, or writers at work would look like damage. */
function* findAll(db: Database, file: string, high: HighWater | undefined): Generator<string> {
  db.exec('BEGIN');
  if (standingInside(db, file) === 'fresh') {
    yield lossOf(file, high, undefined)?.message ?? 'the database is empty';
    return;
  }
  const loss = lossOf(file, high, counterOf(db));
  if (loss !== undefined) yield loss.message;
  const verdicts = db
    .prepare(`PRAGMA integrity_check(${MOST_FINDINGS})`)
    .all()
    .map((row) => String(row['integrity_check']));
  yield* verdicts.filter((verdict) => verdict !== 'ok');
  yield* findInRows(db);
}

type StoredRow = Record<'kind' | 'id' | 'version' | 'body' | 'entries', string> & { readonly rid: number; readonly sum: number };

function* findInRows(db: Database): Generator<string> {
  const page = db.prepare(`SELECT * FROM rows WHERE rid > ? ORDER BY rid LIMIT ${PAGE}`);
  const isEntered = db.prepare('SELECT 1 FROM entries WHERE name = ? AND sort = ? AND rid = ?');
  let expected = 0;
  for (let rows = page.all(-1) as StoredRow[]; rows.length > 0; rows = page.all(rows.at(-1)?.rid ?? 0) as StoredRow[]) {
    for (const row of rows) {
      const name = `row ${row.rid} (${row.kind}/${row.id})`;
      if (rowSum(row) !== row.sum) yield `${name} does not match its checksum`;
      if (parsed(row.body) === undefined) yield `the body of ${name} is not json`;
      const entries = parsed(row.entries) === undefined ? [] : unpackEntries(row.entries);
      expected += entries.length;
      const lost = entries.filter(({ index, sort }) => isEntered.get(index, sort, row.rid) === undefined);
      for (const { index, sort } of lost) yield `${name} is missing from index ${index} at ${sort}`;
    }
  }
  const actual = Number(db.prepare('SELECT count(*) AS n FROM entries').all()[0]?.['n']);
  if (actual !== expected) yield `the indexes hold ${actual} entries, the rows speak of ${expected}`;
}

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
