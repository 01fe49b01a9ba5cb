import { join } from 'node:path';
import { Fault } from '../domain/fault.ts';
import { git } from './git.ts';
import type { Who } from './site.ts';

export type Target =
  | { readonly state: 'found'; readonly branch: string; readonly commit: string }
  | { readonly state: 'unborn' | 'detached' | 'missing'; readonly why: string; readonly branch?: string };

/** The branch work is to land on: the one asked for, else the one checked out in the project (its HEAD). */
export async function targetOf(repository: string, wanted: string | undefined, env: NodeJS.ProcessEnv): Promise<Target> {
  if (wanted !== undefined) {
    const commit = isBranchName(wanted) ? await commitOf(repository, `refs/heads/${wanted}`, env) : undefined;
    return commit === undefined
      ? { state: 'missing', why: `there is no branch ${JSON.stringify(wanted)}`, branch: wanted }
      : { state: 'found', branch: wanted, commit };
  }
  const head = await git(repository, ['symbolic-ref', '--quiet', 'HEAD'], env);
  if (head.missing) throw noGit();
  if (!head.ok) return { state: 'detached', why: 'no branch is checked out (detached HEAD): say which branch is the target' };
  const branch = head.out.replace(/^refs\/heads\//, '');
  const commit = await commitOf(repository, head.out, env);
  return commit === undefined
    ? { state: 'unborn', why: `the branch ${JSON.stringify(branch)} has no commit yet`, branch }
    : { state: 'found', branch, commit };
}

/** The full id of the commit a ref, a tag or an id names. */
export async function commitOf(repository: string, ref: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (ref === '' || ref.includes('\0')) return undefined;
  const found = await git(repository, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`], env);
  if (found.missing) throw noGit();
  // Before git 2.43 the mark for the end of options is itself printed.
  const id = found.out.split('\n').at(-1) ?? '';
  return found.ok && isId(id) ? id : undefined;
}

/** As the user would sign a commit here; Fleet itself where nobody said. */
export async function identityOf(repository: string, env: NodeJS.ProcessEnv): Promise<Who> {
  const [name, email] = await Promise.all([configured(repository, 'user.name', env), configured(repository, 'user.email', env)]);
  return name === undefined || email === undefined ? { name: 'Fleet', email: 'fleet@localhost' } : { name, email };
}

/** The repository's word, else the user's: git's order, also where the user's own file is kept from our git. */
async function configured(repository: string, key: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const home = env['HOME'] ?? '';
  const files = env['GIT_CONFIG_GLOBAL']
    ? [env['GIT_CONFIG_GLOBAL']]
    : [join(home, '.gitconfig'), join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'git', 'config')];
  for (const where of [[], ...files.map((file) => ['--file', file, '--includes'])]) {
    const { ok, out } = await git(repository, ['config', ...where, '--get', key], env);
    const value = signable(out);
    if (ok && value !== '') return value;
  }
  return undefined;
}

/** A signature is one line, and `<>` are its brackets. */
export const signable = (text: string): string => text.replaceAll(/[\0-\x1f\x7f<>]/g, ' ').trim();

export const isId = (text: string): boolean => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);

/** What `git check-ref-format refs/heads/…` allows: a name it refuses cannot be the name of a branch. */
export const isBranchName = (name: string): boolean =>
  name !== '' &&
  !/[\0-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|^\/|\/$|\.$/.test(name) &&
  name.split('/').every((part) => !part.startsWith('.') && !part.endsWith('.lock'));

export const noGit = (): Fault => new Fault('unavailable', 'git is not installed: install git 2.38 or newer');
