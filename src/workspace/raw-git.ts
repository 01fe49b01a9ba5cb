import { spawn } from 'node:child_process';
import { Fault } from '../domain/fault.ts';

export interface GitRun {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly input?: string | Uint8Array | undefined;
  readonly timeoutMs?: number | undefined;
  readonly maxBytes?: number | undefined;
  /** A session of its own: what it starts cannot ask on our terminal, and ends with it. */
  readonly apart?: boolean | undefined;
}

export interface Ran {
  readonly code: number;
  readonly out: Buffer;
  readonly err: string;
  /** It said more than was asked for; `out` holds the beginning. */
  readonly cut: boolean;
  readonly late: boolean;
}

const PATIENCE_MS = 120_000;
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_ERR_BYTES = 64 * 1024;

/** Git as bytes in, bytes out. It disarms nothing: callers own the directory and the environment it runs with. */
export function rawGit(args: readonly string[], run: GitRun): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const { maxBytes = MAX_BYTES, apart = false } = run;
    const child = spawn('git', args, { cwd: run.cwd, env: run.env, stdio: ['pipe', 'pipe', 'pipe'], detached: apart });
    const out = gather(maxBytes, () => end());
    const err = gather(MAX_ERR_BYTES, () => undefined);
    const end = () => {
      if (child.pid !== undefined) killQuietly(apart ? -child.pid : child.pid);
    };
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      end();
    }, run.timeoutMs ?? PATIENCE_MS);
    child.stdout.on('data', out.take);
    child.stderr.on('data', err.take);
    // A git that ends without reading all its input says why in its own words.
    child.stdin.on('error', () => undefined);
    child.stdin.end(run.input ?? '');
    child.once('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      reject(unstartable(error));
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ code: code ?? -1, out: out.bytes(), err: err.bytes().toString('utf8').trim(), cut: out.isFull(), late });
    });
  });
}

function gather(maxBytes: number, onFull: () => void) {
  const chunks: Buffer[] = [];
  let size = 0;
  let full = false;
  return {
    take: (chunk: Buffer) => {
      if (full) return;
      const fits = chunk.subarray(0, maxBytes - size);
      chunks.push(fits);
      size += fits.length;
      full = fits.length < chunk.length;
      if (full) onFull();
    },
    bytes: () => Buffer.concat(chunks),
    isFull: () => full,
  };
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

const unstartable = (error: NodeJS.ErrnoException): Fault =>
  error.code === 'ENOENT'
    ? new Fault('unavailable', 'git cannot be started: install git 2.38 or newer, or look whether the repository is still there')
    : new Fault('unavailable', `git cannot be started: ${error.message}`, {}, { cause: error });
