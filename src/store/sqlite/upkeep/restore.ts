import { rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Fault } from '../../../domain/fault.ts';
import type { Clock } from '../../../platform/clock.ts';
import { systemClock } from '../../../platform/clock.ts';
import { exists, syncDirectory } from '../../../platform/files.ts';
import { connect, patient } from '../connect.ts';
import type { Database } from '../database.ts';
import { openDatabase } from '../database.ts';
import { readHighWater } from '../high-water.ts';
import { isDamage } from '../sqlite-error.ts';
import { inTransaction } from '../transaction.ts';
import { type Amendment, amend, rowsOf } from './amend.ts';
import { backup } from './backup.ts';
import type { BlobSource } from './blob-source.ts';
import { check } from './check.ts';
import { snapshot, syncFile } from './snapshot.ts';

const LOCK_WAIT_MS = 30_000;

export interface RestoreReport {
  readonly rows: number;
  readonly blobs: number;
  /** Where the database that was there before is now, if there was one. */
  readonly before: string | undefined;
}

export interface RestoreOptions {
  readonly clock?: Pick<Clock, 'now'>;
  /** What does not become again what it was; it holds from the very moment in which the backup does. */
  readonly amendment?: Amendment;
}

const NOTHING: Amendment = { kinds: [], writes: () => [] };

/**
 * Makes the database what it was when `source` was made.
 *
 * Nothing is touched until the source has proved good and its blobs are back. A database that works is first copied to
 * `backups/`, then changed in one transaction that running programs simply see; one that does not work is moved aside.
 */
export async function restore(
  file: string,
  source: string,
  blobs: BlobSource,
  { clock = systemClock, amendment = NOTHING }: RestoreOptions = {},
): Promise<RestoreReport> {
  await assertGood(source);
  await using copy = await snapshot(source, file);
  const counts = await bringBack(copy.path, blobs);
  const name = new Date(clock.now()).toISOString().replaceAll(/[-:.]/g, '');
  const aside = `${file}.corrupt-${name}`;
  if (!(await exists(file))) {
    await putInPlace({ path: copy.path, file, clock, aside, amendment });
    return { ...counts, before: undefined };
  }
  if (await works(file)) {
    const before = join(dirname(file), 'backups', `before-restore-${name}.db`);
    await backup(file, before, blobs);
    replaceRows(file, copy.path, amendment);
    return { ...counts, before };
  }
  await putInPlace({ path: copy.path, file, clock, aside, amendment });
  return { ...counts, before: aside };
}

async function assertGood(source: string): Promise<void> {
  const [finding] = await check(source);
  if (finding !== undefined) throw new Fault('invalid', `${source} cannot be restored: ${finding}`, { source });
}

/** A newer schema or a held lock is no damage: such a refusal is passed on. */
async function works(file: string): Promise<boolean> {
  try {
    connect({ file, lockWaitMs: LOCK_WAIT_MS }).close();
  } catch (error) {
    if (isDamage(error)) return false;
    throw error;
  }
  return (await check(file)).length === 0;
}

/** Brings the copy to today's schema and its blobs back to their shelf. */
async function bringBack(path: string, blobs: BlobSource): Promise<{ rows: number; blobs: number }> {
  const db = connect({ file: path, lockWaitMs: 0 });
  try {
    const names = has(db, 'blobs')
      ? db
          .prepare('SELECT name FROM blobs')
          .all()
          .map((row) => String(row['name']))
      : [];
    for (const name of names) {
      const text = String(db.prepare('SELECT text FROM blobs WHERE name = ?').all(name)[0]?.['text']);
      const put = await blobs.putBlob(text);
      if (put !== name) throw new Fault('invalid', `blob ${name} of the backup is damaged: its text hashes to ${put}`, { name });
    }
    db.exec('DROP TABLE IF EXISTS blobs; PRAGMA journal_mode = DELETE');
    return { rows: Number(db.prepare('SELECT count(*) AS n FROM rows').all()[0]?.['n']), blobs: names.length };
  } finally {
    db.close();
  }
}

const has = (db: Database, table: string): boolean =>
  db.prepare('SELECT 1 FROM sqlite_master WHERE name = ?').all(table).length > 0;

/** The counter passes both: no commit after this gets a version that any commit before it had. */
function replaceRows(file: string, path: string, amendment: Amendment): void {
  const db = connect({ file, lockWaitMs: LOCK_WAIT_MS });
  try {
    db.prepare('ATTACH ? AS source').run(path);
    const replace = () => {
      const before = rowsOf(db, amendment.kinds);
      db.exec(`
        DELETE FROM main.entries;
        DELETE FROM main.rows;
        INSERT INTO main.rows SELECT * FROM source.rows;
        INSERT INTO main.entries SELECT * FROM source.entries;
        UPDATE main.meta SET counter = 1 + max(counter, (SELECT counter FROM source.meta));`);
      amend(db, amendment, before);
    };
    db.exec('PRAGMA synchronous = FULL');
    patient(() => inTransaction(db, replace), file, LOCK_WAIT_MS);
    db.exec('DETACH source');
  } finally {
    db.close();
  }
}

interface Placement {
  readonly path: string;
  readonly file: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly aside: string;
  readonly amendment: Amendment;
}

/**
 * How far the lost database had counted is not known, so the counter jumps to the microsecond of the wall clock: no
 * database ever made a transaction per microsecond since 1970.
 *
 * The log goes first, also one whose database is gone: SQLite would throw it away, or take it for the new one's.
 */
async function putInPlace({ path, file, clock, aside, amendment }: Placement): Promise<void> {
  const db = openDatabase(path);
  const confirmed = readHighWater(file)?.counter ?? 0;
  db.exec(`UPDATE meta SET counter = max(counter, ${clock.now() * 1000}, ${confirmed + 1})`);
  amend(db, amendment, undefined);
  db.close();
  await syncFile(path);
  for (const suffix of ['-wal', '-shm', '']) {
    if (await exists(`${file}${suffix}`)) await rename(`${file}${suffix}`, `${aside}${suffix}`);
  }
  await rename(path, file);
  await syncDirectory(dirname(file));
}
