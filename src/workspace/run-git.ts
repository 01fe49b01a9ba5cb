import { type ChildProcess, spawn } from 'node:child_process';

/** How one git process ended, with its output as bytes: names of files need not be UTF-8. */
export interface GitEnd {
  readonly code: number | undefined;
  readonly out: Buffer;
  readonly err: string;
  /** Git itself could not be started. */
  readonly missing: boolean;
  /** More output than was asked for, or more time: it was stopped. */
  readonly stopped?: 'output' | 'time' | undefined;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly input?: string | Uint8Array | undefined;
  /** An open file in its place, for what is too large to hold. */
  readonly inputFd?: number | undefined;
  /** Absent: none. Checking out or packing takes as long as it takes. */
  readonly timeoutMs?: number | undefined;
  readonly maxBytes?: number | undefined;
}

const MAX_BYTES = 16 * 1024 * 1024;
const MAX_ERROR_BYTES = 64 * 1024;

const running = new Set<ChildProcess>();
let watching = false;

/** No git of ours goes on working after we have left. After a kill -9 `orphans.ts` finds it. */
function remember(child: ChildProcess): void {
  running.add(child);
  child.once('close', () => running.delete(child));
  if (watching) return;
  watching = true;
  process.once('exit', () => {
    for (const one of running) one.kill('SIGKILL');
  });
}

export const runGit = (args: readonly string[], options: RunOptions): Promise<GitEnd> =>
  new Promise((resolve) => {
    const child = spawn('git', args, { cwd: options.cwd, env: options.env, stdio: [options.inputFd ?? 'pipe', 'pipe', 'pipe'] });
    const [out, err]: [Buffer[], Buffer[]] = [[], []];
    let [outBytes, errBytes, missing]: [number, number, boolean] = [0, 0, false];
    let stopped: GitEnd['stopped'];
    const stop = (why: 'output' | 'time') => {
      stopped ??= why;
      child.kill('SIGKILL');
    };
    const timer = options.timeoutMs === undefined ? undefined : setTimeout(() => stop('time'), options.timeoutMs);
    child.stdout?.on('data', (bytes: Buffer) => {
      outBytes += bytes.length;
      if (outBytes > (options.maxBytes ?? MAX_BYTES)) stop('output');
      else out.push(bytes);
    });
    child.stderr?.on('data', (bytes: Buffer) => {
      errBytes += bytes.length;
      if (errBytes <= MAX_ERROR_BYTES) err.push(bytes);
    });
    // A git that ends before it has read everything says why by its code.
    child.stdin?.on('error', () => {});
    child.stdin?.end(options.input);
    remember(child);
    child.once('error', (error: NodeJS.ErrnoException) => {
      missing = error.code === 'ENOENT';
      err.push(Buffer.from(error.message));
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      const said = Buffer.concat(err).toString('utf8').trim();
      resolve({ code: stopped ? undefined : (code ?? undefined), out: Buffer.concat(out), err: said, missing, stopped });
    });
  });
