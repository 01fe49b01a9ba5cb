import { Fault } from '../../domain/fault.ts';
import { ask } from '../git/in-repository.ts';
import { commitOf } from '../land/target.ts';

type Env = NodeJS.ProcessEnv;

/** Removes a branch that still stands where it was seen; one that has moved, or is checked out somewhere, stays. */
export async function dropBranch(
  repository: string,
  { branch, at }: { readonly branch: string; readonly at: string },
  env: Env,
): Promise<void> {
  const listed = await ask(repository, ['worktree', 'list', '--porcelain', '-z'], env, { mode: 'user' });
  if (!listed.ok || listed.out.split('\0').includes(`branch refs/heads/${branch}`)) return;
  await ask(repository, ['update-ref', '-d', `refs/heads/${branch}`, at], env, { mode: 'user' });
}

/** The same, where a ref below `below` holds all of the branch. False: it is checked out, or not all of it is kept. */
export async function dropKeptBranch(
  repository: string,
  { branch, below }: { readonly branch: string; readonly below: string },
  env: Env,
): Promise<boolean> {
  const at = await commitOf(repository, `refs/heads/${branch}`, env);
  if (at === undefined) return true;
  const holding = await ask(repository, ['for-each-ref', '--count=1', `--contains=${at}`, '--format=%(refname)', below], env);
  if (!holding.ok || holding.out === '') return false;
  await dropBranch(repository, { branch, at }, env);
  return (await commitOf(repository, `refs/heads/${branch}`, env)) === undefined;
}

const NOTHING = '0'.repeat(40);
const MOST_NAMES = 100;

/** A branch at this commit, under this name or, unless it must be exact, the next one that is not taken. */
export async function makeBranch(
  repository: string,
  { branch, commit, isExact }: { readonly branch: string; readonly commit: string; readonly isExact: boolean },
  env: Env,
): Promise<string> {
  if (!(await ask(repository, ['check-ref-format', '--branch', branch], env)).ok)
    throw new Fault('invalid', `${JSON.stringify(branch)} is not a name git accepts for a branch`);
  for (let n = 1; n <= MOST_NAMES; n += 1) {
    const name = n === 1 ? branch : `${branch}-${n}`;
    const there = await ask(repository, ['rev-parse', '--verify', '--quiet', `refs/heads/${name}^{commit}`], env);
    if (there.ok && there.out === commit) return name;
    if (!there.ok) {
      const args = ['update-ref', '-m', 'fleet: restore', `refs/heads/${name}`, commit, NOTHING];
      const made = await ask(repository, args, env, { mode: 'user' });
      if (made.ok) return name;
      if (isExact) throw new Fault('conflict', `the branch ${name} cannot be made: ${made.err}`);
    }
    if (isExact) throw new Fault('conflict', `there is a branch ${name} already: choose another name`);
  }
  throw new Fault('conflict', `${MOST_NAMES} branches are called ${branch} already: choose another name`);
}

/** Hidden refs below a prefix, newest first. */
export async function refsBelow(
  repository: string,
  prefix: string,
  env: Env,
): Promise<readonly { readonly ref: string; readonly commit: string }[]> {
  const listed = await ask(repository, ['for-each-ref', '--sort=-creatordate', '--format=%(objectname) %(refname)', prefix], env);
  if (!listed.ok) throw new Fault('unavailable', `git cannot list what is kept in ${repository}: ${listed.err}`);
  return listed.out.split('\n').flatMap((line) => {
    const [commit = '', ref = ''] = line.split(' ');
    return ref === '' ? [] : [{ ref, commit }];
  });
}
