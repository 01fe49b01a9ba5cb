import { Fault } from '../../domain/fault.ts';
import { NOT_INSTALLED } from '../git/git.ts';
import { ask } from '../git/in-repository.ts';
import { type Setting, settingsOf } from '../git/repository-settings.ts';
import type { Who } from '../site.ts';

export type TargetOutcome =
  | { readonly state: 'found'; readonly branch: string; readonly commit: string }
  | { readonly state: 'unborn' | 'detached' | 'missing'; readonly why: string; readonly branch?: string };

/** The branch work is to land on: the one asked for, else the one checked out in the project (its HEAD). */
export async function targetOf(repository: string, wanted: string | undefined, env: NodeJS.ProcessEnv): Promise<TargetOutcome> {
  if (wanted !== undefined) {
    const commit = isBranchName(wanted) ? await commitOf(repository, `refs/heads/${wanted}`, env) : undefined;
    return commit === undefined
      ? { state: 'missing', why: `there is no branch ${JSON.stringify(wanted)}`, branch: wanted }
      : { state: 'found', branch: wanted, commit };
  }
  const head = await ask(repository, ['symbolic-ref', '--quiet', 'HEAD'], env);
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
  const found = await ask(repository, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`], env);
  if (found.missing) throw noGit();
  // Before git 2.43 the mark for the end of options is itself printed.
  const id = found.out.split('\n').at(-1) ?? '';
  return found.ok && isId(id) ? id : undefined;
}

/** As the user would sign a commit here; Fleet itself where nobody said. */
export async function identityOf(repository: string, env: NodeJS.ProcessEnv): Promise<Who> {
  const settings = await settingsOf(repository, env);
  const [name, email] = [configured(settings, 'user.name'), configured(settings, 'user.email')];
  return name === undefined || email === undefined ? { name: 'Fleet', email: 'fleet@localhost' } : { name, email };
}

/** The repository's word, else the user's; what is empty says nothing. */
const configured = (settings: readonly Setting[], key: string): string | undefined =>
  settings
    .filter((setting) => setting.key === key)
    .map(({ value }) => signable(value))
    .findLast((value) => value !== '');

/** A signature is one line, and `<>` are its brackets. */
export const signable = (text: string): string => text.replaceAll(/[\0-\x1f\x7f<>]/g, ' ').trim();

export const isId = (text: string): boolean => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);

/** What `git check-ref-format refs/heads/…` allows: a name it refuses cannot be the name of a branch. */
export const isBranchName = (name: string): boolean =>
  name !== '' &&
  !/[\0-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|^\/|\/$|\.$/.test(name) &&
  name.split('/').every((part) => !part.startsWith('.') && !part.endsWith('.lock'));

export const noGit = (): Fault => new Fault('unavailable', NOT_INSTALLED);
