import { join } from 'node:path';
import { Fault } from '../../domain/fault.ts';
import { exists } from '../../platform/files.ts';
import { ownIdentity } from '../../platform/process-identity.ts';
import { guardCheckout } from '../git/git-helper-client.ts';
import { ask } from '../git/in-repository.ts';
import type { LendingRepository } from '../git/location.ts';
import { type Setting, settingsOf } from '../git/repository-settings.ts';
import { lentGitDir } from '../git/scratch-git-dir.ts';
import { lockInTheWay, marked, removeStaleLock } from '../git/stale-lock.ts';
import { firstLine, gitDirectory } from '../git-directory.ts';
import { type IndexLock, type Locked, lockIndex, type Move } from '../locks/index-lock.ts';
import type { Checkout } from './checkout.ts';
import { checkoutsOf, headOf, isCheckedOut } from './checkouts.ts';
import { dirtyFiles, moveFiles, type Over, obstacleTo, over, readyIndex } from './move-files.ts';
import { repairCheckout } from './repair-checkout.ts';
import { isBranchName, isId, noGit } from './target.ts';
import { type Changed, changedPaths } from './tree-moves.ts';

export type AdvanceOutcome =
  | { readonly state: 'moved'; readonly checkout?: string | undefined }
  | { readonly state: 'stale'; readonly now: string | undefined }
  | { readonly state: 'dirty'; readonly where: string; readonly files: readonly string[] }
  | { readonly state: 'busy'; readonly where: string; readonly why: string };

const ATTEMPTS = 3;

/** A repository as the project names it: a checkout, a linked one, or a bare repository. */
interface Project extends LendingRepository {
  readonly repository: string;
}

/**
 * Moves a branch by compare-and-set and brings a clean checkout of it along; touches nothing that is dirty.
 *
 * Where the branch is checked out, we hold git's lock on its index from before we look until all is done, so no git can commit,
 * switch or stage in between. Files move first, then the ref, then the index; the lock tells of the move, and whoever
 * calls again after a crash first ends what was begun. Safe to repeat anywhere.
 */
export async function advance(repository: string, move: Move, env: NodeJS.ProcessEnv): Promise<AdvanceOutcome> {
  for (const id of [move.from, move.to]) if (!isId(id)) throw new Fault('invalid', `${id} is not the full id of a commit`);
  if (!isBranchName(move.branch)) return { state: 'stale', now: undefined };
  const directory = await gitDirectory(repository);
  const own = marked(env, await ownIdentity());
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const answer = await attemptMove({ ...directory, repository }, move, own);
    if (answer !== 'again') return answer;
  }
  return { state: 'busy', where: repository, why: 'its checkout changes branches all the time' };
}

async function attemptMove(directory: Project, move: Move, env: NodeJS.ProcessEnv): Promise<AdvanceOutcome | 'again'> {
  // Needed later if the branch is checked out in the project itself, as it mostly is; asked now, it costs no time.
  const isHere = (await firstLine(join(directory.gitDir, 'HEAD'))) === `ref: refs/heads/${move.branch}`;
  const ahead = {
    settings: settingsOf(directory.repository, env),
    changed: isHere ? changedBetween(directory, move, env) : undefined,
  };
  const over = Promise.allSettled([ahead.settings, ahead.changed]);
  try {
    return await moveWith(directory, move, ahead, env);
  } finally {
    await over;
  }
}

/** What was asked before it is known to be needed. */
interface Ahead {
  readonly settings: Promise<readonly Setting[]>;
  readonly changed: Promise<readonly Changed[]> | undefined;
}

async function changedBetween(
  directory: LendingRepository,
  { from, to }: Move,
  env: NodeJS.ProcessEnv,
): Promise<readonly Changed[]> {
  await using side = await lentGitDir(directory, 'history', env);
  return await changedPaths(side, from, to);
}

async function moveWith(directory: Project, move: Move, ahead: Ahead, env: NodeJS.ProcessEnv): Promise<AdvanceOutcome | 'again'> {
  const asked = `refs/heads/${move.branch}`;
  const { commonDir } = directory;
  const [at, seen] = await Promise.all([refAt(commonDir, asked, env), checkoutsOf(commonDir, asked, ahead.settings)]);
  const { holding, busy } = at.name === asked ? seen : await checkoutsOf(commonDir, at.name, ahead.settings);
  const [checkout, second] = holding;
  if (checkout === undefined) {
    if (at.commit === move.to) return { state: 'moved' };
    if (at.commit !== move.from) return { state: 'stale', now: at.commit };
    return busy ? { state: 'busy', ...busy } : moveAlone(directory, at.name, move, env);
  }
  if (second !== undefined) {
    return { state: 'busy', where: second.path, why: `it is checked out both there and in ${checkout.path}` };
  }
  if (checkout.away) return { state: 'busy', where: checkout.path, why: 'its checkout cannot be reached' };
  const isLocked = await exists(join(checkout.directory.gitDir, 'index.lock'));
  if (at.commit !== move.from && !isLocked) return settled(at.commit, move, checkout);
  const known = checkout.directory.gitDir === directory.gitDir ? await ahead.settings : undefined;
  return moveTogether(checkout, [at.name, asked], { move, busy, known, changed: ahead.changed }, env);
}

const settled = (now: string | undefined, { to }: Move, { path }: Checkout): AdvanceOutcome =>
  now === to ? { state: 'moved', checkout: path } : { state: 'stale', now };

/** Somebody may have checked the branch out just before it moved: what they have then is brought along after it. */
async function moveAlone(directory: Project, ref: string, move: Move, env: NodeJS.ProcessEnv): Promise<AdvanceOutcome> {
  const moved = await moveRef({ ref, directory }, move, env);
  if (moved.state !== 'moved' || !(await isCheckedOut(directory.commonDir, ref))) return moved;
  const settings = settingsOf(directory.repository, env);
  const [checkout] = (await checkoutsOf(directory.commonDir, ref, settings)).holding;
  if (checkout === undefined || checkout.away) return moved;
  const lock = await lockGuarded(checkout);
  if (lock.state === 'busy') return moved;
  try {
    await finish(checkout, lock.unfinished ?? move, lock, env);
    return { state: 'moved', checkout: checkout.path };
  } catch {
    // They have staged something there in the same moment: what they have is theirs, and the branch has moved.
    await lock.tell(lock.unfinished);
    return moved;
  } finally {
    await lock.letGo();
  }
}

interface Circumstances {
  readonly move: Move;
  readonly busy: { readonly where: string; readonly why: string } | undefined;
  readonly known: readonly Setting[] | undefined;
  readonly changed: Promise<readonly Changed[]> | undefined;
}

async function moveTogether(
  checkout: Checkout,
  names: readonly [real: string, asked: string],
  { move, busy, known, changed }: Circumstances,
  env: NodeJS.ProcessEnv,
): Promise<AdvanceOutcome | 'again'> {
  const lock = await lockGuarded(checkout);
  if (lock.state === 'busy') return { state: 'busy', where: checkout.path, why: lock.why };
  try {
    await finishDead(checkout, lock, env);
    // Two questions that do not wait for each other; the second is about files, and is not needed if the first says no.
    const opening = over(checkout, move.from, env, known);
    const [{ commit }, head] = await Promise.all([refAt(checkout.directory.commonDir, names[0], env), headOf(checkout, env)]);
    await using side = await opening;
    if (commit !== move.from) return settled(commit, move, checkout);
    if (head === undefined || !names.includes(head)) return 'again';
    if (busy) return { state: 'busy', ...busy };
    return await carryAlong({ checkout, lock, side, changed, ref: names[0] }, move, env);
  } finally {
    await lock.letGo();
  }
}

/** Should this process die with the lock in its hand, its git helper ends the move and takes the lock away. */
async function lockGuarded(checkout: Checkout): Promise<Locked> {
  const leave = guardCheckout({ checkout, holder: await ownIdentity() });
  const lock = await lockIndex(checkout.directory.gitDir, checkout.path).catch((error: unknown) => {
    leave();
    throw error;
  });
  if (lock.state === 'busy') leave();
  return lock.state === 'busy' ? lock : { ...lock, letGo: () => lock.letGo().finally(leave) };
}

/** Ends what a dead holder of the lock began, if it began anything. */
export async function finishDead(checkout: Checkout, lock: IndexLock, env: NodeJS.ProcessEnv): Promise<void> {
  if (lock.unfinished === undefined) return;
  await unlockRefs(checkout, lock.unfinished);
  await finish(checkout, lock.unfinished, lock, env);
}

/** A git that died with its landing may have left the locks of the refs it was moving. */
async function unlockRefs({ path, directory }: Checkout, { branch }: Move): Promise<void> {
  const { gitDir, commonDir } = directory;
  for (const lock of [join(gitDir, 'HEAD.lock'), join(commonDir, 'refs', 'heads', `${branch}.lock`)]) {
    await removeStaleLock(lock, [path, gitDir, commonDir], 'dead');
  }
}

/** What a dead process began is led to where the ref is: it moves in one instant, so it says how far that one came. */
async function finish(checkout: Checkout, begun: Move, lock: IndexLock, env: NodeJS.ProcessEnv): Promise<void> {
  await lock.tell(begun);
  const { commit } = await refAt(checkout.directory.commonDir, `refs/heads/${begun.branch}`, env);
  await repairCheckout(checkout, begun, commit === begun.to ? 'to' : 'from', env);
  await lock.tell();
}

interface Together {
  readonly checkout: Checkout;
  readonly lock: IndexLock;
  readonly side: Over;
  readonly changed: Promise<readonly Changed[]> | undefined;
  readonly ref: string;
}

async function carryAlong(
  { checkout, lock, side, changed, ref }: Together,
  move: Move,
  env: NodeJS.ProcessEnv,
): Promise<AdvanceOutcome> {
  const where = checkout.path;
  const obstacle = await obstacleTo(side, checkout, changed ?? changedPaths(side, move.from, move.to));
  if (obstacle !== undefined) return { ...obstacle, where };
  await lock.tell(move);
  try {
    const failure = await moveFiles(side, checkout, move);
    if (failure !== undefined) {
      await finish(checkout, move, lock, env);
      return { state: 'dirty', where, files: await namedOrDirty(failure, checkout, move, env) };
    }
    const afterDeath = lock.unfinished !== undefined;
    const laying = readyIndex(side, checkout);
    const moving = moveRef({ ref, directory: checkout.directory, where, afterDeath }, move, env);
    // Both have ended, whatever becomes of either, before anybody mends.
    await Promise.allSettled([laying, moving]);
    const moved = await moving;
    if (moved.state !== 'moved') {
      await finish(checkout, move, lock, env);
      return moved;
    }
    await (await laying)();
    await lock.tell();
    return { state: 'moved', checkout: where };
  } catch (error) {
    await finish(checkout, move, lock, env);
    throw error;
  }
}

/** Files somebody edited in the middle. Where there are none, the disk or its rights are at fault. */
async function namedOrDirty(err: string, checkout: Checkout, { from }: Move, env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  await using side = await over(checkout, from, env);
  const dirty = await dirtyFiles(side, checkout.path);
  if (dirty.length > 0) return dirty;
  const named = err.split('\n').flatMap((line) => /^\t(.+)$|^error: Entry '(.+)' (?:not|would)/.exec(line)?.slice(1) ?? []);
  const files = named.filter((name) => name !== undefined);
  if (files.length > 0) return files;
  throw new Fault('unavailable', `git could not move the files of ${checkout.path}: ${err.slice(0, 500)}`);
}

interface Ref {
  /** Its own name, or that of the branch it stands for. */
  readonly name: string;
  readonly commit: string | undefined;
}

async function refAt(directory: string, name: string, env: NodeJS.ProcessEnv): Promise<Ref> {
  // A ref in a file of its own is what that file says; only one that is packed, or stands for another, is git's to find.
  const loose = await firstLine(join(directory, name));
  if (loose !== undefined && isId(loose)) return { name, commit: loose };
  const found = await ask(directory, ['for-each-ref', '--format=%(refname)%00%(objectname)%00%(symref)', name], env);
  if (found.missing) throw noGit();
  if (!found.ok) throw new Fault('unavailable', `git could not read ${name}: ${found.err.slice(0, 300)}`);
  const lines = found.out.split('\n').map((line) => line.split('\0'));
  const [, commit, real] = lines.find(([refname]) => refname === name) ?? [];
  return { name: real ? real : name, commit };
}

interface Moving {
  readonly ref: string;
  readonly directory: LendingRepository;
  /** The checkout whose HEAD is to remember the move too. */
  readonly where?: string;
  /** A landing died here: a lock its git left need not grow old before it is removed. */
  readonly afterDeath?: boolean;
}

/** By compare-and-set. */
async function moveRef(
  { ref, directory, where, afterDeath = false }: Moving,
  move: Move,
  env: NodeJS.ProcessEnv,
): Promise<AdvanceOutcome> {
  const why = move.why.replaceAll(/\s+/g, ' ').trim() || 'fleet: land';
  const place = where ?? directory.commonDir;
  for (let attempt = 0; ; attempt += 1) {
    const moved = await ask(place, ['update-ref', '-m', why, ref, move.to, move.from], env, { mode: 'user' });
    if (moved.ok) return { state: 'moved' };
    const { commit } = await refAt(directory.commonDir, ref, env);
    if (commit === move.to) return { state: 'moved' };
    if (commit !== move.from) return { state: 'stale', now: commit };
    const lock = lockInTheWay(moved.err);
    if (lock === undefined) {
      throw new Fault('unavailable', `git could not move ${ref} to ${move.to}: ${moved.err.slice(0, 500)}`, { ref });
    }
    const places = [place, directory.gitDir, directory.commonDir];
    const isFree = attempt < ATTEMPTS && (await removeStaleLock(lock, places, afterDeath ? 'dead' : 'theirs'));
    if (!isFree) return { state: 'busy', where: place, why: `another git holds the lock ${lock}` };
  }
}
