import { closeSync, openSync, readSync } from 'node:fs';
import { hasCode } from '../../platform/files.ts';

/** The first copy of the header of SQLite's wal-index: readers go by it, so a commit is there when it has changed. */
const HEADER_BYTES = 48;
const IS_INIT = 12;

/**
 * Whether anybody has committed, from the memory that every connection shares: its format is documented, a commit of any
 * process changes it before it is confirmed, and one short read costs a fraction of asking SQLite. While our own connection
 * is open the file stays the same.
 */
export class Revision {
  readonly #file: string;
  readonly #now = Buffer.alloc(HEADER_BYTES);
  readonly #seen = Buffer.alloc(HEADER_BYTES);
  #fd: number | undefined;
  #changes = 0;

  constructor(file: string) {
    this.#file = `${file}-shm`;
  }

  /** Undefined where there is no such memory: then nobody can tell for so little. */
  now(): number | undefined {
    if (!this.#read()) return undefined;
    if (!this.#now.equals(this.#seen)) {
      this.#now.copy(this.#seen);
      this.#changes += 1;
    }
    return this.#changes;
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  #read(): boolean {
    try {
      this.#fd ??= openSync(this.#file, 'r');
    } catch (error) {
      if (hasCode(error, 'ENOENT', 'EACCES')) return false;
      throw error;
    }
    return readSync(this.#fd, this.#now, 0, HEADER_BYTES, 0) === HEADER_BYTES && this.#now[IS_INIT] !== 0;
  }
}
