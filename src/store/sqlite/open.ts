import { once } from 'node:events';
import { resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Store } from '../port.ts';
import type { Library } from './database.ts';
import { ownCommits } from './revision.ts';
import { SqliteStore } from './sqlite-store.ts';
import type { WorkerInput, WorkerReply } from './wire.ts';
import { asError } from './wire.ts';
import { defaultWorkerUrl } from './worker-url.ts';

export interface SqliteOptions {
  /** Made, with its directory, if it is not there. */
  readonly file: string;
  /** The program of the database thread; known by itself in the sources and in the bundle. */
  readonly workerUrl?: URL;
  readonly library?: Library;
  /** How long a commit waits for another process's lock. */
  readonly lockWaitMs?: number;
}

const LOCK_WAIT_MS = 30_000;

/** Migrates by itself. Throws Fault('unavailable') with what to do about it when the file cannot be used. */
export async function openSqliteStore({ file, workerUrl, library, lockWaitMs = LOCK_WAIT_MS }: SqliteOptions): Promise<Store> {
  const commits = ownCommits();
  const workerData: WorkerInput = { file: resolve(file), library, lockWaitMs, commits };
  // Not the flags of the main thread: its loaders cost this one a tenth of a second. Node 22 calls its SQLite experimental.
  const execArgv = ['--disable-warning=ExperimentalWarning'];
  const worker = new Worker(workerUrl ?? defaultWorkerUrl(), { workerData, name: 'sqlite', execArgv });
  const [reply] = (await once(worker, 'message')) as [WorkerReply];
  if ('opened' in reply) return new SqliteStore(worker, workerData.file, commits);
  await worker.terminate();
  const answer = 'answers' in reply ? reply.answers[0] : undefined;
  throw answer !== undefined && 'refused' in answer ? asError(answer.refused) : new Error('the database thread did not open');
}
