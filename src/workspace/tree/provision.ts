import { dirname } from 'node:path';
import { Fault } from '../../domain/fault.ts';
import { exists, makeDirectory } from '../../platform/files.ts';
import { assertFree, registerWorktree, type SiteRepository } from '../announce.ts';
import { commitsOf, liesIn } from '../history/branches.ts';
import { endOrphans } from '../locks/orphans.ts';
import { continuedPrivate, provisionPrivate } from '../private/provision-private.ts';
import { emptyAndCheckOut } from '../private/renew.ts';
import {
  assertSite,
  cleanSidecar,
  ownIndex,
  ownManifest,
  realSite,
  repositorySeat,
  type Site,
  type WorkspaceManifest,
  writeManifest,
} from '../site.ts';
import { withClearFault } from '../with-clear-fault.ts';
import { continued, headOf } from './continued.ts';
import { copyIn } from './copy-files.ts';
import { checkOut, moveOn, removeOthers } from './put-back.ts';

export interface ProvisionOptions {
  /** Absent: detached, as for the checkout of a gate. */
  readonly branch?: string | undefined;
  /** A commit. Where the branch exists it is continued, and this is not looked at. */
  readonly start: string;
  /** Paths below the project, files or directories, often ignored ones such as `.env`. */
  readonly copyFiles: readonly string[];
  /** Top paths made by the set-up: kept through a renewal. */
  readonly setupPaths: readonly string[];
}

export interface ProvisionResult {
  readonly how: 'new' | 'renewed' | 'kept';
  readonly head: string;
  /** Of the files to copy: those that are missing, tracked, too large, or no plain files of the project. */
  readonly skipped: readonly string[];
}

/**
 * A working tree for a branch: the one that is there, one that was cleared, or a new one. The files are written first,
 * and the repository learns of the tree, and the branch is made, only when it is complete. Whoever dies in between leaves
 * a mark, and files that the next call writes again.
 */
export const provision = (site: Site, layout: ProvisionOptions, env: NodeJS.ProcessEnv): Promise<ProvisionResult> =>
  withClearFault(`lay out ${site.path}`, () => make(site, layout, env));

async function make(asked: Site, layout: ProvisionOptions, env: NodeJS.ProcessEnv): Promise<ProvisionResult> {
  const ground = await groundOf(asked, env);
  const { site } = ground;
  const { branch, setupPaths } = layout;
  assertLayout(layout);
  const mark = await ownManifest(site);
  const isThere = mark !== undefined && (await exists(site.path));
  if (isThere && isWorkedIn(site, mark, branch)) {
    const head = site.isolation === 'clone' ? await continuedPrivate(ground, mark) : await continued(ground, mark);
    return { how: 'kept', head, skipped: [] };
  }
  if (mark && mark.state !== 'cleared') await endOrphans(site);
  const commit = await commitFor(ground, layout);
  await assertFree(ground, branch);
  await writeManifest(site, { state: 'making', branch, commit, copied: mark?.copied ?? [] });
  await cleanSidecar(site);
  await makeDirectory(site.path);
  const from = isThere && mark.state === 'cleared' && (await exists(ownIndex(site))) ? mark.commit : undefined;
  if (site.isolation === 'clone') await provisionPrivate(ground, { branch, commit }, { from, isThere, setupPaths });
  else {
    const isRenewed = from !== undefined && (await moveOn(ground, from, commit));
    if (!isRenewed) await fill(ground, { commit, setupPaths, isClean: !isThere });
    await registerWorktree(ground, { branch, commit });
  }
  const { copied, skipped } = await copyIn(ground, layout.copyFiles);
  await writeManifest(site, { state: 'made', branch, commit, copied });
  return { how: isThere ? 'renewed' : 'new', head: commit, skipped };
}

/** The tree is put back to nothing but the last commit and the set-up paths, detached, and free for the next. */
export const reset = (site: Site, options: { readonly setupPaths: readonly string[] }, env: NodeJS.ProcessEnv): Promise<void> =>
  withClearFault(`clear ${site.path}`, () => unmake(site, options.setupPaths, env));

async function unmake(asked: Site, setupPaths: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const ground = await groundOf(asked, env);
  const { site } = ground;
  const mark = await ownManifest(site);
  if (mark === undefined || mark.state === 'cleared' || !(await exists(site.path))) return;
  if (mark.state !== 'made') await endOrphans(site);
  const commit = site.isolation === 'clone' ? await firstCommit(ground, mark) : await lastCommit(ground, mark);
  await writeManifest(site, { ...mark, state: 'clearing', commit });
  await cleanSidecar(site);
  // Whoever is next gets git directories of its own.
  if (site.isolation === 'clone') await emptyAndCheckOut(ground, commit, setupPaths);
  else {
    await fill(ground, { commit, setupPaths, isClean: false });
    await registerWorktree(ground, { commit });
  }
  await writeManifest(site, { state: 'cleared', commit, copied: mark.copied });
}

async function groundOf(asked: Site, env: NodeJS.ProcessEnv): Promise<SiteRepository> {
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

function assertLayout({ start, branch }: ProvisionOptions): void {
  if (!/^[0-9a-f]{40}([0-9a-f]{24})?$/.test(start)) throw new Fault('invalid', `${start} is not the full id of a commit`);
  if (branch === '') throw new Fault('invalid', 'a branch needs a name');
}

/** A tree that was laid out for this branch is the task's own, with all that is in it. */
function isWorkedIn(site: Site, mark: WorkspaceManifest, branch: string | undefined): boolean {
  if (mark.state !== 'made' || mark.branch === undefined) return false;
  if (mark.branch === branch) return true;
  const what = `${site.path} still holds the work of the branch ${mark.branch}: it has to be cleared first`;
  throw new Fault('conflict', what, { path: site.path, branch: mark.branch });
}

/**
 * What is foreign goes first: a link in the place of a directory would make the files behind it look like ours. Without an
 * index everything is foreign, and is written over before what is left is taken away.
 */
async function fill(
  ground: SiteRepository,
  { commit, setupPaths, isClean }: { readonly commit: string; readonly setupPaths: readonly string[]; readonly isClean: boolean },
): Promise<void> {
  const isKnown = await exists(ownIndex(ground.site));
  if (!isClean && isKnown) await removeOthers(ground, setupPaths);
  await checkOut(ground, commit);
  if (!isClean && !isKnown) await removeOthers(ground, setupPaths);
}

async function lastCommit(ground: SiteRepository, mark: WorkspaceManifest): Promise<string> {
  const { site, repository, env } = ground;
  const head = (await headOf(ground)) ?? mark.commit;
  const [known] = head === undefined ? [] : await commitsOf(repository, [head], env);
  if (known !== undefined) return known;
  throw new Fault('conflict', `the work in ${site.path} is not in ${site.repository} yet: it has to be kept first`, { head });
}

/** What was laid out, as long as the project has it: what the agent has made since is not asked for. */
async function firstCommit({ site, repository, env }: SiteRepository, { commit }: WorkspaceManifest): Promise<string> {
  const known = await commitsOf(repository, [commit ?? 'HEAD', 'HEAD'], env);
  const found = known.find((one) => one !== undefined);
  if (found !== undefined) return found;
  throw new Fault('conflict', `${site.repository} has no commit any more to which ${site.path} could be put back`);
}

async function commitFor({ site, repository, env }: SiteRepository, { branch, start }: ProvisionOptions): Promise<string> {
  const names = [start, 'HEAD', ...(branch === undefined ? [] : [`refs/heads/${branch}`])];
  const [given, head, existing] = await commitsOf(repository, names, env);
  const commit = existing ?? given;
  if (commit !== undefined) return commit;
  const why = head === undefined ? 'it has no commit yet: make a first one' : `it does not have the commit ${start}`;
  throw new Fault('not_found', `nothing can be checked out of ${site.repository}: ${why}`, { start });
}
