import { realpath, stat } from 'node:fs/promises';
import { look, NOT_INSTALLED } from './git/git.ts';
import { ask } from './git/in-repository.ts';

/** What a directory is to git. */
export type GitPlace =
  | {
      readonly kind: 'repository' | 'bare';
      readonly path: string;
      readonly branch?: string | undefined;
      readonly hasCommit: boolean;
    }
  | { readonly kind: 'directory'; readonly path: string }
  | { readonly kind: 'unusable'; readonly path: string; readonly why: string };

export const realPath = (path: string): Promise<string | undefined> => realpath(path).catch(() => undefined);

export async function inspect(path: string, env: NodeJS.ProcessEnv): Promise<GitPlace> {
  const unusable = (why: string): GitPlace => ({ kind: 'unusable', path, why });
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => error.code ?? 'unknown');
  if (typeof found === 'string') return unusable(STAT_PROBLEMS[found] ?? `it cannot be looked at (${found})`);
  if (!found.isDirectory()) return unusable('it is a file, not a directory');
  const real = await realPath(path);
  if (real === undefined) return unusable('it cannot be reached');
  const top = await look(real, ['rev-parse', '--is-bare-repository', '--absolute-git-dir'], env);
  if (top.missing) return unusable(NOT_INSTALLED);
  if (top.code !== 0) return /dubious ownership/.test(top.err) ? unusable(FOREIGN) : { kind: 'directory', path: real };
  const [bare, gitDir = real] = top.out.toString('utf8').trim().split('\n');
  return bare === 'true' ? repository('bare', gitDir, env) : repository('repository', await topLevel(real, env), env);
}

const topLevel = async (directory: string, env: NodeJS.ProcessEnv) =>
  (await look(directory, ['rev-parse', '--show-toplevel'], env)).out.toString('utf8').trim() || directory;

async function repository(kind: 'repository' | 'bare', path: string, env: NodeJS.ProcessEnv): Promise<GitPlace> {
  const [head, branch] = await Promise.all([
    ask(path, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], env),
    ask(path, ['symbolic-ref', '--quiet', '--short', 'HEAD'], env),
  ]);
  return { kind, path, branch: branch.ok ? branch.out : undefined, hasCommit: head.ok };
}

const STAT_PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such directory',
  ENOTDIR: 'a part of the path is a file, not a directory',
  EACCES: 'it may not be read by this user',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'the path is too long',
  ERR_INVALID_ARG_VALUE: 'the path contains a NUL character',
};

const FOREIGN = 'git refuses it because it belongs to another user: allow it with `git config --global --add safe.directory`';
