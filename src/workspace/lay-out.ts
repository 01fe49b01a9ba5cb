import { dirname, join } from 'node:path';
import { Fault } from '../domain/fault.ts';
import { exists, makeDirectory } from '../platform/files.ts';
import { commitsOf, holderOf, liesIn, makeBranch } from './branches.ts';
import { copyIn } from './copy-files.ts';
import { placeEntry } from './entry.ts';
import { gitAt } from './git.ts';
import { endOrphans } from './orphans.ts';
import { placeClone } from './own-clone.ts';
import { checkOut, removeOthers } from './put-back.ts';
import { withLock } from './repository-lock.ts';
import type { Seat } from './seat.ts';
import {
  assertSite,
  entryName,
  type Mark,
  ownIndex,
  ownMark,
  realSite,
  repositorySeat,
  type Site,
  siteSeat,
  writeMark,
} from './site.ts';
import { standIn } from './stand-in.ts';

export interface Layout {
  /** Absent: detached, as for the checkout of a gate. */
  readonly branch?: string | undefined;
  /** A commit. Where the branch exists it is continued, and this is not looked at. */
  readonly start: string;
  /** Paths below the project, files or directories, often ignored ones such as `.env`. */
  readonly copyFiles: readonly string[];
  /** Top paths made by the set-up: kept through a renewal. */
  readonly setupPaths: readonly string[];
}

export interface LaidOut {
  readonly how: 'new' | 'renewed' | 'kept';
  readonly head: string;
  /** Of the files to copy: those that are missing, tracked, too large, or no plain files of the project. */
  readonly skipped: readonly string[];
}

/** A site and where its repository lies. */
interface Ground {
  readonly site: Site;
  readonly repository: Seat;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * A working tree for a branch: the one that is there, one that was cleared, or a new one. The files are written first,
 * and the repository learns of the tree, and the branch is made, only when it is complete. Whoever dies in between leaves
 * a mark, and files that the next call writes again.
 */
export async function layOut(asked: Site, layout: Layout, env: NodeJS.ProcessEnv): Promise<LaidOut> {
  const ground = await groundOf(asked, env);
  const { site } = ground;
  assertLayout(layout);
  const mark = await ownMark(site);
  const isThere = await exists(site.path);
  const kept = mark && isThere ? await keptHead(ground, mark, layout) : undefined;
  if (kept !== undefined) return { how: 'kept', head: kept, skipped: [] };
  if (mark && mark.state !== 'cleared') await endOrphans(site);
  const commit = await commitFor(ground, layout);
  await assertFree(ground, layout.branch);
  await writeMark(site, { state: 'making', branch: layout.branch, commit, copied: mark?.copied ?? [] });
  await makeDirectory(site.path);
  await checkOut(ground, commit);
  if (isThere && mark?.state !== 'cleared') await removeOthers(ground, layout.setupPaths);
  await announce(ground, layout.branch, commit);
  const { copied, skipped } = await copyIn(ground, layout.copyFiles);
  await writeMark(site, { state: 'made', branch: layout.branch, commit, copied });
  return { how: mark && isThere ? 'renewed' : 'new', head: commit, skipped };
}

/** The tree is put back to nothing but the last commit and the set-up paths, detached, and free for the next. */
export async function clear(
  asked: Site,
  options: { readonly setupPaths: readonly string[] },
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const ground = await groundOf(asked, env);
  const { site } = ground;
  const mark = await ownMark(site);
  if (mark === undefined || mark.state === 'cleared' || !(await exists(site.path))) return;
  if (mark.state !== 'made') await endOrphans(site);
  const commit = await lastCommit(ground, mark);
  await writeMark(site, { ...mark, state: 'clearing', commit });
  await removeOthers(ground, options.setupPaths);
  await checkOut(ground, commit);
  await announce(ground, undefined, commit);
  await writeMark(site, { state: 'cleared', commit, copied: mark.copied });
}

async function groundOf(asked: Site, env: NodeJS.ProcessEnv): Promise<Ground> {
  assertSite(asked);
  const repository = await repositorySeat(asked.repository);
  await makeDirectory(dirname(asked.path)).catch((error: NodeJS.ErrnoException) => {
    throw new Fault(
      'unavailable',
      `cannot make ${dirname(asked.path)}: ${error.message}`,
      { path: asked.path },
      { cause: error },
    );
  });
  const site = await realSite(asked);
  for (const part of [repository.workTree, repository.commonDir])
    if (await liesIn(site.path, part))
      throw new Fault('invalid', `${site.path} lies inside of the repository ${part}: choose another home with FLEET_HOME`);
  return { site, repository, env };
}

function assertLayout({ start, branch }: Layout): void {
  if (!/^[0-9a-f]{40}([0-9a-f]{24})?$/.test(start)) throw new Fault('invalid', `${start} is not the full id of a commit`);
  if (branch === '') throw new Fault('invalid', 'a branch needs a name');
}

/** A tree that was laid out for this branch is the task's own, with all that is in it. */
async function keptHead({ site, env }: Ground, mark: Mark, layout: Layout): Promise<string | undefined> {
  if (mark.state !== 'made' || mark.branch === undefined) return undefined;
  if (mark.branch !== layout.branch)
    throw new Fault('conflict', `${site.path} still holds the work of the branch ${mark.branch}: it has to be cleared first`, {
      path: site.path,
      branch: mark.branch,
    });
  return headOf(site, env);
}

async function headOf(site: Site, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const seat = await siteSeat(site);
  if (!(await exists(join(seat.gitDir, 'HEAD')))) return undefined;
  const { code, out } = await gitAt(seat, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], env);
  return code === 0 ? out.toString('utf8').trim() : undefined;
}

async function lastCommit({ site, repository, env }: Ground, mark: Mark): Promise<string> {
  const head = (await headOf(site, env)) ?? mark.commit;
  const [known] = head === undefined ? [] : await commitsOf(repository, [head], env);
  if (known === undefined)
    throw new Fault('conflict', `the work in ${site.path} is not in ${site.repository} yet: it has to be kept first`, { head });
  return known;
}

async function commitFor({ site, repository, env }: Ground, { branch, start }: Layout): Promise<string> {
  const names = [start, 'HEAD', ...(branch === undefined ? [] : [`refs/heads/${branch}`])];
  const [given, head, continued] = await commitsOf(repository, names, env);
  const commit = continued ?? given;
  if (commit !== undefined) return commit;
  const why = head === undefined ? 'it has no commit yet: make a first one' : `it does not have the commit ${start}`;
  throw new Fault('not_found', `nothing can be checked out of ${site.repository}: ${why}`, { start });
}

async function assertFree({ site, repository }: Ground, branch: string | undefined): Promise<void> {
  if (branch === undefined || site.isolation === 'clone') return;
  const where = await holderOf(repository.commonDir, branch, entryName(site));
  if (where !== undefined)
    throw new Fault('conflict', `the branch ${branch} is checked out in ${where}: switch to another one there first`, {
      branch,
      where,
    });
}

/** Tells git of the tree. */
async function announce(ground: Ground, branch: string | undefined, commit: string): Promise<void> {
  const { site, repository, env } = ground;
  const index = ownIndex(site);
  if (site.isolation === 'clone') {
    await placeClone(site, repository, { branch, commit }, { env, index });
    return;
  }
  const seat = await siteSeat(site);
  const lock = join(await standIn(repository.commonDir, env), 'lock');
  await withLock(lock, async () => {
    await assertFree(ground, branch);
    if (branch !== undefined) {
      const [now] = await commitsOf(repository, [`refs/heads/${branch}`], env);
      if (now === undefined) await makeBranch(repository, branch, commit, env);
      else if (now !== commit)
        throw new Fault('conflict', `the branch ${branch} was moved while it was checked out: try again`, { branch });
    }
    await placeEntry(site, seat, branch === undefined ? commit : `ref: refs/heads/${branch}`, index);
  });
}
