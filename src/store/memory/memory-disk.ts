import type { CheckedWrite } from '../assert-writes.ts';
import { conflict, keyName } from '../assert-writes.ts';
import { frozen } from '../frozen.ts';
import type { CountPage, Hit, IndexEntry, Key, Query, Row, Version } from '../port.ts';
import { SortedPlaces } from './sorted-places.ts';

interface Kept extends Row {
  readonly entries: readonly IndexEntry[];
}

/**
 * What outlives a handle: rows, indexes and the version counter. Handles that share one behave like processes that share
 * one database.
 */
export class MemoryDisk {
  readonly onCommit = new Set<() => void>();
  readonly #rows = new Map<string, Kept>();
  readonly #indexes = new Map<string, SortedPlaces>();
  #commits = 0;

  get revision(): number {
    return this.#commits;
  }

  get(key: Key): Row | undefined {
    const kept = this.#rows.get(keyName(key));
    return kept && row(kept);
  }

  scan({ index, from, to, limit, reverse = false }: Query): readonly Hit[] {
    const places = this.#indexes.get(index)?.between({ from, to, limit, reverse }) ?? [];
    return places.map(({ sort, name }) => {
      const kept = this.#rows.get(name);
      if (kept === undefined) throw new Error(`index ${index} names a row that is not there`);
      return { ...row(kept), sort };
    });
  }

  count({ index, from, to, limit }: Query): CountPage {
    const places = this.#indexes.get(index)?.between({ from, to, limit, reverse: false }) ?? [];
    const last = places.at(-1)?.sort;
    return { count: places.length, ...(last === undefined ? {} : { last }) };
  }

  /** Synchronous from the first belief to the last write: nobody can come between. */
  commit(writes: readonly CheckedWrite[]): Version {
    for (const { key, expect } of writes) {
      const actual = this.#rows.get(keyName(key))?.version ?? 'absent';
      if (actual !== expect) throw conflict(key, actual, expect);
    }
    this.#commits += 1;
    const version = String(this.#commits);
    for (const write of writes) {
      if (write.op !== 'check') this.#remove(write.key);
      if (write.op === 'put') {
        this.#add({ key: { ...write.key }, version, body: frozen(JSON.parse(write.body)), entries: write.entries });
      }
    }
    for (const tell of this.onCommit) tell();
    return version;
  }

  #add(kept: Kept): void {
    const name = keyName(kept.key);
    this.#rows.set(name, kept);
    for (const { index, sort } of kept.entries) {
      const places = this.#indexes.get(index) ?? new SortedPlaces();
      this.#indexes.set(index, places);
      places.add({ sort, name });
    }
  }

  #remove(key: Key): void {
    const name = keyName(key);
    const kept = this.#rows.get(name);
    for (const { index, sort } of kept?.entries ?? []) this.#indexes.get(index)?.remove({ sort, name });
    this.#rows.delete(name);
  }
}

const row = ({ key, version, body }: Kept): Row => ({ key, version, body });
