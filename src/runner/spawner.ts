import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { FileOp } from '../platform/file-ops.ts';
import { bootIdSync } from '../platform/proc.ts';
import { cgroupOf, removeCgroup } from './cgroup.ts';
import { defaultHelperUrl } from './helper-url.ts';
import { type RunSpec, runDirectory } from './run-directory.ts';
import { marksOf } from './run-place.ts';
import { lineCutter, type SpawnAnswer, type SpawnRequest } from './spawn-wire.ts';

export interface SpawnerOptions {
  /** From `installShim`. */
  readonly shim: string;
  /** Of the home: with it, shims are started in advance. */
  readonly mark?: string;
  readonly helperUrl?: URL;
  /** How long to wait before each new helper when one after the other dies without an answer. */
  readonly restartAfterMs?: readonly number[];
  log(message: string): void;
}

export interface Spawner {
  /**
   * Lays out these steps and the run's directory, and starts its shim. The pid is the shim's; `readIdentity` says who the
   * agent is.
   */
  start(spec: RunSpec, steps?: readonly FileOp[]): Promise<{ readonly pid: number }>;
  /** Lays these out, and no more. */
  lay(steps: readonly FileOp[]): Promise<void>;
  helperPid(): number | undefined;
  /** Refuses the starts under way. What runs, runs on. */
  close(): Promise<void>;
}

/** Why a start was refused; the code is the operating system's word, or `HELPER` when there is no helper to ask. */
export class SpawnRefused extends Error {
  override readonly name = 'SpawnRefused';
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export const openSpawner = (options: SpawnerOptions): Spawner => new HelperSpawner(options);

interface Pending {
  readonly line: string;
  resolve(pid: number | undefined): void;
  reject(error: Error): void;
}

const MAX_PENDING = 2_000;
const ANSWER_WITHIN_MS = 15_000;
const CLOSE_WITHIN_MS = 1_000;
const RESTART_AFTER_MS = [0, 50, 200, 800, 3_200];

/**
 * One helper at a time, started at once, while this process is small.
 *
 * A helper that dies, or is silent too long, is replaced by one that is given every start without an answer. Some of
 * these may have been obeyed already: the second shim then finds the claim of the first, and ends. Each answer makes
 * the count of failures start again.
 */
class HelperSpawner implements Spawner {
  readonly #options: SpawnerOptions;
  readonly #boot = bootIdSync();
  readonly #pending = new Map<number, Pending>();
  #helper: ChildProcess | undefined;
  #n = 0;
  #failures = 0;
  #restart: NodeJS.Timeout | undefined;
  #watchdog: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: SpawnerOptions) {
    this.#options = options;
    this.#open();
  }

  helperPid(): number | undefined {
    return this.#helper?.pid;
  }

  async start(spec: RunSpec, steps: readonly FileOp[] = []): Promise<{ readonly pid: number }> {
    const cgroup = spec.cgroupParent === undefined ? undefined : cgroupOf(spec.cgroupParent, spec);
    const start = {
      file: '/bin/sh',
      args: [this.#options.shim, spec.directory, spec.mode, this.#boot, cgroup ?? '', spec.command, ...spec.args],
      workDirectory: spec.workDirectory,
      env: { ...spec.env, ...marksOf(spec) },
    };
    try {
      const all = [...steps, ...runDirectory(spec)];
      const pid = await this.#ask({ steps: all, ...(cgroup === undefined ? {} : { cgroup }), start });
      if (pid === undefined) throw new SpawnRefused('HELPER', `run ${spec.id} got no process`);
      return { pid };
    } catch (error) {
      if (cgroup !== undefined) await removeCgroup(cgroup);
      throw error;
    }
  }

  async lay(steps: readonly FileOp[]): Promise<void> {
    await this.#ask({ steps });
  }

  #ask(request: Omit<SpawnRequest, 'n'>): Promise<number | undefined> {
    if (this.#closed) throw new SpawnRefused('HELPER', 'nothing was started: the spawner is closed');
    if (this.#pending.size >= MAX_PENDING) throw new SpawnRefused('EAGAIN', `${MAX_PENDING} starts are waiting for an answer`);
    const n = ++this.#n;
    const line = `${JSON.stringify({ n, ...request })}\n`;
    const answered = new Promise<number | undefined>((resolve, reject) => {
      this.#pending.set(n, { line, resolve, reject });
    });
    if (this.#helper) this.#send(line);
    else if (this.#restart === undefined) this.#open();
    this.#watch();
    return answered;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#restart);
    clearTimeout(this.#watchdog);
    this.#refuseAll('the spawner was closed');
    const helper = this.#helper;
    if (!helper || helper.exitCode !== null || helper.signalCode !== null) return;
    const ended = once(helper, 'exit');
    helper.stdin?.end();
    const late = setTimeout(() => helper.kill('SIGKILL'), CLOSE_WITHIN_MS);
    await ended;
    clearTimeout(late);
  }

  /** What is asked for in one turn of the loop goes out in one piece. */
  #send(line: string): void {
    const wire = this.#helper?.stdin;
    if (!wire) return;
    if (wire.writableCorked === 0) {
      wire.cork();
      process.nextTick(() => wire.uncork());
    }
    wire.write(line);
  }

  #open(): void {
    this.#restart = undefined;
    const program = fileURLToPath(this.#options.helperUrl ?? defaultHelperUrl());
    // Short of descriptors there are no pipes either, and an error follows.
    const { shim, mark } = this.#options;
    const inAdvance = mark === undefined ? [] : [shim, mark];
    const helper: ChildProcess = spawn(process.execPath, [program, ...inAdvance], {
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
    });
    this.#helper = helper;
    const gone = (why: string): void => this.#gone(helper, why);
    helper.on('error', (error) => gone(error.message));
    helper.on('exit', (code, signal) => gone(signal ?? `exit ${code}`));
    helper.stdin?.on('error', () => {});
    helper.stdout?.setEncoding('utf8').on(
      'data',
      lineCutter((line) => this.#settle(JSON.parse(line) as SpawnAnswer)),
    );
    for (const { line } of this.#pending.values()) helper.stdin?.write(line);
    this.#watch();
  }

  #settle(answer: SpawnAnswer): void {
    const pending = this.#pending.get(answer.n);
    this.#pending.delete(answer.n);
    this.#failures = 0;
    this.#watch();
    if ('code' in answer) pending?.reject(new SpawnRefused(answer.code, answer.message));
    else pending?.resolve(answer.pid);
  }

  #gone(helper: unknown, why: string): void {
    if (this.#closed || helper !== this.#helper) return;
    this.#helper = undefined;
    clearTimeout(this.#watchdog);
    this.#options.log(`the spawn helper ended (${why}) with ${this.#pending.size} starts unanswered`);
    const delay = (this.#options.restartAfterMs ?? RESTART_AFTER_MS)[this.#failures];
    this.#failures += 1;
    if (delay !== undefined) this.#restart = setTimeout(() => this.#open(), delay);
    else this.#refuseAll(`the spawn helper ended ${this.#failures} times in a row, last by ${why}`);
  }

  #watch(): void {
    clearTimeout(this.#watchdog);
    if (this.#pending.size === 0) return;
    this.#watchdog = setTimeout(() => this.#helper?.kill('SIGKILL'), ANSWER_WITHIN_MS);
  }

  #refuseAll(why: string): void {
    for (const { reject } of this.#pending.values()) reject(new SpawnRefused('HELPER', why));
    this.#pending.clear();
    this.#failures = 0;
  }
}
