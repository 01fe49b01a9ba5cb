import { execFile, spawnSync } from 'node:child_process';
import { type Parts, variablesOf } from './location.ts';

/**
 * Git of a program of Fleet's that runs in a sandbox, where nobody minds that it is waited for. Whatever it is made to do in there, it reaches
 * nothing; so it is the only one that may be led to a git directory of an agent.
 */
export interface SandboxedCall {
  readonly at: Parts;
  /** Made by `sanitizedGitEnv` before the sandbox was. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly input?: Buffer | string | undefined;
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** Its output goes to whoever reads ours. */
  readonly passOn?: boolean | undefined;
}

/** `err`: the beginning of what it complained of. */
export type Ran = { readonly out: Buffer; readonly err: string } | { readonly why: string };

const OUTPUT_BYTES = 1024 * 1024 * 1024;
const MOST_WORDS = 300;

const placeOf = ({ at }: SandboxedCall): string => at.cwd ?? at.workTree ?? at.gitDir;

const told = ({ at, env, variables }: SandboxedCall) => ({ ...env, ...variablesOf(at), ...variables });

const wordsOf = (err: Buffer | string): string => String(err).trim().slice(-MOST_WORDS);

/** Too late, or not there at all, is thrown. */
export function gitInSandbox(args: readonly string[], call: SandboxedCall): Ran {
  const ran = spawnSync('git', args, {
    cwd: placeOf(call),
    input: call.input,
    timeout: call.timeoutMs,
    killSignal: 'SIGKILL',
    maxBuffer: OUTPUT_BYTES,
    env: told(call),
    stdio: ['pipe', call.passOn ? 'inherit' : 'pipe', 'pipe'],
  });
  const code = (ran.error as NodeJS.ErrnoException | undefined)?.code;
  if (code === 'ETIMEDOUT') throw new Error(`git ${args[0]} took too long`);
  if (code === 'ENOENT') throw new Error('git is not to be found');
  if (ran.status === 0) return { out: ran.stdout ?? Buffer.alloc(0), err: ran.stderr?.toString('latin1', 0, MOST_WORDS) ?? '' };
  return { why: ran.stderr ? wordsOf(ran.stderr) : `it ended with ${ran.status ?? ran.signal}` };
}

/** The same beside another one: both only look. What does not succeed is thrown. */
export const gitBeside = (args: readonly string[], call: SandboxedCall): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const bounds = { timeout: call.timeoutMs, killSignal: 'SIGKILL', maxBuffer: OUTPUT_BYTES, encoding: 'buffer' } as const;
    execFile('git', [...args], { ...bounds, cwd: placeOf(call), env: told(call) }, (error, out, err) => {
      if (!error) resolve(out);
      else if (error.killed) reject(new Error(`git ${args[0]} took too long`));
      else reject(new Error(`git ${args[0]} did not succeed: ${wordsOf(err)}`));
    });
  });
