import type { Database } from './database.ts';
import { isSqlite } from './sqlite-error.ts';

export function inTransaction<T>(db: Database, work: () => T): T {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    rollback(db);
    throw error;
  }
}

/** SQLite has often rolled back by itself when it reports a full disk or a failed write. */
export function rollback(db: Database): void {
  try {
    db.exec('ROLLBACK');
  } catch (error) {
    if (!isSqlite(error)) throw error;
  }
}
