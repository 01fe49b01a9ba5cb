import { callGit } from './git-hand.ts';
import type { GitCall } from './spawn-git.ts';

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

export type RunOptions = Omit<GitCall, 'args' | 'maxBytes' | 'apart'> & { readonly maxBytes?: number | undefined };

const MAX_BYTES = 16 * 1024 * 1024;

export async function runGit(args: readonly string[], options: RunOptions): Promise<GitEnd> {
  const { code, out, err, cut, late, failure } = await callGit({ ...options, args, maxBytes: options.maxBytes ?? MAX_BYTES });
  const stopped = cut ? 'output' : late ? 'time' : undefined;
  const missing = failure?.code === 'ENOENT';
  return { code: stopped ? undefined : code, out, err: failure?.message ?? err, missing, stopped };
}
