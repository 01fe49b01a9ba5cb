import { assertCount, assertKey, assertQuery, assertWrites, closed, STORE_LIMITS } from '../assert-writes.ts';
import { Hints } from '../hints.ts';
import type {
  CommitOptions,
  CountPage,
  Hit,
  Key,
  Query,
  Row,
  Store,
  StoreLimits,
  Version,
  WatchOptions,
  Write,
} from '../port.ts';
import { MemoryDisk } from './memory-disk.ts';

/** For tests and simulations: keeps every promise but the one about losing power. */
export const openMemoryStore = (disk: MemoryDisk = new MemoryDisk(), limits: Partial<StoreLimits> = {}): Store =>
  new MemoryStore(disk, { ...STORE_LIMITS, ...limits });

class MemoryStore implements Store {
  readonly limits: StoreLimits;
  readonly #disk: MemoryDisk;
  readonly #hints = new Hints();
  readonly #onCommit = (): void => (this.#committing ? this.#hints.hintOwn(this.#committing.by) : this.#hints.hint());
  /** Set while its own commit is told to everybody. */
  #committing: CommitOptions | undefined;
  #closed = false;

  constructor(disk: MemoryDisk, limits: StoreLimits) {
    this.limits = limits;
    this.#disk = disk;
    disk.onCommit.add(this.#onCommit);
  }

  async get(key: Key): Promise<Row | undefined> {
    this.#assertOpen();
    assertKey(key);
    return this.#disk.get(key);
  }

  async scan(query: Query): Promise<readonly Hit[]> {
    this.#assertOpen();
    assertQuery(query, this.limits);
    return this.#disk.scan(query);
  }

  async count(query: Query): Promise<CountPage> {
    this.#assertOpen();
    assertCount(query, this.limits);
    return this.#disk.count(query);
  }

  async commit(writes: readonly Write[], options: CommitOptions = {}): Promise<Version> {
    this.#assertOpen();
    this.#committing = options;
    try {
      return this.#disk.commit(assertWrites(writes, this.limits));
    } finally {
      this.#committing = undefined;
    }
  }

  watch(signal: AbortSignal, options?: WatchOptions): AsyncIterable<void> {
    return this.#hints.watch(signal, options);
  }

  revision(): number {
    this.#assertOpen();
    return this.#disk.revision;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#disk.onCommit.delete(this.#onCommit);
    this.#hints.close();
  }

  #assertOpen(): void {
    if (this.#closed) throw closed();
  }
}
