import type { FSWatcher } from 'node:fs';
import { watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Database, Statement } from './database.ts';
import { isSqlite } from './sqlite-error.ts';

const POLL_MS = 1_000;
/** The log is written several times per commit; one look serves them all. */
const SETTLE_MS = 2;

/**
 * Notices commits of other connections: the directory says "something was written" within a millisecond, and SQLite's
 * `data_version` says whether it was somebody else. Where directories cannot be watched, the poll alone is left.
 */
export class OutsideChanges {
  readonly #file: string;
  readonly #changed: () => void;
  readonly #dataVersion: Statement;
  #seen: unknown;
  #watcher: FSWatcher | undefined;
  #poll: NodeJS.Timeout | undefined;
  #settle: NodeJS.Timeout | undefined;

  constructor(db: Database, file: string, changed: () => void) {
    this.#file = file;
    this.#changed = changed;
    this.#dataVersion = db.prepare('PRAGMA data_version');
  }

  watch(on: boolean): void {
    if (on === (this.#poll !== undefined)) return;
    if (on) this.#start();
    else this.#stop();
  }

  /** Whatever came before the first look may be news to the watcher: it is told once at the start. */
  #start(): void {
    this.#poll = setInterval(this.#look, POLL_MS);
    this.#watcher = this.#watchDirectory();
    this.#seen = undefined;
    this.#look();
  }

  #stop(): void {
    clearInterval(this.#poll);
    clearTimeout(this.#settle);
    this.#watcher?.close();
    this.#poll = undefined;
    this.#settle = undefined;
    this.#watcher = undefined;
  }

  #watchDirectory(): FSWatcher | undefined {
    const names = new Set([basename(this.#file), `${basename(this.#file)}-wal`]);
    try {
      const watcher = watch(dirname(this.#file), (_, name) => {
        if (name === null || names.has(name)) this.#settle ??= setTimeout(this.#look, SETTLE_MS);
      });
      watcher.on('error', () => watcher.close());
      return watcher;
    } catch {
      return undefined;
    }
  }

  #look = (): void => {
    this.#settle = undefined;
    const now = this.#read();
    if (now === this.#seen) return;
    this.#seen = now;
    this.#changed();
  };

  #read(): unknown {
    try {
      return this.#dataVersion.all()[0]?.['data_version'];
    } catch (error) {
      if (isSqlite(error)) return this.#seen;
      throw error;
    }
  }
}
