import { spawn } from 'node:child_process';
import { Readable } from 'node:stream';
import { LIMITS } from '../../domain/limits.ts';
import { IN_PIECES, sanitizedGitEnv } from './environment.ts';
import { type GitLocation, variablesOf } from './location.ts';

interface LimitedCall {
  readonly input: Readable | string;
  /** Its output as it comes, one character for each byte; absent: there is none to be read. */
  readonly onOutput?: ((text: string) => void) | undefined;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Of address space; the limit of the house unless a test says otherwise. */
  readonly memoryBytes?: number | undefined;
}

interface LimitedEnd {
  readonly code: number | null;
  readonly err: string;
}

const LIMITED = 'ulimit -c 0; ulimit -v "$0" 2>/dev/null; exec "$@"';
const MOST_SAID = 2_000;

/**
 * A closed git over objects that somebody else has made, with so much memory and no more: 200 bytes can ask for gigabytes, and a
 * few trees that name each other unfold into millions of files.
 */
export async function limitedGit(
  location: GitLocation,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  { input, onOutput, signal, memoryBytes = LIMITS.takenMemoryBytes.value }: LimitedCall,
): Promise<LimitedEnd> {
  const child = spawn('/bin/sh', ['-c', LIMITED, String(Math.floor(memoryBytes / 1_024)), 'git', ...args], {
    cwd: location.gitDir,
    env: { ...sanitizedGitEnv('closed', env, IN_PIECES), ...variablesOf(location) },
    stdio: ['pipe', onOutput ? 'pipe' : 'ignore', 'pipe'],
    signal,
    killSignal: 'SIGKILL',
  });
  let err = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    err = (err + text).slice(0, MOST_SAID);
  });
  child.stdout?.setEncoding('latin1').on('data', (text: string) => onOutput?.(text));
  child.on('error', (error) => {
    err ||= error.message;
  });
  const from = typeof input === 'string' ? Readable.from([input]) : input;
  const to = child.stdin as NonNullable<typeof child.stdin>;
  to.on('error', () => from.destroy());
  from.on('error', () => to.destroy()).pipe(to);
  // Also of one that was ended: nothing goes on behind the back of whoever removes its files.
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, err: err.trim() };
}
