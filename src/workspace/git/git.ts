import { Fault, type FaultCode } from '../../domain/fault.ts';
import { type Mode, sanitizedGitEnv } from './environment.ts';
import { callGit } from './git-helper-client.ts';
import { type GitLocation, variablesOf } from './location.ts';
import type { GitEnded } from './spawn-git.ts';

/** How one git process ended, with its output as bytes: names of files need not be UTF-8. */
export interface GitEnd {
  /** Undefined when it was stopped, killed, or not started at all. */
  readonly code: number | undefined;
  /** The beginning, where it said more than was asked for. */
  readonly out: Buffer;
  readonly err: string;
  /** Git itself could not be started. */
  readonly missing: boolean;
  /** More output than was asked for, or more time: it was stopped. */
  readonly stopped?: 'output' | 'time' | undefined;
}

export interface GitOptions {
  readonly mode: Mode;
  readonly input?: string | Uint8Array | undefined;
  /** 0: as long as it takes. */
  readonly timeoutMs?: number | undefined;
  readonly maxBytes?: number | undefined;
  /** Settings of this call, such as `checkout.workers`. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
  /** Further variables: who commits, and marks by which the process is found. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** A session of its own: what it starts cannot ask on our terminal, and ends with it. */
  readonly apart?: boolean | undefined;
}

const TIMEOUT_MS = 120_000;
const MAX_BYTES = 64 * 1024 * 1024;

/** The one way in which Fleet runs git: where, in which mode, with which arguments. */
export const git = (
  location: GitLocation,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  options: GitOptions,
): Promise<GitEnd> =>
  run(args, env, {
    ...options,
    cwd: location.cwd ?? location.workTree ?? location.gitDir,
    variables: { ...variablesOf(location), ...options.variables },
  });

/** Git finds out by itself where the repository of a directory is, or lists what is set there: see the mode `look`. */
export const look = (directory: string, args: readonly string[], env: NodeJS.ProcessEnv, gitDir?: string): Promise<GitEnd> =>
  run(args, env, { mode: 'look', cwd: directory, variables: gitDir === undefined ? {} : { GIT_DIR: gitDir } });

async function run(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  { mode, settings, variables, timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES, ...call }: GitOptions & { readonly cwd: string },
): Promise<GitEnd> {
  const told = { ...sanitizedGitEnv(mode, env, settings), ...variables };
  return ended(await callGit({ ...call, args, env: told, maxBytes, timeoutMs: timeoutMs === 0 ? undefined : timeoutMs }));
}

function ended({ code, out, err, cut, late, failure }: GitEnded): GitEnd {
  const stopped = cut ? 'output' : late ? 'time' : undefined;
  return { code: stopped ? undefined : code, out, err: failure?.message ?? err, missing: failure !== undefined, stopped };
}

/** What a call said that does not fail but for the state of the machine, or, with another code, for what is not there. */
export function answered(end: GitEnd, what: string, code: FaultCode = 'unavailable'): Buffer {
  if (end.code === 0) return end.out;
  throw gitFault(end, what, code);
}

/** Why git could not do `what`. */
export function gitFault(end: GitEnd, what: string, code: FaultCode = 'unavailable'): Fault {
  if (end.missing) return new Fault('unavailable', /ENOENT/.test(end.err) ? NOT_INSTALLED : `git cannot be started: ${end.err}`);
  if (end.stopped === 'time') return new Fault('unavailable', `git took too long to ${what}`);
  if (end.stopped === 'output') return new Fault('limit', `git says more than is kept in memory to ${what}`);
  const words = end.err.split('\n').slice(0, MOST_LINES).join('; ').slice(0, MOST_WORDS) || 'it gave no reason';
  // Git seldom says why it could not write.
  const isFull = /No space left|unable to write|write error/i.test(end.err);
  return new Fault(isFull ? 'unavailable' : code, `git could not ${what}: ${isFull ? 'perhaps the disk is full: ' : ''}${words}`);
}

export const NOT_INSTALLED = 'git is not installed: install git 2.38 or newer';
const MOST_LINES = 6;
const MOST_WORDS = 1_000;
