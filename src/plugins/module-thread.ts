import { pathToFileURL } from 'node:url';
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { ModuleInput, Question, Reply } from './wire.ts';
import { moduleWorkerUrl } from './worker-url.ts';

const LOAD_MS = 5_000;
/** Whoever asks waits, and with it everything else in its process. */
const ANSWER_MS = 1_000;
const MEMORY_MB = 128;

interface Life {
  readonly worker: Worker;
  readonly port: MessagePort;
  readonly signal: Int32Array;
  isOver: boolean;
}

export interface Answer {
  readonly value: unknown;
  /** How long it is as JSON. */
  readonly bytes: number;
}

/**
 * One module of a user, in a thread of its own. Questions are synchronous and have a deadline: a thread that misses it
 * is ended, and the next question begins a new one, so that what one question does to it is no other's loss.
 */
export class ModuleThread {
  readonly #url: string;
  #life: Life;
  /** What the module exports, but for its functions, of which there are the names under `functions`. */
  readonly facts: unknown;
  /** How often it has been ended because it did not answer. */
  missed = 0;

  private constructor(url: string, life: Life, facts: unknown) {
    this.#url = url;
    this.#life = life;
    this.facts = facts;
  }

  static async open(file: string): Promise<ModuleThread> {
    const url = pathToFileURL(file).href;
    const life = begin(url);
    try {
      await loaded(life.worker);
      return new ModuleThread(url, life, taken(life).value);
    } catch (error) {
      end(life);
      throw error;
    }
  }

  ask(name: string, ...args: readonly unknown[]): Answer {
    if (this.#life.isOver) this.#life = begunAgain(this.#url);
    const { port, signal } = this.#life;
    Atomics.store(signal, 0, 0);
    port.postMessage({ name, args } satisfies Question);
    if (Atomics.wait(signal, 0, 0, ANSWER_MS) === 'timed-out') {
      this.missed += 1;
      end(this.#life);
      throw new Error(`${name} gave no answer within ${ANSWER_MS / 1_000} s`);
    }
    return taken(this.#life);
  }

  close(): void {
    end(this.#life);
  }
}

function begin(url: string): Life {
  const { port1, port2 } = new MessageChannel();
  const signal = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(moduleWorkerUrl(), {
    workerData: { url, port: port2, signal } satisfies ModuleInput,
    transferList: [port2],
    name: 'module',
    // Neither the user's secrets, nor our flags, nor a way to print between our lines.
    env: {},
    argv: [],
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  const life: Life = { worker, port: port1, signal, isOver: false };
  for (const event of ['error', 'exit'] as const) worker.on(event, () => void (life.isOver = true));
  return life;
}

/** It keeps no process alive once it has said that it is there. */
function loaded(worker: Worker): Promise<void> {
  return new Promise((done, refuse) => {
    const late = setTimeout(() => refuse(new Error(`it was not loaded within ${LOAD_MS / 1_000} s`)), LOAD_MS);
    const over = (settle: () => void) => () => {
      clearTimeout(late);
      settle();
    };
    worker.once(
      'message',
      over(() => {
        worker.unref();
        done();
      }),
    );
    worker.once('error', (error: unknown) => over(() => refuse(error instanceof Error ? error : new Error(String(error))))());
    worker.once(
      'exit',
      over(() => refuse(new Error('it ended its thread while it was loaded'))),
    );
  });
}

function begunAgain(url: string): Life {
  const life = begin(url);
  life.worker.unref();
  if (Atomics.wait(life.signal, 0, 0, LOAD_MS) === 'timed-out') {
    end(life);
    throw new Error(`it was not loaded again within ${LOAD_MS / 1_000} s`);
  }
  taken(life);
  return life;
}

function taken({ port }: Life): Answer {
  const reply = (receiveMessageOnPort(port) as { message: Reply } | undefined)?.message;
  if (!reply) throw new Error('it gave no answer');
  if ('problem' in reply) throw new Error(reply.problem);
  return reply.value === undefined
    ? { value: undefined, bytes: 0 }
    : { value: JSON.parse(reply.value) as unknown, bytes: reply.value.length };
}

function end(life: Life): void {
  life.isOver = true;
  life.port.close();
  void life.worker.terminate();
}
