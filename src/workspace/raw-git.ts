import { Fault } from '../domain/fault.ts';
import { callGit } from './git-hand.ts';
import type { GitCall, GitEnded } from './spawn-git.ts';

export type GitRun = Omit<GitCall, 'args' | 'maxBytes' | 'inputFile'> & { readonly maxBytes?: number | undefined };

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

/** Git as bytes in, bytes out. It disarms nothing: callers own the directory and the environment it runs with. */
export async function rawGit(args: readonly string[], run: GitRun): Promise<Ran> {
  const { maxBytes = MAX_BYTES, timeoutMs = PATIENCE_MS } = run;
  const { code = -1, out, err, cut, late, failure } = await callGit({ ...run, args, maxBytes, timeoutMs });
  if (failure) throw unstartable(failure);
  return { code, out, err, cut, late };
}

const unstartable = ({ code, message }: NonNullable<GitEnded['failure']>): Fault =>
  code === 'ENOENT'
    ? new Fault('unavailable', 'git cannot be started: install git 2.38 or newer, or look whether the repository is still there')
    : new Fault('unavailable', `git cannot be started: ${message}`);
