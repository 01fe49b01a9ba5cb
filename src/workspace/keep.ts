import { Fault } from '../domain/fault.ts';
import { commitsOf, updateRef } from './branches.ts';
import { clearly } from './clearly.ts';
import { carry } from './clone-commits.ts';
import { gitFault, outputAt } from './git.ts';
import { soundClone } from './own-clone.ts';
import type { Seat } from './seat.ts';
import { ownMark, realSite, repositorySeat, type Site, siteSeat, type Who } from './site.ts';
import { type Snapshot, withSnapshot } from './snapshot.ts';

export interface Kept {
  /** What the ref points to: the last commit itself when there was nothing else. */
  readonly commit: string;
  readonly head: string;
  /** Something was not committed. */
  readonly dirty: boolean;
  /** Files that could not be kept. While there are any, the site must be neither cleared nor discarded. */
  readonly left: readonly string[];
}

/** Everything in the tree but ignored files, committed or not, as one commit under a hidden ref of the repository. */
export async function keep(
  asked: Site,
  options: { readonly ref: string; readonly message: string; readonly who: Who },
  env: NodeJS.ProcessEnv,
): Promise<Kept> {
  if (!options.ref.startsWith('refs/fleet/')) throw new Fault('invalid', `${options.ref} is not a ref of Fleet`);
  const site = await realSite(asked);
  const mark = await ownMark(site);
  const repository = await repositorySeat(site.repository);
  if (mark) await clearly(`mend ${site.path}`, () => soundClone(site, repository, mark, env));
  return clearly(`keep ${site.path}`, () => withSnapshot(site, { env, flat: true }, (snapshot) => keepSnapshot(snapshot)));

  async function keepSnapshot(snapshot: Snapshot): Promise<Kept> {
    const dirty = snapshot.tree !== snapshot.headTree;
    const commit = dirty || snapshot.head === undefined ? await commitTree(snapshot, options, env) : snapshot.head;
    if (site.isolation === 'clone') await carryAll(site, repository, { commit, ref: options.ref }, env);
    await point(repository, options.ref, commit, env);
    return { commit, head: snapshot.head ?? commit, dirty, left: snapshot.left };
  }
}

export async function commitTree(
  { seat, tree, head }: Snapshot,
  { message, who }: { readonly message: string; readonly who: Who },
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const parents = head === undefined ? [] : ['-p', head];
  const out = await outputAt(seat, ['commit-tree', '--no-gpg-sign', ...parents, '-F', '-', tree], env, {
    input: message.endsWith('\n') ? message : `${message}\n`,
    variables: identity(who),
  });
  return out.toString('utf8').trim();
}

export const identity = ({ name, email }: Who): Readonly<Record<string, string>> => ({
  GIT_AUTHOR_NAME: name,
  GIT_AUTHOR_EMAIL: email,
  GIT_COMMITTER_NAME: name,
  GIT_COMMITTER_EMAIL: email,
});

async function point(repository: Seat, ref: string, commit: string, env: NodeJS.ProcessEnv): Promise<void> {
  const end = await updateRef(repository, ['--no-deref', ref, commit], env);
  if (end.code !== 0) throw gitFault(['update-ref'], end);
}

/** In a clone the agent's other branches, tags and stash are nowhere else: they are kept beside. */
async function carryAll(
  site: Site,
  repository: Seat,
  { commit, ref }: { readonly commit: string; readonly ref: string },
  env: NodeJS.ProcessEnv,
): Promise<void> {
  await carry(site, repository, [commit], env);
  const listing = ['for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads', 'refs/tags', 'refs/stash'];
  const lines = (await outputAt(await siteSeat(site), listing, env)).toString('utf8').split('\n');
  const refs = lines
    .filter((line) => line !== '')
    .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]);
  const known = await commitsOf(
    repository,
    refs.map(([id = '']) => id),
    env,
  );
  for (const [at, [id = '', name = '']] of refs.entries()) {
    if (known[at] !== undefined) continue;
    await carry(site, repository, [id], env);
    await point(repository, `${ref}.also/${name.slice('refs/'.length)}`, id, env);
  }
}
