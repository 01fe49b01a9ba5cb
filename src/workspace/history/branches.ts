import { readdir, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Fault } from '../../domain/fault.ts';
import { exists } from '../../platform/files.ts';
import { type GitEnd, gitFault } from '../git/git.ts';
import { gitIn, outputIn } from '../git/in-repository.ts';
import { lockInTheWay, removeStaleLock } from '../git/stale-lock.ts';
import { readPlain } from '../read-plain.ts';
import type { Seat } from '../seat.ts';

const COMMIT_ID = /^[0-9a-f]{40}([0-9a-f]{24})?$/;

/** Of each name the commit it stands for, by one question. */
export async function commitsOf(
  seat: Seat,
  names: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<readonly (string | undefined)[]> {
  const input = names.map((name) => `${name}^{commit}\n`).join('');
  const out = await outputIn(seat, ['cat-file', '--batch-check=%(objectname)'], env, { mode: 'closed', input });
  const answers = out.toString('utf8').split('\n');
  return names.map((_, at) => (COMMIT_ID.test(answers[at] ?? '') ? answers[at] : undefined));
}

/**
 * Moves a ref. A lock that a killed git left on it is removed and the ref tried once more; one whose owner may be alive is
 * for git to report.
 */
export async function updateRef(seat: Seat, args: readonly string[], env: NodeJS.ProcessEnv): Promise<GitEnd> {
  const move = () => gitIn(seat, ['update-ref', ...args], env, { mode: 'user' });
  const end = await move();
  const lock = lockInTheWay(end.err);
  if (end.code === 0 || lock === undefined) return end;
  const places = [seat.commonDir, ...(seat.workTree === undefined ? [] : [seat.workTree])];
  return (await removeStaleLock(lock, places, 'ours')) ? move() : end;
}

/** Makes a branch at `commit`. False when there is one of that name, wherever it is. */
export async function makeBranch(seat: Seat, branch: string, commit: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const end = await updateRef(seat, ['-m', 'fleet: begin', `refs/heads/${branch}`, commit, '0'.repeat(commit.length)], env);
  if (end.code === 0) return true;
  if (/reference already exists/.test(end.err)) return false;
  if (/cannot create|there are still refs under/.test(end.err))
    throw new Fault('conflict', `the branch ${branch} cannot be made beside one whose name is a part of it: ${end.err}`, {
      branch,
    });
  if (/bad name|invalid ref|not a valid ref/i.test(end.err))
    throw new Fault('invalid', `${branch} cannot be the name of a branch`);
  throw gitFault(end, `make the branch ${branch}`);
}

/** The working tree that has a branch checked out, other than the entry named, or is in the middle of rebasing it. */
export async function holderOf(commonDir: string, branch: string, except: string | undefined): Promise<string | undefined> {
  const ref = `refs/heads/${branch}`;
  if (await holds(commonDir, ref)) {
    const isBare = /^[ \t]*bare[ \t]*=[ \t]*true[ \t\r]*$/im.test(await text(join(commonDir, 'config')));
    if (!isBare) return dirname(commonDir);
  }
  for (const name of await readdir(join(commonDir, 'worktrees')).catch(() => [])) {
    const entry = join(commonDir, 'worktrees', name);
    if (name === except || !(await holds(entry, ref))) continue;
    const tree = dirname((await text(join(entry, 'gitdir'))).trimEnd());
    // One that was deleted without telling git holds nothing, unless somebody has said that it comes back.
    if ((await exists(join(entry, 'locked'))) || (await exists(join(tree, '.git')))) return tree;
  }
  return undefined;
}

async function holds(gitDir: string, ref: string): Promise<boolean> {
  if ((await text(join(gitDir, 'HEAD'))).trim() === `ref: ${ref}`) return true;
  const rebased = await Promise.all(['rebase-merge', 'rebase-apply'].map((step) => text(join(gitDir, step, 'head-name'))));
  return rebased.some((name) => name.trim() === ref);
}

const text = async (file: string): Promise<string> => (await readPlain(file)) ?? '';

/** True when `path` is the directory itself or lies below it. */
export async function liesIn(path: string, directory: string | undefined): Promise<boolean> {
  if (directory === undefined) return false;
  const real = await realpath(directory).catch(() => directory);
  return path === real || path.startsWith(`${real}/`);
}
