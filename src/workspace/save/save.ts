import { Fault } from '../../domain/fault.ts';
import { signedBy } from '../git/environment.ts';
import { gitFault } from '../git/git.ts';
import { outputIn } from '../git/in-repository.ts';
import { updateRef } from '../history/branches.ts';
import type { Means } from '../private/confine.ts';
import { savePrivate } from '../private/save-private.ts';
import type { Seat } from '../seat.ts';
import { ownManifest, realSite, repositorySeat, type Site, type Who } from '../site.ts';
import { withClearFault } from '../with-clear-fault.ts';
import type { SaveOutcome } from './outcome.ts';
import { type TreeSnapshot, withSnapshot } from './snapshot.ts';

/** Everything in the tree but ignored files, committed or not, as one commit under a hidden ref of the repository. */
export async function save(
  asked: Site,
  options: { readonly ref: string; readonly message: string; readonly who: Who; readonly means?: Means | undefined },
  env: NodeJS.ProcessEnv,
): Promise<SaveOutcome> {
  if (!options.ref.startsWith('refs/fleet/')) throw new Fault('invalid', `${options.ref} is not a ref of Fleet`);
  const site = await realSite(asked);
  const mark = await ownManifest(site);
  const repository = await repositorySeat(site.repository);
  if (site.isolation === 'clone') {
    if (mark === undefined) throw new Fault('not_found', `${site.path} was not made by Fleet`, { path: site.path });
    const ground = { site: { ...site, trust: site.trust ?? mark.trust }, repository, env };
    return withClearFault(`keep ${site.path}`, () => savePrivate(ground, mark, options, options.means ?? {}));
  }
  return withClearFault(`keep ${site.path}`, () => withSnapshot(site, { env, flat: true }, (snapshot) => keepSnapshot(snapshot)));

  async function keepSnapshot(snapshot: TreeSnapshot): Promise<SaveOutcome> {
    const dirty = snapshot.tree !== snapshot.headTree;
    const commit = dirty || snapshot.head === undefined ? await commitTree(snapshot, options, env) : snapshot.head;
    await point(repository, options.ref, commit, env);
    return { commit, head: snapshot.head ?? commit, dirty, left: snapshot.left };
  }
}

export async function commitTree(
  { seat, tree, head }: TreeSnapshot,
  { message, who }: { readonly message: string; readonly who: Who },
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const parents = head === undefined ? [] : ['-p', head];
  const out = await outputIn(seat, ['commit-tree', '--no-gpg-sign', ...parents, '-F', '-', tree], env, {
    mode: 'user',
    input: message.endsWith('\n') ? message : `${message}\n`,
    variables: signedBy(who),
  });
  return out.toString('utf8').trim();
}

async function point(repository: Seat, ref: string, commit: string, env: NodeJS.ProcessEnv): Promise<void> {
  const end = await updateRef(repository, ['--no-deref', ref, commit], env);
  if (end.code !== 0) throw gitFault(end, `write ${ref}`);
}
