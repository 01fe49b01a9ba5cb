import { pathToFileURL } from 'node:url';
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { ModuleCall, ModuleReply, ModuleThreadInput } from './module-messages.ts';
import { moduleWorkerUrl } from './worker-url.ts';

const LOAD_MS = 5_000;
/** A call blocks the whole calling process, so its deadline is short. */
const ANSWER_MS = 1_000;
const MEMORY_MB = 128;

interface ThreadState {
  readonly worker: Worker;
  readonly port: MessagePort;
  readonly signal: Int32Array;
  isOver: boolean;
}

export interface ModuleAnswer {
  readonly value: unknown;
  /** Length of the value as JSON. */
  readonly bytes: number;
}

/**
 * One module of a user, in its own thread. Calls are synchronous and have a deadline: a thread that misses it is terminated, and
 * the next call starts a new one, so one bad call does not affect others.
 */
export class ModuleThread {
  readonly #url: string;
  #life: ThreadState;
  /** The exports of the module, with the names of its functions under `functions`. */
  readonly facts: unknown;
  /** How often the thread was terminated because it did not answer. */
  missed = 0;

  private constructor(url: string, life: ThreadState, facts: unknown) {
    this.#url = url;
    this.#life = life;
    this.facts = facts;
  }

  static async open(file: string): Promise<ModuleThread> {
    const url = pathToFileURL(file).href;
    const life = startThread(url);
    try {
      await waitUntilLoaded(life.worker);
      return new ModuleThread(url, life, takeAnswer(life).value);
    } catch (error) {
      terminate(life);
      throw error;
    }
  }

  ask(name: string, ...args: readonly unknown[]): ModuleAnswer {
    if (this.#life.isOver) this.#life = restartThread(this.#url);
    const { port, signal } = this.#life;
    Atomics.store(signal, 0, 0);
    port.postMessage({ name, args } satisfies ModuleCall);
    if (Atomics.wait(signal, 0, 0, ANSWER_MS) === 'timed-out') {
      this.missed += 1;
      terminate(this.#life);
      throw new Error(`${name} gave no answer within ${ANSWER_MS / 1_000} s`);
    }
    return takeAnswer(this.#life);
  }

  close(): void {
    terminate(this.#life);
  }
}

function startThread(url: string): ThreadState {
  const { port1, port2 } = new MessageChannel();
  const signal = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(moduleWorkerUrl(), {
    workerData: { url, port: port2, signal } satisfies ModuleThreadInput,
    transferList: [port2],
    name: 'module',
    // The module gets no secrets of the user, no flags of this process, and cannot print between Fleet's own lines.
    env: {},
    argv: [],
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  const life: ThreadState = { worker, port: port1, signal, isOver: false };
  for (const event of ['error', 'exit'] as const) worker.on(event, () => void (life.isOver = true));
  return life;
}

/** Resolves once the module is loaded. From then on the thread no longer keeps the process alive. */
function waitUntilLoaded(worker: Worker): Promise<void> {
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

function restartThread(url: string): ThreadState {
  const life = startThread(url);
  life.worker.unref();
  if (Atomics.wait(life.signal, 0, 0, LOAD_MS) === 'timed-out') {
    terminate(life);
    throw new Error(`it was not loaded again within ${LOAD_MS / 1_000} s`);
  }
  takeAnswer(life);
  return life;
}

function takeAnswer({ port }: ThreadState): ModuleAnswer {
  const reply = (receiveMessageOnPort(port) as { message: ModuleReply } | undefined)?.message;
  if (!reply) throw new Error('it gave no answer');
  if ('problem' in reply) throw new Error(reply.problem);
  return reply.value === undefined
    ? { value: undefined, bytes: 0 }
    : { value: JSON.parse(reply.value) as unknown, bytes: reply.value.length };
}

function terminate(life: ThreadState): void {
  life.isOver = true;
  life.port.close();
  void life.worker.terminate();
}
