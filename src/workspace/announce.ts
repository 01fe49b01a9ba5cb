import { Fault } from '../domain/fault.ts';
import { commitsOf, holderOf, makeBranch } from './branches.ts';
import { placeEntry, sweepEntries } from './entry.ts';
import { worktreesLock } from './git-home.ts';
import { withLock } from './repository-lock.ts';
import type { Seat } from './seat.ts';
import { entryName, ownIndex, type Site, siteSeat } from './site.ts';

/** A site and where its repository lies. */
export interface Ground {
  readonly site: Site;
  readonly repository: Seat;
  readonly env: NodeJS.ProcessEnv;
}

/** What the tree of a site has checked out. */
export interface Head {
  readonly branch?: string | undefined;
  readonly commit: string;
}

/** Tells git of a worktree whose files are there: makes the branch, and the repository's entry. */
export async function announce(ground: Ground, { branch, commit }: Head): Promise<void> {
  const { site, repository, env } = ground;
  const seat = await siteSeat(site);
  await alone(repository, env, async () => {
    await assertFree(ground, branch);
    if (branch !== undefined) await haveBranch(ground, branch, commit);
    await sweepEntries(repository);
    await placeEntry(site, seat, branch === undefined ? commit : `ref: refs/heads/${branch}`, ownIndex(site));
  });
}

/** One at a time of all who add or remove working trees of a repository. */
export const alone = async <Answer>(repository: Seat, env: NodeJS.ProcessEnv, work: () => Promise<Answer>): Promise<Answer> =>
  withLock(await worktreesLock(repository, env), work);

export async function assertFree({ site, repository }: Ground, branch: string | undefined): Promise<void> {
  if (branch === undefined || site.isolation === 'clone') return;
  const where = await holderOf(repository.commonDir, branch, entryName(site));
  if (where === undefined) return;
  const what = `the branch ${branch} is checked out in ${where}: switch to another one there first`;
  throw new Fault('conflict', what, { branch, where });
}

async function haveBranch({ repository, env }: Ground, branch: string, commit: string): Promise<void> {
  const [now] = await commitsOf(repository, [`refs/heads/${branch}`], env);
  if (now === undefined) await makeBranch(repository, branch, commit, env);
  else if (now !== commit)
    throw new Fault('conflict', `the branch ${branch} was moved while it was checked out: try again`, { branch });
}
