import { statSync } from 'node:fs';
import { systemClock } from '../../platform/clock.ts';
import type { Database, Library } from './database.ts';
import { openDatabase } from './database.ts';
import { type HighWater, lossOf, readHighWater } from './high-water.ts';
import { counterOf, migrate, standing } from './migrate.ts';
import { prepareFile } from './prepare-file.ts';
import { asOpeningFault, isSqlite, lockHeld } from './sqlite-error.ts';
import { inTransaction } from './transaction.ts';

const MB = 1024 * 1024;
export const WAL_BYTES = 16 * MB;
/** How long one statement waits for a lock; what may take longer is tried again. */
const BUSY_MS = 1_000;

const SETTINGS = `
  PRAGMA synchronous = NORMAL;
  PRAGMA journal_size_limit = ${WAL_BYTES};
  PRAGMA wal_autocheckpoint = 1000;
  PRAGMA cell_size_check = ON;
  PRAGMA trusted_schema = OFF;
  PRAGMA temp_store = MEMORY;
  PRAGMA fullfsync = ON;
  PRAGMA checkpoint_fullfsync = ON;`;

export interface ConnectOptions {
  readonly file: string;
  readonly library?: Library | undefined;
  readonly lockWaitMs: number;
  /** Opens it also when it is known to have lost what was accepted. */
  readonly acceptLoss?: boolean;
}

/** An open database of this program's schema. A refusal has written nothing to a file that was there before. */
export function connect({ file, library, lockWaitMs, acceptLoss = false }: ConnectOptions): Database {
  // Read first: what it speaks of was in the database before it was noted.
  const high = acceptLoss ? undefined : readHighWater(file);
  if (high !== undefined && (statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) refuseLoss(file, high, undefined);
  prepareFile(file);
  const patiently = <T>(work: () => T) => patient(work, file, lockWaitMs);
  try {
    patiently(() => inspect(file, library, high));
    const db = patiently(() => openDatabase(file, { library }));
    try {
      patiently(() => db.exec(SETTINGS));
      patiently(() => db.exec('PRAGMA journal_mode = WAL'));
      patiently(() => bringUpToDate(db, file));
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  } catch (error) {
    throw asOpeningFault(error, file);
  }
}

/** Through a connection that cannot write: a foreign, newer or damaged file is left as it was found. */
function inspect(file: string, library: Library | undefined, high: HighWater | undefined): void {
  if (statSync(file).size === 0) return;
  const db = openReadOnly(file, library);
  try {
    refuseLoss(file, high, standing(db, file) === 'fresh' ? undefined : counterOf(db));
  } finally {
    db.close();
  }
}

function refuseLoss(file: string, high: HighWater | undefined, counter: number | undefined): void {
  const loss = lossOf(file, high, counter);
  if (loss !== undefined) throw loss;
}

/** For looking only; waits as long as any other for a lock. */
export function openReadOnly(file: string, library?: Library): Database {
  const db = openDatabase(file, { library, readOnly: true });
  db.exec(`PRAGMA busy_timeout = ${BUSY_MS}; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON`);
  return db;
}

function bringUpToDate(db: Database, file: string): void {
  if (standing(db, file) === 'current') return;
  inTransaction(db, () => migrate(db, file));
}

/** Tries again, sleeping this thread, while another process holds a lock. */
export function patient<T>(work: () => T, file: string, lockWaitMs: number): T {
  const since = systemClock.elapsed();
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 50)) {
    try {
      return work();
    } catch (error) {
      const waitedMs = systemClock.elapsed() - since;
      if (!isSqlite(error, 'busy')) throw error;
      if (waitedMs > lockWaitMs) throw lockHeld(file, waitedMs);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    }
  }
}
