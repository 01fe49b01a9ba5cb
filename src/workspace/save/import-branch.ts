import { join } from 'node:path';
import { Fault } from '../../domain/fault.ts';
import { ask } from '../git/in-repository.ts';
import { firstLine, gitDirectory } from '../git-directory.ts';
import { ownDirectories } from '../land/checkouts.ts';
import { commitOf } from '../land/target.ts';
import { bringPrivate } from '../private/save-private.ts';
import { realSite, repositorySeat, type Site } from '../site.ts';

/** What a site holds comes into the repository under `ref`; answers the commit. Of a private clone that is what was taken in last. */
export async function importBranch(
  site: Site,
  { from, ref }: { readonly from: string; readonly ref: string },
  env: NodeJS.ProcessEnv,
): Promise<string> {
  if (site.isolation === 'clone')
    return bringPrivate({ site: await realSite(site), repository: await repositorySeat(site.repository), env }, { from, ref });
  const commit = await ownCommit(site, from, env);
  const moved = await ask(site.repository, ['update-ref', '-m', 'fleet: bring', ref, commit], env, { mode: 'user' });
  if (!moved.ok) throw new Fault('unavailable', `git could not write ${ref}: ${moved.err.slice(0, 300)}`, { ref });
  return commit;
}

/**
 * A worktree shares the repository's refs and objects; only HEAD is its own, and is looked up from the repository: what
 * stands in the worktree's `.git` is the agent's to write.
 */
async function ownCommit({ repository, path }: Site, from: string, env: NodeJS.ProcessEnv): Promise<string> {
  const commit = await commitOf(repository, from === 'HEAD' ? await headIn(repository, path) : from, env);
  if (commit === undefined) throw new Fault('not_found', `there is no commit ${from} in ${repository}`, { from });
  return commit;
}

async function headIn(repository: string, path: string): Promise<string> {
  const own = (await ownDirectories((await gitDirectory(repository)).commonDir)).get(path);
  const head = own === undefined ? undefined : await firstLine(join(own, 'HEAD'));
  if (head === undefined) throw new Fault('not_found', `${path} is not a worktree of ${repository}`, { path });
  return head.replace(/^ref: /, '');
}
