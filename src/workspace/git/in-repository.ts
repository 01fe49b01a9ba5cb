import { gitDirectory } from '../git-directory.ts';
import { type Seat, seatOf } from '../seat.ts';
import type { Mode } from './environment.ts';
import { answered, type GitEnd, type GitOptions, git } from './git.ts';
import { type LendingGitDir, lentGitDir } from './scratch-git-dir.ts';

/** `closed` reads history and refs; `user` also moves refs, and reads and writes files. */
export type InRepository = Omit<GitOptions, 'mode'> & {
  readonly mode: Extract<Mode, 'closed' | 'user'>;
  /** Another index than that of the working tree. */
  readonly index?: string | undefined;
  readonly cwd?: string | undefined;
};

/** Git in a repository of the user's, by a scratch git directory that lends it. */
export async function gitIn(
  seat: Seat,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  { index, cwd, ...options }: InRepository,
): Promise<GitEnd> {
  await using lent = await lentGitDir(seat, options.mode === 'closed' ? 'history' : 'files', env);
  return await git(lent.entry({ workTree: seat.workTree, index, cwd }), args, env, options);
}

/** The output of a call that has no reason to fail but the state of the machine. */
export const outputIn = async (
  seat: Seat,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  options: InRepository,
): Promise<Buffer> => answered(await gitIn(seat, args, env, options), `run ${args[0]}`);

export interface GitAnswer {
  readonly ok: boolean;
  readonly out: string;
  readonly err: string;
  /** Git itself could not be started. */
  readonly missing: boolean;
}

/** The same wherever in the repository the directory is, with the answer as text. A directory of none is told so. */
export async function ask(
  directory: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  options: Partial<InRepository> = {},
): Promise<GitAnswer> {
  const seat = await seatOf(directory);
  if (seat === undefined) return { ok: false, out: '', err: `${directory} is not a git repository`, missing: false };
  const end = await gitIn(seat, args, env, { cwd: directory, mode: 'closed', ...options });
  return { ok: end.code === 0, out: end.out.toString('utf8').trim(), err: end.err, missing: end.missing };
}

/** Its history and refs, to be read. */
export const historyOf = async (repository: string, env: NodeJS.ProcessEnv): Promise<LendingGitDir> =>
  lentGitDir(await gitDirectory(repository), 'history', env);
