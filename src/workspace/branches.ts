import { readdir, readFile, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Fault } from '../domain/fault.ts';
import { exists } from '../platform/files.ts';
import { gitAt, gitFault, outputAt } from './git.ts';
import type { Seat } from './seat.ts';

const COMMIT_ID = /^[0-9a-f]{40}([0-9a-f]{24})?$/;

/** Of each name the commit it stands for, by one question. */
export async function commitsOf(
  seat: Seat,
  names: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<readonly (string | undefined)[]> {
  const input = names.map((name) => `${name}^{commit}\n`).join('');
  const out = await outputAt(seat, ['cat-file', '--batch-check=%(objectname)'], env, { input });
  const answers = out.toString('utf8').split('\n');
  return names.map((_, at) => (COMMIT_ID.test(answers[at] ?? '') ? answers[at] : undefined));
}

/** Makes a branch that is not there, at `commit`. */
export async function makeBranch(seat: Seat, branch: string, commit: string, env: NodeJS.ProcessEnv): Promise<void> {
  const args = ['update-ref', '-m', 'fleet: begin', `refs/heads/${branch}`, commit, '0'.repeat(commit.length)];
  const end = await gitAt(seat, args, env);
  if (end.code === 0) return;
  if (/cannot create|there are still refs under/.test(end.err))
    throw new Fault('conflict', `the branch ${branch} cannot be made beside one whose name is a part of it: ${end.err}`, {
      branch,
    });
  if (/bad name|invalid ref|not a valid ref/i.test(end.err))
    throw new Fault('invalid', `${branch} cannot be the name of a branch`);
  throw gitFault(args, end);
}

/** The working tree that has a branch checked out, other than the entry named, or is in the middle of rebasing it. */
export async function holderOf(commonDir: string, branch: string, except: string | undefined): Promise<string | undefined> {
  const ref = `refs/heads/${branch}`;
  if (await holds(commonDir, ref)) {
    const isBare = /^\s*bare\s*=\s*true\s*$/im.test(await text(join(commonDir, 'config')));
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

const text = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '');

/** True when `path` is the directory itself or lies below it. */
export async function liesIn(path: string, directory: string | undefined): Promise<boolean> {
  if (directory === undefined) return false;
  const real = await realpath(directory).catch(() => directory);
  return path === real || path.startsWith(`${real}/`);
}
