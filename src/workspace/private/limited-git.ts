import { spawn } from 'node:child_process';
import { Readable } from 'node:stream';
import { LIMITS } from '../../domain/limits.ts';
import { closedEnvironment, IN_PIECES } from './closed-environment.ts';
import { type ClosedPlace, variablesOf } from './closed-git.ts';

interface Call {
  readonly args: readonly string[];
  readonly input: Readable | string;
  /** Its output as it comes, one character for each byte; absent: there is none to be read. */
  readonly onOutput?: ((text: string) => void) | undefined;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Of address space; the limit of the house unless a test says otherwise. */
  readonly memoryBytes?: number | undefined;
}

export interface LimitedEnd {
  readonly code: number | null;
  readonly err: string;
}

const MOST_SAID = 2_000;

/**
 * Git over objects that somebody else has made, with so much memory and no more: 200 bytes can ask for gigabytes, and a few
 * trees that name each other unfold into millions of files.
 */
export async function limitedGit(place: ClosedPlace, env: NodeJS.ProcessEnv, call: Call): Promise<LimitedEnd> {
  const { args, input, onOutput, signal, memoryBytes = LIMITS.takenMemoryBytes.value } = call;
  const limited = `ulimit -c 0; ulimit -v ${Math.floor(memoryBytes / 1_024)} 2>/dev/null; exec "$@"`;
  const child = spawn('/bin/sh', ['-c', limited, 'fleet', 'git', ...args], {
    cwd: place.gitDir,
    env: { ...closedEnvironment(env, IN_PIECES), ...variablesOf(place) },
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
