import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, unlinkSync, writeSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { hasCode, makeOnceSync, PRIVATE_FILE } from '../platform/files.ts';
import { statSync } from '../platform/proc.ts';
import { filesOf, shimMark } from './run-place.ts';
import type { SpawnProgram } from './spawn-wire.ts';

/** How many wait for work. More starts than this at once begin the slow way. */
const READY = 3;
const FILL_AFTER_MS = 10;
/** In memory: what a shim is told holds the environment of an agent. */
const MEMORY = '/dev/shm';
/** Longer ones may be more than the system takes, and the slow way says so. */
const MOST_BYTES = 100_000;
const NAME = /^[A-Za-z_]\w*$/;
/** What some shells let nobody set. */
const FIXED = new Set(['PPID', 'UID', 'EUID', 'SHELLOPTS', 'BASHOPTS', 'BASH_VERSINFO']);
/** The shell knows it by itself, and better. */
const PLACE = 'PWD';

interface ReadyShim {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly started: string;
  /** A file without a name, which the shim has open as well. */
  readonly file: number;
}

/**
 * Shims that were started in advance: starting a program takes milliseconds, most of them before its first instruction,
 * and one of these has that behind it. Told what to run, it goes on as if it had been started so. Until then it belongs to
 * no run, and when this process is gone, it goes too.
 */
export class ReadyShims {
  readonly #shim: string;
  readonly #mark: string;
  readonly #ready: ReadyShim[] = [];
  #isPossible = process.platform === 'linux';
  #filling: NodeJS.Timeout | undefined;

  constructor(shim: string, mark: string) {
    this.#shim = shim;
    this.#mark = mark;
    this.#fillSoon();
  }

  /** Lays out what it needs, and answers the pid of the shim that took it; undefined when it must be started the slow way. */
  start(program: SpawnProgram, lay: () => void): number | undefined {
    const text = this.#ready.length > 0 ? scriptFor(program, this.#shim) : undefined;
    const shim = text === undefined ? undefined : this.#ready.shift();
    this.#fillSoon();
    if (shim === undefined || text === undefined) return undefined;
    const { stdin } = shim.child;
    if (!isWritten(shim.file, `${text}f_start=${shim.started} f_claimed=1\n`)) {
      stdin?.destroy();
      closeSync(shim.file);
      return undefined;
    }
    try {
      stdin?.write('\n');
      lay();
      // Somebody was faster: this one is to end, as one that finds the claim of another does.
      if (claimed(program, shim)) stdin?.end('\n');
      else stdin?.destroy();
    } catch (error) {
      stdin?.destroy();
      throw error;
    } finally {
      closeSync(shim.file);
    }
    return shim.pid;
  }

  /** Not at once: what was just started needs the machine. */
  #fillSoon(): void {
    clearTimeout(this.#filling);
    if (!this.#isPossible) return;
    this.#filling = setTimeout(() => {
      const shim = this.#ready.length < READY ? this.#open() : undefined;
      if (!shim) return;
      this.#ready.push(shim);
      this.#fillSoon();
    }, FILL_AFTER_MS).unref();
  }

  #open(): ReadyShim | undefined {
    const file = this.#fileInMemory();
    if (file === undefined) return undefined;
    const child = spawn('/bin/sh', [this.#shim], {
      cwd: '/',
      env: shimMark(this.#mark),
      stdio: ['pipe', 'ignore', 'ignore', file],
      detached: true,
    });
    const gone = () => this.#forget(child);
    child.once('error', gone).once('exit', gone);
    // It is told, and whether it listens shows in the run.
    child.stdin?.on('error', () => undefined);
    child.unref();
    (child.stdin as Socket | null)?.unref();
    const { pid } = child;
    const started = pid === undefined ? undefined : statSync(pid)?.started;
    if (pid !== undefined && started !== undefined) return { child, pid, started, file };
    child.stdin?.destroy();
    closeSync(file);
    return undefined;
  }

  #fileInMemory(): number | undefined {
    try {
      const path = join(MEMORY, `fleet-${randomBytes(12).toString('hex')}`);
      const file = openSync(path, 'wx+', PRIVATE_FILE);
      unlinkSync(path);
      return file;
    } catch (error) {
      // Short of something it may be tried again; where there is no such place, not.
      this.#isPossible = hasCode(error, 'EMFILE', 'ENFILE', 'ENOSPC');
      return undefined;
    }
  }

  /** One that ended before it was told anything. */
  #forget(child: ChildProcess): void {
    const at = this.#ready.findIndex((one) => one.child === child);
    const [shim] = at === -1 ? [] : this.#ready.splice(at, 1);
    if (shim) closeSync(shim.file);
  }
}

/** That memory may be full of what is somebody else's: then there is still the slow way. */
function isWritten(file: number, text: string): boolean {
  try {
    return writeSync(file, text, 0) === Buffer.byteLength(text);
  } catch (error) {
    if (hasCode(error, 'ENOSPC', 'EDQUOT')) return false;
    throw error;
  }
}

/** Seen whole or not at all, and made once. */
function claimed({ args: [, directory = '', , boot = ''] }: SpawnProgram, { pid, started }: ReadyShim): boolean {
  return makeOnceSync(filesOf({ directory }).claim, `shim ${pid} ${started} ${boot}\n`);
}

/** What gives a shim the directory, the environment and the arguments of the program; undefined where it cannot. */
function scriptFor({ file, args: [shim, ...args], workDirectory, env }: SpawnProgram, own: string): string | undefined {
  const names = Object.keys(env).filter((name) => NAME.test(name) && name !== PLACE);
  if (file !== '/bin/sh' || shim !== own || names.some((name) => FIXED.has(name))) return undefined;
  const text = [
    `cd ${quoted(workDirectory)} || exit 0`,
    // A shell tells its children where it came from.
    'unset OLDPWD',
    ...names.map((name) => `export ${name}=${quoted(env[name] ?? '')}`),
    `set -- ${args.map(quoted).join(' ')}`,
  ].join('\n');
  return text.includes('\0') || Buffer.byteLength(text) > MOST_BYTES ? undefined : `${text}\n`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
