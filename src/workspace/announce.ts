import { Fault } from '../domain/fault.ts';
import { placeEntry, sweepEntries } from './entry.ts';
import { worktreesLock } from './git-home.ts';
import { commitsOf, holderOf, makeBranch } from './history/branches.ts';
import { withLock } from './locks/repository-lock.ts';
import type { Seat } from './seat.ts';
import { entryName, ownIndex, type Site, siteSeat } from './site.ts';

/** A site and where its repository lies. */
export interface SiteRepository {
  readonly site: Site;
  readonly repository: Seat;
  readonly env: NodeJS.ProcessEnv;
}

/** What the tree of a site has checked out. */
export interface CheckedOutHead {
  readonly branch?: string | undefined;
  readonly commit: string;
}

/** Tells git of a worktree whose files are there: makes the branch, and the repository's entry. */
export async function registerWorktree(ground: SiteRepository, { branch, commit }: CheckedOutHead): Promise<void> {
  const { site, repository, env } = ground;
  const seat = await siteSeat(site);
  await withSiteLock(repository, env, async () => {
    await assertFree(ground, branch);
    if (branch !== undefined) await haveBranch(ground, branch, commit);
    await sweepEntries(repository);
    await placeEntry(site, seat, branch === undefined ? commit : `ref: refs/heads/${branch}`, ownIndex(site));
  });
}

/** One at a time of all who add or remove working trees of a repository. */
export const withSiteLock = async <Answer>(
  repository: Seat,
  env: NodeJS.ProcessEnv,
  work: () => Promise<Answer>,
): Promise<Answer> => withLock(await worktreesLock(repository, env), work);

export async function assertFree({ site, repository }: SiteRepository, branch: string | undefined): Promise<void> {
  if (branch === undefined || site.isolation === 'clone') return;
  const where = await holderOf(repository.commonDir, branch, entryName(site));
  if (where === undefined) return;
  const what = `the branch ${branch} is checked out in ${where}: switch to another one there first`;
  throw new Fault('conflict', what, { branch, where });
}

async function haveBranch({ repository, env }: SiteRepository, branch: string, commit: string): Promise<void> {
  const [now] = await commitsOf(repository, [`refs/heads/${branch}`], env);
  if (now === undefined) await makeBranch(repository, branch, commit, env);
  else if (now !== commit)
    throw new Fault('conflict', `the branch ${branch} was moved while it was checked out: try again`, { branch });
}
