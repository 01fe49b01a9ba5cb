import { Fault } from '../domain/fault.ts';
import { calmEnvironment, OVERRULED, OVERRULED_WHEN_LOOKING } from './armour.ts';
import { type GitEnd, type RunOptions, runGit } from './run-git.ts';
import { type Seat, seatOf } from './seat.ts';
import { standIn } from './stand-in.ts';

export interface GitAnswer {
  readonly ok: boolean;
  readonly out: string;
  readonly err: string;
  /** Git itself could not be started. */
  readonly missing: boolean;
}

export interface GitOptions {
  readonly input?: string | Uint8Array | undefined;
  /** A file in its place, for what is too large to hold. */
  readonly inputFile?: string | undefined;
  /** Another index than that of the working tree. */
  readonly index?: string | undefined;
  /** Further variables: who commits, and when. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** 0: as long as it takes. */
  readonly timeoutMs?: number | undefined;
  readonly maxBytes?: number | undefined;
  /** Settings that go before the command, such as `transfer.fsckObjects=true`. */
  readonly settings?: readonly string[] | undefined;
}

const TIMEOUT_MS = 30_000;

/**
 * Git in a directory, so that nothing in its repository can make it run a program. See `armour.ts`. Questions about where a
 * repository lies and what it is set to are answered by git's own search; they start nothing and open no object.
 */
export async function git(
  directory: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  options: GitOptions = {},
): Promise<GitAnswer> {
  const seat = args[0] === 'rev-parse' && isSearch(args) ? undefined : await seatOf(directory);
  const end =
    seat && !isSearch(args)
      ? await gitAt({ ...seat, cwd: directory }, args, env, options)
      : await search(directory, args, env, { ...options, ...(seat ? { variables: { GIT_DIR: seat.gitDir } } : {}) });
  return { ok: end.code === 0, out: end.out.toString('utf8').trim(), err: end.err, missing: end.missing };
}

/** The same where the parts of the repository are known, with the output as bytes. */
export async function gitAt(
  seat: Seat & { readonly cwd?: string | undefined },
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  options: GitOptions = {},
): Promise<GitEnd> {
  const place = {
    GIT_DIR: seat.gitDir,
    GIT_COMMON_DIR: await standIn(seat.commonDir, env),
    ...(seat.workTree === undefined ? { GIT_IMPLICIT_WORK_TREE: '0' } : { GIT_WORK_TREE: seat.workTree }),
    ...(options.index === undefined ? {} : { GIT_INDEX_FILE: options.index }),
  };
  return runGit([...OVERRULED, ...settings(options), ...args], {
    ...limits(options),
    inputFile: options.inputFile,
    cwd: seat.cwd ?? seat.workTree ?? seat.gitDir,
    env: { ...calmEnvironment(env), ...place, ...options.variables },
  });
}

/** The output of a call that has no reason to fail but the state of the machine. */
export async function outputAt(seat: Seat, args: readonly string[], env: NodeJS.ProcessEnv, options: GitOptions = {}) {
  const end = await gitAt(seat, args, env, options);
  if (end.code === 0) return end.out;
  throw gitFault(args, end);
}

export function gitFault(args: readonly string[], end: GitEnd): Fault {
  if (end.missing) return new Fault('unavailable', 'git is not installed: install git 2.38 or newer');
  const why = end.stopped === undefined ? end.err : `it was stopped because of too much ${end.stopped}`;
  // Git seldom says why it could not write.
  const advice = /No space left|unable to write|write error/i.test(why) ? 'perhaps the disk is full: ' : '';
  return new Fault('unavailable', `git ${args[0] ?? ''} did not succeed: ${advice}${why.slice(0, 2_000)}`);
}

const search = (directory: string, args: readonly string[], env: NodeJS.ProcessEnv, options: GitOptions): Promise<GitEnd> =>
  runGit([...OVERRULED_WHEN_LOOKING, ...settings(options), ...args], {
    ...limits(options),
    cwd: directory,
    // Only a search may end in a repository; anything else here is outside of one.
    env: {
      ...calmEnvironment(env),
      ...(isSearch(args) ? {} : { GIT_DIR: '/dev/null' }),
      ...options.variables,
    },
  });

const LOCATIONS = /^--(is-|git-|absolute-git-dir|show-(toplevel|cdup|prefix|superproject)|path-format=|resolve-git-dir)/;

const isSearch = ([command, ...rest]: readonly string[]): boolean =>
  (command === 'rev-parse' && rest.length > 0 && rest.every((word) => LOCATIONS.test(word))) ||
  (command === 'worktree' && rest[0] === 'list') ||
  (command === 'config' && rest.includes('--get'));

const settings = (options: GitOptions): string[] => (options.settings ?? []).flatMap((setting) => ['-c', setting]);

const limits = ({
  input,
  maxBytes,
  timeoutMs = TIMEOUT_MS,
}: GitOptions): Pick<RunOptions, 'input' | 'maxBytes' | 'timeoutMs'> => ({
  input,
  maxBytes,
  timeoutMs: timeoutMs === 0 ? undefined : timeoutMs,
});
