import { randomInt } from 'node:crypto';
import { systemClock } from '../../platform/clock.ts';
import { CommitBatch } from './batch.ts';
import { Checkpoints } from './checkpoints.ts';
import type { Database } from './database.ts';
import { OutsideChanges } from './outside-changes.ts';
import type { Serve } from './read.ts';
import { prepareRead } from './read.ts';
import { asFault, isSqlite, lockHeld } from './sqlite-error.ts';
import type { Read, WorkerAnswer, WorkerCommit, WorkerInput, WorkerPort, WorkerRefusal, WorkerRequest } from './wire.ts';
import { refusal } from './wire.ts';

/** One transaction holds the write lock for no more commits than this, so that other processes get their turn. */
const COMMITS_PER_TRANSACTION = 200;
const RETRY_MS = 8;
/** Long enough for another's commit, short enough to leave reads waiting behind it. */
const BUSY_MS = 2;

interface Waiting<T> {
  readonly request: T;
  readonly since: number;
}

/**
 * What the worker does, turn by turn: answer every read, then put all waiting commits into one transaction.
 *
 * A lock held by another process ends the turn; reads that arrive meanwhile are answered, and after a short random pause
 * the commits are tried again. A commit is answered after COMMIT or not at all.
 */
export class WorkerSession {
  readonly #db: Database;
  readonly #input: WorkerInput;
  readonly #line: WorkerPort;
  readonly #serve: Serve;
  readonly #batch: CommitBatch;
  readonly #checkpoints: Checkpoints;
  readonly #outside: OutsideChanges;
  #reads: Waiting<Read>[] = [];
  #commits: Waiting<WorkerCommit>[] = [];
  #retry: NodeJS.Timeout | undefined;
  #closing: number | undefined;
  /** Once damage was met nothing more is written: it would only spread. */
  #damage: WorkerRefusal | undefined;

  constructor(db: Database, input: WorkerInput, line: WorkerPort) {
    this.#db = db;
    this.#input = input;
    this.#line = line;
    this.#serve = prepareRead(db);
    this.#batch = new CommitBatch(db, input);
    this.#checkpoints = new Checkpoints(db, input.file);
    this.#outside = new OutsideChanges(db, input.file, () => line.reply({ look: true }));
    db.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
  }

  /** Called when requests have come; returns when there is nothing left that can be done now. */
  readonly work = (): void => {
    do {
      for (let more = this.#line.next(); more !== undefined; more = this.#line.next()) this.#take(more);
      this.#answerReads();
      if (this.#retry === undefined) this.#writeCommits();
    } while (this.#retry === undefined && this.#commits.length > 0);
    if (this.#closing !== undefined && this.#reads.length + this.#commits.length === 0) this.#close(this.#closing);
  };

  #take(requests: readonly WorkerRequest[]): void {
    const since = systemClock.elapsed();
    for (const request of requests) {
      if (request.op === 'commit') this.#commits.push({ request, since });
      else if (request.op === 'watch') this.#outside.watch(request.on);
      else if (request.op === 'close') this.#closing = request.id;
      else this.#reads.push({ request, since });
    }
  }

  #answerReads(): void {
    const reads = this.#reads.splice(0);
    const answers: WorkerAnswer[] = [];
    for (const waiting of reads) {
      const { request, since } = waiting;
      try {
        answers.push({ id: request.id, value: this.#serve(request) });
      } catch (error) {
        if (isSqlite(error, 'busy') && this.#isPatientSince(since)) this.#reads.push(waiting);
        else answers.push(this.#noticed({ id: request.id, refused: refusal(asFault(error, this.#input.file)) }));
      }
    }
    if (answers.length > 0) this.#line.reply({ answers });
    if (this.#reads.length > 0) this.#tryAgainSoon();
  }

  #writeCommits(): void {
    const commits = this.#commits.slice(0, COMMITS_PER_TRANSACTION);
    if (commits.length === 0) return;
    const answers = this.#written(commits.map(({ request }) => request));
    if (answers === 'busy') {
      this.#giveUpOnOld();
      if (this.#commits.length > 0) this.#tryAgainSoon();
      return;
    }
    this.#commits.splice(0, commits.length);
    this.#line.reply({ answers: answers.map(this.#noticed) });
    this.#checkpoints.afterWrite();
  }

  #written(commits: readonly WorkerCommit[]): readonly WorkerAnswer[] | 'busy' {
    const refused = this.#damage;
    return refused === undefined ? this.#batch.write(commits) : commits.map(({ id }) => ({ id, refused }));
  }

  #noticed = (answer: WorkerAnswer): WorkerAnswer => {
    if ('refused' in answer && answer.refused.details['damaged'] === true) this.#damage ??= answer.refused;
    return answer;
  };

  #giveUpOnOld(): void {
    const old = this.#commits.filter(({ since }) => !this.#isPatientSince(since));
    if (old.length === 0) return;
    this.#commits = this.#commits.filter(({ since }) => this.#isPatientSince(since));
    const refused = refusal(lockHeld(this.#input.file, this.#input.lockWaitMs));
    this.#line.reply({ answers: old.map(({ request }) => ({ id: request.id, refused })) });
  }

  #isPatientSince = (since: number): boolean => systemClock.elapsed() - since < this.#input.lockWaitMs;

  /** Random, or processes that collide once collide for ever. */
  #tryAgainSoon(): void {
    this.#retry ??= setTimeout(
      () => {
        this.#retry = undefined;
        this.work();
      },
      randomInt(1, RETRY_MS),
    );
  }

  #close(id: number): void {
    this.#closing = undefined;
    clearTimeout(this.#retry);
    this.#outside.watch(false);
    this.#checkpoints.close();
    this.#batch.close();
    this.#db.close();
    this.#line.reply({ answers: [{ id, value: undefined }] });
    this.#line.hangUp();
  }
}
