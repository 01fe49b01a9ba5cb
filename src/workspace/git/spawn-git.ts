import { type ChildProcess, spawn } from 'node:child_process';

/** One call of git as data: it may be handed to another process to be made. */
export interface GitCall {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly input?: string | Uint8Array | undefined;
  /** Absent: none. Checking out or packing takes as long as it takes. */
  readonly timeoutMs?: number | undefined;
  readonly maxBytes: number;
  /** A session of its own: what it starts cannot ask on our terminal, and ends with it. */
  readonly apart?: boolean | undefined;
}

/** How it ended, with its output as bytes: names of files need not be UTF-8. */
export interface GitEnded {
  readonly code: number | undefined;
  /** The beginning, where it said more than was asked for. */
  readonly out: Buffer;
  readonly err: string;
  /** It was stopped: it said more than was asked for. */
  readonly cut: boolean;
  /** It was stopped: it took longer than it may. */
  readonly late: boolean;
  /** It could not be started; ENOENT: git, or the directory, is not there. */
  readonly failure?: { readonly code: string; readonly message: string } | undefined;
}

const MAX_ERR_BYTES = 64 * 1024;

const running = new Set<() => void>();

/** No git of ours goes on working after we have left. After a kill -9 `orphans.ts` finds it. */
export function endAllGits(): void {
  for (const end of running) end();
}

let watching = false;

function remember(child: ChildProcess, end: () => void): void {
  running.add(end);
  child.once('close', () => running.delete(end));
  if (watching) return;
  watching = true;
  process.once('exit', endAllGits);
}

/** For `git.ts` alone, which makes the environment. Aborted, it is ended as one that is late. */
export function spawnGit(call: GitCall, signal?: AbortSignal): Promise<GitEnded> {
  return new Promise((resolve) => {
    const { cwd, env, apart = false } = call;
    const child = spawn('git', call.args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'], detached: apart });
    const end = () => {
      if (child.pid !== undefined) killQuietly(apart ? -child.pid : child.pid);
    };
    const out = gather(call.maxBytes, end);
    const err = gather(MAX_ERR_BYTES, () => undefined);
    let [late, failure]: [boolean, GitEnded['failure']] = [false, undefined];
    const stop = () => {
      late = true;
      end();
    };
    const timer = call.timeoutMs === undefined ? undefined : setTimeout(stop, call.timeoutMs);
    signal?.addEventListener('abort', stop, { once: true });
    child.stdout?.on('data', out.take);
    child.stderr?.on('data', err.take);
    // A git that ends without reading all its input says why in its own words.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(call.input ?? '');
    remember(child, end);
    child.once('error', (error: NodeJS.ErrnoException) => {
      failure = { code: error.code ?? 'UNKNOWN', message: error.message };
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      const said = err.bytes().toString('utf8').trim();
      resolve({ code: failure ? undefined : (code ?? undefined), out: out.bytes(), err: said, cut: out.isFull(), late, failure });
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
