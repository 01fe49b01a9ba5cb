import { stat } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { Fault, isFault } from '../domain/fault.ts';
import type { Instant } from '../domain/values.ts';
import type { Store } from '../store/port.ts';
import { restoreHint } from '../store/sqlite/high-water.ts';
import { damaged } from '../store/sqlite/sqlite-error.ts';
import { quickCheck } from '../store/sqlite/upkeep/quick-check.ts';
import type { WorkerInput, WorkerReply } from '../store/sqlite/wire.ts';
import { defaultWorkerUrl } from '../store/sqlite/worker-url.ts';

export type StoreAilment = 'store_damaged' | 'disk_full';

export interface Condition {
  readonly ailment: StoreAilment;
  readonly since: Instant;
  /** What was seen, what is lost or safe, and what to do. */
  readonly says: string;
}

/**
 * What the answers of the database tell about it, and a look through the whole of it beside the work. A full disk is over with
 * the next commit; damage stays, and whoever found it, nothing more is written.
 */
export class StoreCondition {
  readonly #now: () => Instant;
  #current: Condition | undefined;

  constructor(now: () => Instant) {
    this.#now = now;
  }

  current = (): Condition | undefined => this.#current;

  damaged(says: string): void {
    if (this.#current?.ailment !== 'store_damaged') this.#current = { ailment: 'store_damaged', since: this.#now(), says };
  }

  watched(store: Store): Store {
    const heard = <Value>(answer: Promise<Value>): Promise<Value> =>
      answer.catch((error: unknown) => {
        this.#refused(error);
        throw error;
      });
    return {
      limits: store.limits,
      get: (key) => heard(store.get(key)),
      scan: (query) => heard(store.scan(query)),
      count: (query) => heard(store.count(query)),
      commit: async (writes, options) => {
        this.#refuseIfDamaged();
        const version = await heard(store.commit(writes, options));
        if (this.#current?.ailment === 'disk_full') this.#current = undefined;
        return version;
      },
      watch: (signal, options) => store.watch(signal, options),
      revision: () => store.revision?.(),
      close: () => store.close(),
    };
  }

  /** What is written to a damaged file may be lost or damage more, and is not in the backup that is restored. */
  #refuseIfDamaged(): void {
    if (this.#current?.ailment === 'store_damaged') throw new Fault('unavailable', this.#current.says, { damaged: true });
  }

  #refused(error: unknown): void {
    if (!isFault(error, 'unavailable')) return;
    if (error.details['damaged'] === true) this.damaged(`${error.message}; nothing more is written to it`);
    if (error.details['full'] === true && this.#current === undefined) {
      const since = this.#now();
      const says = `the disk of ${String(error.details['file'])} is full since ${since}: nothing is accepted, what was accepted is safe; free some space and fleet goes on by itself`;
      this.#current = { ailment: 'disk_full', since, says };
    }
  }
}

/** One that is larger is looked through beside the start: its pages would be read for too long. */
const AT_ONCE_BYTES = 64 * 1024 * 1024;

/** Refuses a damaged database before anything is started on it. Answers whether it was looked through: a large one is not. */
export async function assertSound(file: string, atOnceBytes = AT_ONCE_BYTES): Promise<boolean> {
  const { size } = await stat(file);
  if (size > atOnceBytes) return false;
  const finding = quickCheck(file);
  if (finding !== undefined) throw refusal(file, finding);
  return true;
}

function refusal(file: string, finding: string): Fault {
  const { code, message, details } = damaged(file, finding);
  return new Fault(code, message, { ...details, hint: `nothing was started; ${restoreHint(file)}` });
}

/** Looks through a database beside the work on it; damage turns the condition, and is told. */
export function lookThrough(file: string, condition: StoreCondition, tell: (says: string) => void): void {
  const workerData: WorkerInput = { file, library: undefined, lockWaitMs: 0, quickCheck: true };
  const worker = new Worker(defaultWorkerUrl(), {
    workerData,
    name: 'sqlite-check',
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  worker.unref();
  worker.once('error', () => undefined);
  worker.once('message', (reply: WorkerReply) => {
    if (!('finding' in reply) || reply.finding === undefined) return;
    const says = `${damaged(file, reply.finding).message}; nothing more is written to it; ${restoreHint(file)}`;
    condition.damaged(says);
    tell(says);
  });
}
