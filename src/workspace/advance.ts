import { join } from 'node:path';
import { Fault } from '../domain/fault.ts';
import { exists } from '../platform/files.ts';
import { carry, dirtyFiles, over } from './carry-tree.ts';
import { type Checkout, checkoutsOf } from './checkouts.ts';
import { git } from './git.ts';
import { firstLine, type GitDirectory, gitDirectory } from './git-directory.ts';
import { lockIndex, type Move } from './index-lock.ts';
import { mend } from './mend.ts';
import { isBranchName, isId, noGit } from './target.ts';

export type Advanced =
  | { readonly state: 'moved'; readonly checkout?: string | undefined }
  | { readonly state: 'stale'; readonly now: string | undefined }
  | { readonly state: 'dirty'; readonly where: string; readonly files: readonly string[] }
  | { readonly state: 'busy'; readonly where: string; readonly why: string };

const ATTEMPTS = 3;

/**
 * Moves a branch by compare-and-set and brings a clean checkout of it along; touches nothing that is dirty.
 *
 * Where the branch is checked out, we hold git's lock on its index from before we look until all is done, so no git can commit,
 * switch or stage in between. Files move first, then the ref, then the index; the lock tells of the move, and whoever
 * calls again after a crash first ends what was begun. Safe to repeat anywhere.
 */
export async function advance(repository: string, move: Move, env: NodeJS.ProcessEnv): Promise<Advanced> {
  for (const id of [move.from, move.to]) if (!isId(id)) throw new Fault('invalid', `${id} is not the full id of a commit`);
  if (!isBranchName(move.branch)) return { state: 'stale', now: undefined };
  const directory = await gitDirectory(repository);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const answer = await attemptMove(directory, move, env);
    if (answer !== 'again') return answer;
  }
  return { state: 'busy', where: repository, why: 'its checkout changes branches all the time' };
}

async function attemptMove(directory: GitDirectory, move: Move, env: NodeJS.ProcessEnv): Promise<Advanced | 'again'> {
  const asked = `refs/heads/${move.branch}`;
  const [at, seen] = await Promise.all([refAt(directory.common, asked, env), checkoutsOf(directory, asked, env)]);
  const { holding, busy } = at.name === asked ? seen : await checkoutsOf(directory, at.name, env);
  const [checkout, second] = holding;
  if (checkout === undefined) {
    if (at.commit === move.to) return { state: 'moved' };
    if (at.commit !== move.from) return { state: 'stale', now: at.commit };
    return busy ? { state: 'busy', ...busy } : moveRef(directory.common, at.name, move, env);
  }
  if (second !== undefined) {
    return { state: 'busy', where: second.path, why: `it is checked out both there and in ${checkout.path}` };
  }
  if (checkout.away) return { state: 'busy', where: checkout.path, why: 'its checkout cannot be reached' };
  if (at.commit !== move.from && !(await exists(join(checkout.directory.own, 'index.lock'))))
    return settled(at.commit, move, checkout);
  return moveTogether(checkout, at.name, { move, busy }, env);
}

const settled = (now: string | undefined, { to }: Move, { path }: Checkout): Advanced =>
  now === to ? { state: 'moved', checkout: path } : { state: 'stale', now };

async function moveTogether(
  checkout: Checkout,
  ref: string,
  { move, busy }: { readonly move: Move; readonly busy: { readonly where: string; readonly why: string } | undefined },
  env: NodeJS.ProcessEnv,
): Promise<Advanced | 'again'> {
  const { own, common } = checkout.directory;
  const lock = await lockIndex(own, checkout.path, move);
  if (lock.state === 'busy') return { state: 'busy', where: checkout.path, why: lock.why };
  try {
    if (lock.unfinished !== undefined) await finish(checkout, lock.unfinished, env);
    const { commit } = await refAt(common, ref, env);
    if (commit !== move.from) return settled(commit, move, checkout);
    if ((await firstLine(join(own, 'HEAD'))) !== `ref: ${ref}`) return 'again';
    if (busy) return { state: 'busy', ...busy };
    return await carryAlong(checkout, ref, move, env);
  } finally {
    await lock.release();
  }
}

/** What a dead process began is led to where the ref is: it moves in one instant, so it says how far that one came. */
async function finish(checkout: Checkout, begun: Move, env: NodeJS.ProcessEnv): Promise<void> {
  const { commit } = await refAt(checkout.directory.common, `refs/heads/${begun.branch}`, env);
  await mend(checkout, begun, commit === begun.to ? 'to' : 'from', env);
}

async function carryAlong(checkout: Checkout, ref: string, move: Move, env: NodeJS.ProcessEnv): Promise<Advanced> {
  await using side = await over(checkout, move.from, env);
  const where = checkout.path;
  try {
    const carried = await carry(side, checkout, move);
    if (carried.state === 'torn') {
      await mend(checkout, move, 'from', env);
      return { state: 'dirty', where, files: await namedOrDirty(carried, checkout, move, env) };
    }
    if (carried.state !== 'carried') return { ...carried, where };
    const moved = await moveRef(where, ref, move, env);
    if (moved.state !== 'moved') {
      await mend(checkout, move, 'from', env);
      return moved;
    }
    await carried.publish();
    return { state: 'moved', checkout: where };
  } catch (error) {
    await finish(checkout, move, env);
    throw error;
  }
}

/** Files somebody edited in the middle. Where there are none, the disk or its rights are at fault. */
async function namedOrDirty(
  { named, err }: { readonly named: readonly string[]; readonly err: string },
  checkout: Checkout,
  { from }: Move,
  env: NodeJS.ProcessEnv,
): Promise<readonly string[]> {
  await using side = await over(checkout, from, env);
  const dirty = await dirtyFiles(side, checkout.path);
  const files = dirty.length > 0 ? dirty : named;
  if (files.length > 0) return files;
  throw new Fault('unavailable', `git could not move the files of ${checkout.path}: ${err.slice(0, 500)}`);
}

interface Ref {
  /** Its own name, or that of the branch it stands for. */
  readonly name: string;
  readonly commit: string | undefined;
}

async function refAt(directory: string, name: string, env: NodeJS.ProcessEnv): Promise<Ref> {
  const found = await git(directory, ['for-each-ref', '--format=%(refname)%00%(objectname)%00%(symref)', name], env);
  if (found.missing) throw noGit();
  if (!found.ok) throw new Fault('unavailable', `git could not read ${name}: ${found.err.slice(0, 300)}`);
  const lines = found.out.split('\n').map((line) => line.split('\0'));
  const [, commit, real] = lines.find(([refname]) => refname === name) ?? [];
  return { name: real ? real : name, commit };
}

async function moveRef(directory: string, ref: string, move: Move, env: NodeJS.ProcessEnv): Promise<Advanced> {
  const why = move.why.replaceAll(/\s+/g, ' ').trim() || 'fleet: land';
  const moved = await git(directory, ['update-ref', '-m', why, ref, move.to, move.from], env);
  if (moved.ok) return { state: 'moved' };
  const { commit } = await refAt(directory, ref, env);
  if (commit === move.to) return { state: 'moved' };
  if (commit !== move.from) return { state: 'stale', now: commit };
  if (/Unable to create .*\.lock': File exists/.test(moved.err)) {
    return { state: 'busy', where: directory, why: `another git holds the lock of ${ref}` };
  }
  throw new Fault('unavailable', `git could not move ${ref} to ${move.to}: ${moved.err.slice(0, 500)}`, { ref });
}
