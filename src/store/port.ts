/** Opaque, and never used twice: a row that was deleted and made again has a version nobody has seen. */
export type Version = string;

export interface Key {
  readonly kind: string;
  readonly id: string;
}

export interface Row {
  readonly key: Key;
  readonly version: Version;
  readonly body: unknown;
}

/** A row found through an index, with the place it was found at: the cursor of the next page. */
export interface Hit extends Row {
  readonly sort: string;
}

/**
 * Where a row stands in an index. Both strings are computed from the record; a driver only stores and sorts them.
 * Both are printable ASCII, so that every backend sorts them the same way.
 */
export interface IndexEntry {
  readonly index: string;
  readonly sort: string;
}

/** Every write states what it believes. There is no blind write. */
export type Write =
  | {
      readonly op: 'put';
      readonly key: Key;
      readonly expect: Version | 'absent';
      readonly body: unknown;
      readonly entries: readonly IndexEntry[];
    }
  | { readonly op: 'delete'; readonly key: Key; readonly expect: Version }
  | { readonly op: 'check'; readonly key: Key; readonly expect: Version | 'absent' };

export interface Query {
  readonly index: string;
  /** Inclusive lower bound of `sort`. */
  readonly from?: string;
  /** Exclusive upper bound of `sort`. */
  readonly to?: string;
  readonly limit: number;
  /** Highest `sort` first. */
  readonly reverse?: boolean;
}

/** A page of a count: how many rows stand there, and at which place the last of them does. */
export interface CountPage {
  readonly count: number;
  readonly last?: string;
}

export interface CommitOptions {
  /** Resolve only when the commit would survive the loss of power. Otherwise it survives the death of the process. */
  readonly flush?: boolean;
  /** Who commits: whoever watches as the same is not told to look at what it wrote itself. */
  readonly by?: object;
}

export interface WatchOptions {
  /** Commits by this one give no hint: it knows what it wrote. */
  readonly except?: object;
  /** No commit through this store gives a hint, only those of others on the same storage. */
  readonly outside?: boolean;
}

/**
 * What every driver promises, and the conformance suite proves:
 *
 * 1. `commit` applies all writes or none. A false belief throws Fault('conflict') and changes nothing. A commit holds at
 *    most `limits.writesPerCommit` writes, one per key; more is Fault('limit').
 * 2. `get` sees every commit that ended before it was called, by whichever process.
 * 3. `scan` and `count` may lag. Nothing may be decided for good on them; the commit that follows re-checks it.
 * 4. `watch` says "look", never "what": at least once, perhaps merged, never silent for ever, also for commits of
 *    other processes on the same storage. Only commits `by` the one a watcher `except`s may pass without a hint, and for a
 *    watcher of `outside` those through the same store.
 * 5. The version `commit` returns is the version of every row it put, and no row ever had it before.
 * 6. After `close`, every verb throws Fault('unavailable').
 * 7. `revision`, where there is one, is another value after every commit that ended before it was called, by whichever
 *    process: what was read between two calls that answer the same is still so. Undefined: it cannot tell now.
 */
export interface Store {
  readonly limits: StoreLimits;
  get(key: Key): Promise<Row | undefined>;
  scan(query: Query): Promise<readonly Hit[]>;
  /** Costs far less than reading the rows; up to `limits.rowsPerCount` at once. */
  count(query: Omit<Query, 'reverse'>): Promise<CountPage>;
  commit(writes: readonly Write[], options?: CommitOptions): Promise<Version>;
  watch(signal: AbortSignal, options?: WatchOptions): AsyncIterable<void>;
  /** Costs a few microseconds; a driver that cannot tell for so little has none. */
  revision?(): number | undefined;
  close(): Promise<void>;
}

export interface StoreLimits {
  readonly writesPerCommit: number;
  readonly bytesPerRow: number;
  readonly entriesPerRow: number;
  readonly rowsPerScan: number;
  readonly rowsPerCount: number;
}
