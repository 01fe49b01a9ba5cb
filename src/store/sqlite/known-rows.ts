import { keyName } from '../assert-writes.ts';
import { frozen } from '../frozen.ts';
import type { Row, Write } from '../port.ts';

const MOST_ROWS = 1_000;

interface Known {
  /** Undefined: there was no such row. */
  readonly row: Row | undefined;
  /** How many transactions of others the database had seen when the row was read. */
  readonly others: number | undefined;
}

/**
 * Rows as they were last read. One is still so while nobody else has committed and no commit of ours that puts or deletes
 * it has been sent since: such a commit takes it out here before the thread of the database hears of it, and until the
 * commit is answered the row is not kept again.
 */
export class RowCache {
  readonly #rows = new Map<string, Known>();
  /** Rows that commits without an answer put or delete, and how many such commits there are. */
  readonly #written = new Map<string, number>();

  /** What is known of the row, if nothing can have changed it. */
  current(name: string, others: number | undefined): Known | undefined {
    const known = this.#rows.get(name);
    return known !== undefined && others !== undefined && known.others === others ? known : undefined;
  }

  /** The row as it was, for asking whether it still is. */
  last(name: string): Row | undefined {
    return this.#rows.get(name)?.row;
  }

  /** `others`: as it was before the row was asked for. */
  keep(name: string, row: Row | undefined, others: number | undefined): void {
    if (this.#written.has(name)) return;
    if (!this.#rows.delete(name)) {
      frozen(row);
      const [oldest] = this.#rows.size >= MOST_ROWS ? this.#rows.keys() : [];
      if (oldest !== undefined) this.#rows.delete(oldest);
    }
    this.#rows.set(name, { row, others });
  }

  forget(name: string): void {
    this.#rows.delete(name);
  }

  begin(writes: readonly Write[]): void {
    for (const { op, key } of writes) {
      if (op === 'check') continue;
      const name = keyName(key);
      this.#rows.delete(name);
      this.#written.set(name, (this.#written.get(name) ?? 0) + 1);
    }
  }

  end(writes: readonly Write[]): void {
    for (const { op, key } of writes) {
      if (op === 'check') continue;
      const name = keyName(key);
      const left = (this.#written.get(name) ?? 1) - 1;
      if (left === 0) this.#written.delete(name);
      else this.#written.set(name, left);
    }
  }
}
