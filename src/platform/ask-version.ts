import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';

type Env = Readonly<Record<string, string | undefined>>;

/** What a program on the PATH says of itself. */
export type VersionAnswer =
  | { readonly found: false }
  | {
      readonly found: true;
      readonly path: string;
      readonly version?: string;
      readonly problem?: string;
    };

type Said = Omit<Extract<VersionAnswer, { found: true }>, 'found' | 'path'>;

const mostBytes = 16_384;

/**
 * Finds a program and asks for its version: without a shell, in an empty directory, with closed input and no variables but
 * those every program needs, and never for longer than this.
 */
export async function askVersion(
  name: string,
  args: readonly string[],
  { env, timeoutMs }: { env: Env; timeoutMs: number },
): Promise<VersionAnswer> {
  const path = await findProgram(name, env);
  if (path === undefined) return { found: false };
  const directory = await mkdtemp(join(tmpdir(), 'fleet-version-'));
  try {
    return { found: true, path, ...(await ask(path, args, { env: plainEnvironment(env), directory, timeoutMs })) };
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  }
}

/** No key, no token, nothing of Fleet's: only what programs need to start. Marks of tests are passed on. */
const PLAIN = /^(?:PATH|HOME|USER|LOGNAME|SHELL|TMPDIR|TZ|TERM|LANG|LANGUAGE|LC_\w+|LD_LIBRARY_PATH|XDG_\w+|FLEET_TEST_\w+)$/;

const plainEnvironment = (env: Env): Env => Object.fromEntries(Object.entries(env).filter(([name]) => PLAIN.test(name)));

/** On the PATH, unless it is a path itself. */
export async function findProgram(name: string, env: Env): Promise<string | undefined> {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((part) => part !== '');
  const paths = name.includes('/') ? [resolve(name)] : folders.map((folder) => resolve(join(folder, name)));
  for (const path of paths) if (await isProgram(path)) return path;
  return undefined;
}

const isProgram = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    async () => (await stat(path)).isFile(),
    () => false,
  );

/** How long the last of what a program said may take to arrive. */
const LAST_WORDS_MS = 500;

interface Asking {
  readonly env: Env;
  readonly directory: string;
  readonly timeoutMs: number;
}

/** A process group of its own, so that nothing of it is left when it takes too long. */
function ask(path: string, args: readonly string[], { env, directory, timeoutMs }: Asking): Promise<Said> {
  return new Promise((done) => {
    const child = spawn(path, args, { env, cwd: directory, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    const hear = (chunk: Buffer) => void (said.length < mostBytes && (said += chunk.toString('utf8')));
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    const over = (answer: Said) => {
      clearTimeout(timer);
      child.stdout.destroy();
      child.stderr.destroy();
      done(answer);
    };
    const timer = setTimeout(() => {
      endGroup(child.pid);
      over({ problem: `did not answer ${args.join(' ')} within ${timeoutMs / 1000} s` });
    }, timeoutMs);
    child.once('error', (error) => over({ problem: error.message }));
    // What it said may arrive after its exit; a helper it left behind may hold its pipes for ever.
    child.once('exit', (code, signal) => {
      const end = () => over(answerOf(said, code ?? `signal ${signal}`));
      const late = setTimeout(end, LAST_WORDS_MS);
      child.once('close', () => {
        clearTimeout(late);
        end();
      });
    });
  });
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It ended by itself in this moment.
  }
}

function answerOf(said: string, code: number | string): Said {
  const first = said.trim().split('\n')[0] ?? '';
  if (code !== 0)
    return {
      problem: `ended with ${typeof code === 'number' ? `exit code ${code}` : code}${first === '' ? '' : `: ${first.slice(0, 200)}`}`,
    };
  const version = /(?<!\d)\d+(?:\.\d+)+[-+.\w]*/.exec(said)?.[0];
  return version === undefined ? {} : { version };
}
