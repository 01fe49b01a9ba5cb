import { join } from 'node:path';
import { exists } from '../../platform/files.ts';
import type { SiteRepository } from '../announce.ts';
import { removeStaleLock } from '../git/stale-lock.ts';
import type { Site, WorkspaceManifest } from '../site.ts';
import { openDirectory } from '../tree/remove-tree.ts';
import { checkOutPrivate, factsOf, finishAgentGit, type PrivateHead, placeAgentGit, placeHistory } from './place-clone.ts';
import { privatePlaces } from './places.ts';
import { readRef, WORK } from './refs.ts';
import { emptyAndCheckOut } from './renew.ts';

/**
 * A private clone: the files of a commit, a history that holds what it reaches, and git directories that Fleet writes. A tree
 * that was cleared is moved on from where it is; any other that is there is emptied first.
 */
export async function provisionPrivate(
  ground: SiteRepository,
  head: PrivateHead,
  before: { readonly from?: string | undefined; readonly isThere: boolean; readonly setupPaths: readonly string[] },
): Promise<void> {
  // Both end before anybody is told that one of them failed: nothing goes on behind their back.
  const [facts, filled] = await Promise.allSettled([placeHistory(ground, head), fill()]);
  if (facts.status === 'rejected') throw facts.reason as Error;
  if (filled.status === 'rejected') throw filled.reason as Error;
  await placeAgentGit(ground.site, { ...facts.value, ...head });

  async function fill(): Promise<void> {
    const { from, isThere, setupPaths } = before;
    if (from !== undefined && (await checkOutPrivate(ground, head.commit, from))) return;
    if (isThere) await emptyAndCheckOut(ground, head.commit, setupPaths);
    else await checkOutPrivate(ground, head.commit);
  }
}

/** What a git that was killed in the agent's hands has left in its way. */
const LOCKS = ['index.lock', 'HEAD.lock', 'config.lock', 'ORIG_HEAD.lock'];

/** Makes a private clone with work in it fit to go on; answers the commit that was taken in last, or laid out. */
export async function continuedPrivate(ground: SiteRepository, mark: WorkspaceManifest): Promise<string> {
  const { site } = ground;
  const commit = (await readRef(site, WORK)) ?? mark.commit ?? '';
  await havePrivate(ground, mark);
  await removeLocks(site);
  return commit;
}

/** Makes what is missing of a private clone whose files are there, from the record of Fleet alone. */
export async function havePrivate(
  ground: SiteRepository,
  { branch, commit }: Pick<WorkspaceManifest, 'branch' | 'commit'>,
): Promise<void> {
  if (commit === undefined) return;
  const { store, history, agentGit } = privatePlaces(ground.site);
  await finishAgentGit(ground.site);
  const [hasStore, hasHistory, hasGit] = await Promise.all([join(store, 'HEAD'), join(history, 'pack'), agentGit].map(exists));
  const facts = hasStore && hasHistory ? undefined : await placeHistory(ground, { branch, commit });
  if (!hasGit) await placeAgentGit(ground.site, { ...(facts ?? (await factsOf(ground, commit))), branch, commit });
}

async function removeLocks(site: Site): Promise<void> {
  const { agentGit } = privatePlaces(site);
  const directory = await openDirectory(agentGit).catch(() => undefined);
  // A link in its place leads to locks of others.
  if (directory === undefined) return;
  await directory.close();
  for (const name of LOCKS) await removeStaleLock(join(agentGit, name), [site.path, agentGit], 'ours');
}
