import type { Worker } from 'node:worker_threads';
import { Fault } from '../../domain/fault.ts';
import { assertCount, assertKey, assertQuery, assertWrites, closed, keyName, STORE_LIMITS } from '../assert-writes.ts';
import { Hints } from '../hints.ts';
import type { CommitOptions, CountPage, Hit, Key, Query, Row, Store, Version, WatchOptions, Write } from '../port.ts';
import { RowCache } from './known-rows.ts';
import { type OwnCommits, Revision } from './revision.ts';
import type { RawRow, WorkerAnswer, WorkerReply, WorkerRequest } from './wire.ts';
import { asError, packWrites, SAME } from './wire.ts';

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Longer ones are read again each time. */
const KNOWN_CHARACTERS = 4_096;

type Ask = Extract<WorkerRequest, { id: number }>;
type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;

/** The caller's half: checks, numbers and posts requests, and wakes whoever waits for the answers. */
export class SqliteStore implements Store {
  readonly limits = STORE_LIMITS;
  readonly #worker: Worker;
  readonly #file: string;
  readonly #revision: Revision;
  readonly #pending = new Map<number, Pending>();
  readonly #hints = new Hints((watchers) => this.#watch(watchers > 0));
  readonly #known = new RowCache();
  readonly #exited: Promise<void>;
  #outbox: WorkerRequest[] = [];
  /** Those of the outbox. */
  readonly #scans = new Map<string, Promise<readonly Required<RawRow>[]>>();
  #asked = 0;
  #watching = false;
  #ended: Fault | undefined;
  #closing: Promise<void> | undefined;

  constructor(worker: Worker, file: string, commits: OwnCommits) {
    this.#worker = worker;
    this.#file = file;
    this.#revision = new Revision(file, commits);
    worker.on('message', (reply: WorkerReply) => this.#receive(reply));
    worker.on('error', (error) => this.#end(error));
    this.#exited = new Promise((resolve) => {
      worker.once('exit', () => {
        this.#end(undefined);
        resolve();
      });
    });
    this.#keepAlive();
  }

  get(key: Key): Promise<Row | undefined> {
    const name = keyName(key);
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    const others = this.#revision.others();
    const current = this.#known.current(name, others);
    return current ? Promise.resolve(current.row) : this.#read(key, name, others);
  }

  async #read(key: Key, name: string, others: number | undefined): Promise<Row | undefined> {
    assertKey(key);
    const before = this.#known.last(name);
    const asked = { op: 'get', key: { kind: key.kind, id: key.id } } as const;
    const found = await this.#ask(before ? { ...asked, known: before.version } : asked);
    const raw = found === SAME ? undefined : (found as RawRow | undefined);
    const row = found === SAME ? before : raw && parsed(raw);
    if ((raw?.body.length ?? 0) <= KNOWN_CHARACTERS) this.#known.keep(name, row, others);
    else this.#known.forget(name);
    return row;
  }

  async scan(query: Query): Promise<readonly Hit[]> {
    assertQuery(query, this.limits);
    const rows = await this.#scanned(query);
    return rows.map((row) => ({ ...parsed(row), sort: row.sort }));
  }

  /** What is asked twice before the thread hears of it is asked once. Each is given rows of its own. */
  #scanned(query: Query): Promise<readonly Required<RawRow>[]> {
    const name = JSON.stringify(query);
    const asked = this.#scans.get(name) ?? (this.#ask({ op: 'scan', query }) as Promise<readonly Required<RawRow>[]>);
    this.#scans.set(name, asked);
    return asked;
  }

  async count({ index, from, to, limit }: Query): Promise<CountPage> {
    const query = { index, limit, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
    assertCount(query, this.limits);
    return (await this.#ask({ op: 'count', query })) as CountPage;
  }

  async commit(writes: readonly Write[], { flush = false, by }: CommitOptions = {}): Promise<Version> {
    const packed = packWrites(assertWrites(writes, this.limits));
    this.#known.begin(writes);
    try {
      const version = await this.#ask({ op: 'commit', writes: packed, flush });
      this.#hints.hintOwn(by);
      return version as Version;
    } finally {
      this.#known.end(writes);
    }
  }

  watch(signal: AbortSignal, options?: WatchOptions): AsyncIterable<void> {
    if (this.#ended !== undefined) throw this.#ended;
    return this.#hints.watch(signal, options);
  }

  revision(): number | undefined {
    if (this.#ended !== undefined) throw this.#ended;
    return this.#revision.now();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#revision.close();
    if (this.#ended === undefined) {
      const answered = this.#ask({ op: 'close' });
      this.#ended = closed();
      this.#hints.close();
      await answered;
    }
    await this.#exited;
  }

  #ask(request: WithoutId<Ask>): Promise<unknown> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    this.#asked += 1;
    const id = this.#asked;
    this.#post({ ...request, id });
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      if (this.#pending.size === 1) this.#keepAlive();
    });
  }

  /** Everything asked for in one turn of the loop travels in one message. */
  #post(request: WorkerRequest): void {
    this.#outbox.push(request);
    if (this.#outbox.length > 1) return;
    setImmediate(() => {
      this.#worker.postMessage(this.#outbox);
      this.#outbox = [];
      this.#scans.clear();
    });
  }

  #watch(on: boolean): void {
    if (on === this.#watching) return;
    this.#watching = on;
    if (this.#ended === undefined) this.#post({ op: 'watch', on });
    this.#keepAlive();
  }

  #receive(reply: WorkerReply): void {
    if ('look' in reply) this.#hints.hint();
    if ('answers' in reply) for (const answer of reply.answers) this.#settle(answer);
    if (this.#pending.size === 0) this.#keepAlive();
  }

  #settle(answer: WorkerAnswer): void {
    const pending = this.#pending.get(answer.id);
    this.#pending.delete(answer.id);
    if ('value' in answer) pending?.resolve(answer.value);
    else pending?.reject(asError(answer.refused));
  }

  /** An idle store does not keep the program running; one that owes an answer, a hint or its end does. */
  #keepAlive(): void {
    if (this.#pending.size > 0 || this.#watching || this.#closing !== undefined) this.#worker.ref();
    else this.#worker.unref();
  }

  /** Of a commit whose answer never came nobody knows the outcome: it is refused, never confirmed. */
  #end(cause: Error | undefined): void {
    this.#ended ??= new Fault(
      'unavailable',
      `the database thread of ${this.#file} ended; restart fleet`,
      { file: this.#file },
      { cause },
    );
    const lost = new Fault(
      'unavailable',
      `the database thread of ${this.#file} ended before it answered; the outcome is unknown`,
      {},
      { cause },
    );
    for (const { reject } of this.#pending.values()) reject(lost);
    this.#pending.clear();
    this.#hints.close();
  }
}

const parsed = ({ kind, id, version, body }: RawRow): Row => ({ key: { kind, id }, version, body: JSON.parse(body) });
