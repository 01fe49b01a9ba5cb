import type { Key, Row, Store, Version, Write } from '../store/port.ts';
import { holds } from '../store/records/holds.ts';
import { pauses } from '../store/records/pauses.ts';
import { runs } from '../store/records/runs.ts';
import { tasks } from '../store/records/tasks.ts';
import type { CommitFeed } from './commit-feed.ts';

const KINDS: ReadonlySet<string> = new Set([holds.kind, pauses.kind, runs.kind, tasks.kind]);
const MOST = 1_000;
/** Whatever was missed is noticed after so long. */
const KEPT_MS = 15_000;

const nameOf = ({ kind, id }: Key): string => `${kind} ${id}`;

/**
 * Rows that claims and endings are about, as the engine has read or written them last. Forgotten when somebody else has
 * written, when a commit has failed, and after a while in any case. For those alone who state what they believe of each
 * such row in the commit that follows: a row that has moved meanwhile is a conflict, and the next look is at the store.
 */
export class KnownRows implements Pick<Store, 'get'> {
  readonly #store: Pick<Store, 'get'>;
  readonly #elapsed: () => number;
  /** Undefined: there is no such row. */
  readonly #rows = new Map<string, Row | undefined>();
  #age = 0;
  #since = 0;

  constructor(store: Pick<Store, 'get'>, news: CommitFeed, elapsed: () => number) {
    this.#store = store;
    this.#elapsed = elapsed;
    news.subscribe({ own: (writes, version) => this.#wrote(writes, version), other: () => this.#forget() });
  }

  async get(key: Key): Promise<Row | undefined> {
    const name = nameOf(key);
    if (this.#elapsed() - this.#since > KEPT_MS) this.#forget();
    if (!KINDS.has(key.kind)) return this.#store.get(key);
    if (this.#rows.has(name)) return this.#rows.get(name);
    const age = this.#age;
    const row = await this.#store.get(key);
    // What was written while it was read is newer than what was read.
    if (age === this.#age && !this.#rows.has(name)) this.#keep(name, row);
    return row;
  }

  #wrote(writes: readonly Write[], version: Version): void {
    for (const write of writes) {
      if (write.op === 'check' || !KINDS.has(write.key.kind)) continue;
      const name = nameOf(write.key);
      this.#rows.delete(name);
      this.#keep(name, write.op === 'put' ? { key: write.key, version, body: write.body } : undefined);
    }
  }

  /** The oldest make room. */
  #keep(name: string, row: Row | undefined): void {
    const [oldest] = this.#rows.size >= MOST ? this.#rows.keys() : [];
    if (oldest !== undefined) this.#rows.delete(oldest);
    this.#rows.set(name, row);
  }

  #forget(): void {
    this.#age += 1;
    this.#since = this.#elapsed();
    this.#rows.clear();
  }
}
