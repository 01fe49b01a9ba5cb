import { statSync } from 'node:fs';
import { systemClock } from '../../platform/clock.ts';
import { WAL_BYTES } from './connect.ts';
import type { Database } from './database.ts';
import { isSqlite } from './sqlite-error.ts';

const LOOK_EVERY_MS = 100;
const TRY_EVERY_MS = 1_000;

/**
 * Keeps the write-ahead log small.
 *
 * SQLite copies pages back after every 1,000, but a reader that never pauses can keep the log from starting over; then a
 * checkpoint that waits for readers is asked for. One that another program holds open for minutes cannot be passed: the
 * log grows until it lets go, and shrinks within a second after that.
 */
export class Checkpoints {
  readonly #db: Database;
  readonly #wal: string;
  #lookedAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(db: Database, file: string) {
    this.#db = db;
    this.#wal = `${file}-wal`;
  }

  afterWrite(): void {
    const now = systemClock.elapsed();
    if (this.#timer !== undefined || now - this.#lookedAt < LOOK_EVERY_MS) return;
    this.#lookedAt = now;
    this.#shrink();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#truncate();
  }

  #shrink(): void {
    if (this.#size() <= WAL_BYTES / 2) return;
    this.#truncate();
    if (this.#size() <= WAL_BYTES / 2) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#shrink();
    }, TRY_EVERY_MS);
  }

  #size = (): number => statSync(this.#wal, { throwIfNoEntry: false })?.size ?? 0;

  /** A checkpoint only moves what is already safe: if it fails, the log stays, and a write will say what is wrong. */
  #truncate(): void {
    try {
      this.#db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all();
    } catch (error) {
      if (!isSqlite(error)) throw error;
    }
  }
}
