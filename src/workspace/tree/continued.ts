import { join } from 'node:path';
import { Fault } from '../../domain/fault.ts';
import { exists } from '../../platform/files.ts';
import { assertFree, type SiteRepository, withSiteLock } from '../announce.ts';
import { placeEntry } from '../entry.ts';
import { gitIn } from '../git/in-repository.ts';
import { removeStaleLock } from '../git/stale-lock.ts';
import { makeBranch } from '../history/branches.ts';
import { ownIndex, siteSeat, type WorkspaceManifest } from '../site.ts';

/** The commit that is checked out in a site, if there is one. */
export async function headOf({ site, env }: SiteRepository): Promise<string | undefined> {
  const seat = await siteSeat(site);
  if (!(await exists(join(seat.gitDir, 'HEAD')))) return undefined;
  const { code, out } = await gitIn(seat, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], env, { mode: 'closed' });
  return code === 0 ? out.toString('utf8').trim() : undefined;
}

/** What a git that was killed in the agent's hands has left in its way. */
const LOCKS = ['index.lock', 'HEAD.lock', 'config.lock', 'ORIG_HEAD.lock'];

/** Makes a tree with work in it fit to go on: without the locks of the dead, and known to git. Its files are not touched. */
export async function continued(ground: SiteRepository, mark: WorkspaceManifest): Promise<string> {
  const seat = await siteSeat(ground.site);
  if (!(await exists(join(seat.gitDir, 'HEAD')))) await reenter(ground, mark);
  for (const name of LOCKS) await removeStaleLock(join(seat.gitDir, name), [ground.site.path, seat.gitDir], 'ours');
  const head = (await headOf(ground)) ?? mark.commit;
  if (head === undefined)
    throw new Fault('conflict', `${ground.site.path} has no commit checked out`, { path: ground.site.path });
  return head;
}

/** Somebody has pruned the entry of a tree in which there is work: the tree gets a new one, and the work stays. */
async function reenter(ground: SiteRepository, { branch, commit }: WorkspaceManifest): Promise<void> {
  const { site, repository, env } = ground;
  if (branch === undefined || commit === undefined)
    throw new Fault('conflict', `${join(site.path, '.git')} is damaged: what is in ${site.path} has to be looked at by hand`, {
      path: site.path,
    });
  const seat = await siteSeat(site);
  await withSiteLock(repository, env, async () => {
    await assertFree(ground, branch);
    await makeBranch(repository, branch, commit, env);
    await placeEntry(site, seat, `ref: refs/heads/${branch}`, (await exists(ownIndex(site))) ? ownIndex(site) : undefined);
  });
}
