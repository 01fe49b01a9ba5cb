import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../domain/fault.ts';
import type { SiteRepository } from '../announce.ts';
import { copyIndex } from '../entry.ts';
import { signedBy } from '../git/environment.ts';
import { answered, git, gitFault } from '../git/git.ts';
import { gitIn, outputIn } from '../git/in-repository.ts';
import { fleetsOwn } from '../git/location.ts';
import { updateRef } from '../history/branches.ts';
import { isBranchName } from '../land/target.ts';
import type { CommitOutcome, SaveOutcome } from '../save/outcome.ts';
import { ownIndex, ownManifest, sidecarDir, type Who, type WorkspaceManifest } from '../site.ts';
import { removeTree } from '../tree/remove-tree.ts';
import { bringObjects } from './bring-objects.ts';
import { type CollectResult, collect } from './collect.ts';
import type { Means } from './confine.ts';
import { ownedName } from './owned-names.ts';
import { factsOf, placeAgentGit } from './place-clone.ts';
import { privatePlaces } from './places.ts';
import { havePrivate } from './provision-private.ts';
import { readRef, WORK, writeRef } from './refs.ts';
import { shownIn } from './show.ts';

interface Making {
  readonly message: string;
  readonly who: Who;
}

interface KeepWish extends Making {
  readonly ref: string;
}

/** Everything in a private clone, taken in and put under a hidden ref of the project. */
export async function savePrivate(
  ground: SiteRepository,
  mark: WorkspaceManifest,
  wish: KeepWish,
  means: Means,
): Promise<SaveOutcome> {
  const { site, env } = ground;
  await havePrivate(ground, mark);
  const taken = await collect({ site, mark, env, means, flat: true });
  await bringObjects(ground, mark.commit, [
    taken.snap,
    ...[taken.head].filter((id) => id !== undefined),
    ...taken.also.map(([, id]) => id),
  ]);
  const dirty = taken.tree !== taken.headTree;
  const commit = !dirty && taken.head !== undefined ? taken.head : await commitInProject(ground, taken, wish);
  const also = taken.also.map(([name, id]) => [`${wish.ref}.also/${name.slice('refs/'.length)}`, id] as const);
  const named = also.filter(([name]) => isBranchName(name));
  const refused = await pointAll(ground, [wish.ref, commit], named);
  const left = leftOf(taken, taken.refsLeft + also.length - named.length + refused);
  return { commit, head: taken.head ?? commit, dirty, left, ...(taken.unread ? { unread: taken.unread } : {}) };
}

const leftOf = ({ left }: CollectResult, refs: number): readonly string[] =>
  refs === 0 ? left : [...left, `${refs} refs of its repository`];

async function commitInProject(
  { repository, env }: SiteRepository,
  taken: CollectResult,
  { message, who }: Making,
): Promise<string> {
  const parents = taken.parent === undefined ? [] : ['-p', taken.parent];
  const args = ['commit-tree', '--no-gpg-sign', ...parents, '-F', '-', taken.tree];
  const out = await outputIn(repository, args, env, { mode: 'user', input: ended(message), variables: signedBy(who) });
  return out.toString('utf8').trim();
}

const ended = (message: string): string => (message.endsWith('\n') ? message : `${message}\n`);

type Pointing = readonly [name: string, id: string];

async function point({ repository, env }: SiteRepository, [name, id]: Pointing): Promise<void> {
  const end = await updateRef(repository, ['--no-deref', name, id], env);
  if (end.code !== 0) throw gitFault(end, `write ${name}`);
}

/**
 * By one git; where a lock that a killed one left is in the way, or names that cannot be there together, one after the other.
 * Answers how many of the others could not be: their names are the agent's, and keep nothing else from being kept.
 */
async function pointAll(ground: SiteRepository, first: Pointing, others: readonly Pointing[]): Promise<number> {
  const { repository, env } = ground;
  const input = [first, ...others].map(([name, id]) => `update ${name}\0${id}\0\0`).join('');
  const all = await gitIn(repository, ['update-ref', '--no-deref', '--stdin', '-z'], env, { mode: 'user', input });
  if (all.code === 0) return 0;
  await point(ground, first);
  let refused = 0;
  for (const [name, id] of others) if ((await updateRef(repository, ['--no-deref', name, id], env)).code !== 0) refused += 1;
  return refused;
}

/** What is not committed in a private clone becomes a commit of Fleet's on the agent's last; its git directory is made anew there. */
export async function commitPrivate(
  ground: SiteRepository,
  mark: WorkspaceManifest,
  making: Making,
  means: Means,
): Promise<CommitOutcome> {
  const { site, env } = ground;
  await havePrivate(ground, mark);
  const taken = await collect({ site, mark, env, means, flat: false });
  const isOnBranch = taken.unread !== undefined || taken.headRef === `refs/heads/${mark.branch}`;
  if (taken.tree === taken.headTree && taken.head !== undefined && taken.unread === undefined) {
    await stand(ground, isOnBranch ? taken.head : taken.branch, taken.head);
    return { commit: taken.head, made: false };
  }
  const why = obstacleIn(taken);
  if (why !== undefined) {
    if (taken.parent === undefined)
      throw new Fault('conflict', `nothing can be committed in ${site.path}: ${why}`, { path: site.path });
    await stand(ground, isOnBranch ? taken.parent : taken.branch, taken.parent);
    return { commit: taken.parent, made: false, why };
  }
  const commit = await commitInStore(ground, taken, making);
  await stand(ground, isOnBranch ? commit : taken.branch, commit);
  await renewAgentGit(ground, mark, { commit, taken, isOnBranch });
  return { commit, made: true };
}

function obstacleIn({ conflicts, underWay, left }: CollectResult): string | undefined {
  if (conflicts) return 'there are conflicts that are not resolved';
  if (underWay !== undefined) return underWay;
  return left.length > 0 ? `these files cannot be committed: ${left.slice(0, 10).join(', ')}` : undefined;
}

/** Where the branch of the task stands now, and what is checked out. */
async function stand({ site }: SiteRepository, branch: string | undefined, head: string): Promise<void> {
  await writeRef(site, HEAD_TAKEN, head);
  if (branch !== undefined) await writeRef(site, WORK, branch);
}

const HEAD_TAKEN = 'refs/fleet/head';

/** In what the clone is shown, so that its agent finds it. */
async function commitInStore({ site, env }: SiteRepository, taken: CollectResult, { message, who }: Making): Promise<string> {
  const { store, history } = privatePlaces(site);
  const parents = taken.parent === undefined ? [] : ['-p', taken.parent];
  const args = ['commit-tree', '--no-gpg-sign', ...parents, '-F', '-', taken.tree];
  const place = fleetsOwn({ gitDir: store, objects: history });
  const end = await git(place, args, env, { mode: 'closed', input: ended(message), variables: signedBy(who) });
  return answered(end, `commit what was taken in from ${site.path}`).toString('utf8').trim();
}

interface Renewal {
  readonly commit: string;
  readonly taken: CollectResult;
  readonly isOnBranch: boolean;
}

/** From what was taken in and the record alone. Settings, hooks and the log of its refs are the agent's loss. */
async function renewAgentGit(
  ground: SiteRepository,
  mark: WorkspaceManifest,
  { commit, taken, isOnBranch }: Renewal,
): Promise<void> {
  const { site, env } = ground;
  const { store } = privatePlaces(site);
  const scratch = join(sidecarDir(site.path), await ownedName('renew'));
  await mkdir(scratch);
  try {
    const index = join(scratch, 'index');
    const place = fleetsOwn({ gitDir: store, index });
    const base = mark.commit ?? commit;
    const isMoved = await copyIndex(ownIndex(site), index)
      .then(() => git(place, ['read-tree', '-i', '-m', base, commit], env, { mode: 'closed' }))
      .then(
        ({ code }) => code === 0,
        () => false,
      );
    if (!isMoved) {
      await removeTree(index);
      answered(await git(place, ['read-tree', commit], env, { mode: 'closed' }), `read ${commit}`);
    }
    const shown = Object.entries(await shownIn(site)).map(([name, id]) => [`refs/remotes/origin/${name}`, id] as const);
    const own = [
      ...shown,
      ...taken.also,
      ...(taken.branch === undefined ? [] : [[`refs/heads/${mark.branch}`, taken.branch] as const]),
    ];
    await placeAgentGit(site, {
      ...(await factsOf(ground, base)),
      branch: isOnBranch ? mark.branch : branchOf(taken.headRef),
      commit,
      index,
      own: own.map(([name, id]) => ({ name: Buffer.from(name).toString('latin1'), id })).filter(({ name }) => isBranchName(name)),
    });
  } finally {
    await removeTree(scratch);
  }
}

/** A branch the agent has checked out besides its own, if it has a name git accepts. */
function branchOf(ref: string | undefined): string | undefined {
  const name = ref?.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : undefined;
  return name !== undefined && isBranchName(ref ?? '') ? name : undefined;
}

/** What stands in Fleet's own store comes into the project under `ref`. */
export async function bringPrivate(
  ground: SiteRepository,
  { from, ref }: { readonly from: string; readonly ref: string },
): Promise<string> {
  const { site } = ground;
  const commit = (await readRef(site, from === 'HEAD' ? HEAD_TAKEN : WORK)) ?? (await readRef(site, HEAD_TAKEN));
  if (commit === undefined) throw new Fault('not_found', `nothing was taken in from ${site.path} yet`, { path: site.path });
  await bringObjects(ground, (await ownManifest(site))?.commit, [commit]);
  await point(ground, [ref, commit]);
  return commit;
}
