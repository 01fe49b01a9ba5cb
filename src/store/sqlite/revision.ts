import { closeSync, openSync, readSync } from 'node:fs';
import { hasCode } from '../../platform/files.ts';

/** The first copy of the header of SQLite's wal-index: readers go by it, so a commit is there when it has changed. */
const HEADER_BYTES = 48;
const TRANSACTIONS = 8;
const IS_INIT = 12;

/** In the byte order of the machine. */
const IS_LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/** How many transactions the thread of the database has committed: shared with it, counted after each COMMIT. */
export type OwnCommits = Int32Array<SharedArrayBuffer>;
export const ownCommits = (): OwnCommits => new Int32Array(new SharedArrayBuffer(4));

/**
 * Whether anybody has committed, from the memory that every connection shares: its format is documented, a commit of any
 * process changes it before it is confirmed, and one short read costs a fraction of asking SQLite. While our own connection
 * is open the file stays the same.
 */
export class Revision {
  readonly #file: string;
  readonly #now = Buffer.alloc(HEADER_BYTES);
  readonly #seen = Buffer.alloc(HEADER_BYTES);
  readonly #counters = new DataView(this.#now.buffer, this.#now.byteOffset, HEADER_BYTES);
  readonly #own: OwnCommits;
  #fd: number | undefined;
  #changes = 0;
  #others: number | undefined;
  #isFresh = false;

  constructor(file: string, own: OwnCommits) {
    this.#file = `${file}-shm`;
    this.#own = own;
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

  /**
   * Another number after every transaction of another connection, whatever we have committed ourselves: the header counts
   * the transactions of all, and our thread counts its own. Read once until the loop turns to the next event: whoever
   * tells us of a commit tells it by an event.
   */
  others(): number | undefined {
    if (this.#isFresh) return this.#others;
    this.#isFresh = true;
    queueMicrotask(this.#expireSoon);
    // Our own count first: it runs behind the header, so a transaction of another is never taken for ours.
    const own = Atomics.load(this.#own, 0);
    this.#others = this.#read() ? (this.#counters.getInt32(TRANSACTIONS, IS_LITTLE_ENDIAN) - own) | 0 : undefined;
    return this.#others;
  }

  /** Microtasks go on until none is left, and then a tick comes: after all that this event has set off. */
  readonly #expireSoon = (): void => process.nextTick(this.#expire);

  readonly #expire = (): void => {
    this.#isFresh = false;
  };

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
