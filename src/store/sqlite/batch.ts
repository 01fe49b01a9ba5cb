import { statSync } from 'node:fs';
import { Fault } from '../../domain/fault.ts';
import type { CommitCheck } from './commit.ts';
import { prepareCommitCheck } from './commit.ts';
import type { Database, Statement } from './database.ts';
import { HighWaterMark } from './high-water.ts';
import { counterOf } from './migrate.ts';
import { SCHEMA } from './schema.ts';
import { asFault, isSqlite, newerSchema } from './sqlite-error.ts';
import { rollback } from './transaction.ts';
import type { WorkerAnswer, WorkerCommit, WorkerInput } from './wire.ts';
import { refusal } from './wire.ts';

/**
 * Many commits, one transaction: SQLite admits a single writer, so a belief checked inside it stays true until COMMIT,
 * and one write to the disk serves them all.
 */
export class CommitBatch {
  readonly #db: Database;
  readonly #file: string;
  readonly #commits: WorkerInput['commits'];
  readonly #inode: number;
  readonly #look: CommitCheck;
  readonly #meta: Statement;
  readonly #bump: Statement;
  readonly #mark: HighWaterMark;
  #durable = false;

  constructor(db: Database, { file, commits }: Pick<WorkerInput, 'file' | 'commits'>) {
    this.#db = db;
    this.#file = file;
    this.#commits = commits;
    this.#inode = statSync(file).ino;
    this.#look = prepareCommitCheck(db);
    this.#meta = db.prepare('SELECT counter, schema FROM meta');
    this.#bump = db.prepare('UPDATE meta SET counter = ?');
    this.#mark = new HighWaterMark(file, counterOf(db));
  }

  close(): void {
    this.#mark.close();
  }

  /** One answer per commit, in order. `busy`: another process is writing and nothing was done. */
  write(commits: readonly WorkerCommit[]): readonly WorkerAnswer[] | 'busy' {
    let answers: WorkerAnswer[] = [];
    try {
      this.#assertSameFile();
      this.#sync(commits.some(({ flush }) => flush));
      this.#db.exec('BEGIN IMMEDIATE');
    } catch (error) {
      return isSqlite(error, 'busy') ? 'busy' : this.#refuse(commits, error);
    }
    try {
      const version = this.#nextVersion();
      answers = commits.map((commit, at) => this.#one(commit, `${version}.${at}`));
      const isCommit = answers.some((answer) => 'value' in answer);
      this.#db.exec(isCommit ? 'COMMIT' : 'ROLLBACK');
      if (isCommit) this.#committed(version);
      return answers;
    } catch (error) {
      rollback(this.#db);
      return this.#refuse(commits, error, answers);
    }
  }

  #committed(version: number): void {
    if (this.#commits) Atomics.add(this.#commits, 0, 1);
    this.#mark.note(version, this.#durable);
  }

  /** What is thrown while it is carried out is no fault of this commit alone: the transaction is given up. */
  #one({ id, writes }: WorkerCommit, version: string): WorkerAnswer {
    let carryOut: () => void;
    try {
      carryOut = this.#look(writes, version);
    } catch (error) {
      if (isSqlite(error)) throw error;
      return { id, refused: refusal(error) };
    }
    carryOut();
    return { id, value: version };
  }

  /** What was refused for its own sake stays so; the rest shares the fate of the transaction. */
  #refuse(commits: readonly WorkerCommit[], error: unknown, answers: readonly WorkerAnswer[] = []): readonly WorkerAnswer[] {
    const refused = refusal(asFault(error, this.#file));
    return commits.map(({ id }, at) => {
      const answer = answers[at];
      return answer !== undefined && 'refused' in answer ? answer : { id, refused };
    });
  }

  #nextVersion(): number {
    const { counter, schema } = this.#meta.get() as { counter: number; schema: number };
    if (schema > SCHEMA) throw newerSchema(this.#file, schema, SCHEMA);
    this.#bump.run(counter + 1);
    return counter + 1;
  }

  /** SQLite takes this only between transactions. FULL also makes durable what earlier transactions left to NORMAL. */
  #sync(durable: boolean): void {
    if (durable === this.#durable) return;
    this.#db.exec(`PRAGMA synchronous = ${durable ? 'FULL' : 'NORMAL'}`);
    this.#durable = durable;
  }

  /** A file that was removed or replaced still takes writes, and loses them all when it is closed. */
  #assertSameFile(): void {
    const seen = statSync(this.#file, { throwIfNoEntry: false });
    if (seen?.ino === this.#inode) return;
    const what = seen === undefined ? 'was removed' : 'was replaced';
    throw new Fault('unavailable', `${this.#file} ${what} while it was open; restart fleet`, { file: this.#file });
  }
}
