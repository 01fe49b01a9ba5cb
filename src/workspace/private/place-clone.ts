import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { exists, hasCode } from '../../platform/files.ts';
import type { SiteRepository } from '../announce.ts';
import { git, gitFault } from '../git/git.ts';
import { fleetsOwn } from '../git/location.ts';
import { identityOf } from '../land/target.ts';
import { namedAfter } from '../locks/orphans.ts';
import { ownIndex, type Site, sidecarDir, type Who } from '../site.ts';
import { removeTree } from '../tree/remove-tree.ts';
import { writeGitFiles } from './git-files.ts';
import { linkPacks, packsFor } from './history.ts';
import { abandoned, ownedName } from './owned-names.ts';
import { type PrivatePlaces, privatePlaces } from './places.ts';
import { excludesOf, type KnownRef, objectFormat, readShallow, refsWithin } from './project-facts.ts';

/** What the agent of a private clone begins with. */
export interface PrivateHead {
  readonly branch?: string | undefined;
  readonly commit: string;
}

/** For others to read who run as another user; what they may write is decided by what is mounted. */
const READABLE = 0o755;

/**
 * The history of a private clone and Fleet's own store, made anew: what the agent's git directory is made from. Nothing of
 * what an agent left is read.
 */
export async function placeHistory(ground: SiteRepository, head: PrivateHead): Promise<RepositoryFacts> {
  const places = privatePlaces(ground.site);
  const facts = await factsOf(ground, head.commit);
  for (const part of [places.history, places.store]) await removeTree(part);
  await linkHistory(ground, places, { commit: head.commit, refs: facts.refs });
  await mkdir(places.history, { recursive: true });
  await chmod(places.history, READABLE);
  await writeFile(places.excludes, facts.excludes);
  const { format, shallow } = facts;
  await writeGitFiles(places.store, { format, shallow, head: 'ref: refs/heads/none', alternates: [places.history] });
  return facts;
}

export interface RepositoryFacts {
  readonly format: 'sha1' | 'sha256';
  readonly shallow?: string | undefined;
  readonly excludes: string;
  readonly refs: readonly KnownRef[];
  readonly who: Who;
}

export async function factsOf({ site, repository, env }: SiteRepository, commit: string): Promise<RepositoryFacts> {
  const [format, shallow, excludes, refs, who] = await Promise.all([
    objectFormat(repository),
    readShallow(repository.commonDir),
    excludesOf(repository, site.repository, env),
    refsWithin(repository, commit, env),
    identityOf(site.repository, env),
  ]);
  return { format, shallow, excludes, refs, who };
}

const ATTEMPTS = 3;

/** Shows a site what a commit of the project reaches. Another may pack the history anew meanwhile. */
export async function linkHistory(
  { repository, env }: SiteRepository,
  places: PrivatePlaces,
  { commit, refs }: { readonly commit: string; readonly refs: readonly KnownRef[] },
): Promise<void> {
  const tags = refs.flatMap(({ id, peeled }) => (peeled === undefined ? [] : [id]));
  for (let attempt = 1; ; attempt += 1) {
    const { directory, packs } = await packsFor(repository, { tip: commit, tags }, env);
    const isWhole = await linkPacks(directory, packs, join(places.history, 'pack')).then(
      () => true,
      (error: unknown) => {
        if (attempt === ATTEMPTS || !hasCode(error, 'ENOENT')) throw error;
        return false;
      },
    );
    if (isWhole) return;
  }
}

export interface AgentGit extends PrivateHead, Pick<RepositoryFacts, 'format' | 'shallow' | 'excludes' | 'who'> {
  readonly refs: readonly KnownRef[];
  /** Refs of the agent's own that come back as they were. */
  readonly own?: readonly { readonly name: string; readonly id: string }[] | undefined;
  readonly index?: string | undefined;
}

/** The agent's git directory, by one rename; what was there goes, but for what submodules keep in it. */
export async function placeAgentGit(site: Site, wish: AgentGit): Promise<void> {
  const { agentGit, dotGit, history } = privatePlaces(site);
  const { branch, commit, format, shallow, excludes, who } = wish;
  const fresh = join(sidecarDir(site.path), await ownedName('agent-git'));
  const before = `${fresh}-before`;
  try {
    await writeGitFiles(fresh, {
      format,
      shallow,
      excludes,
      who,
      alternates: [history],
      head: branch === undefined ? commit : `ref: refs/heads/${branch}`,
      refs: refLines(wish),
      index: wish.index ?? ((await exists(ownIndex(site))) ? ownIndex(site) : undefined),
    });
    await mkdir(dirname(agentGit), { recursive: true });
    await moveAway(agentGit, before);
    for (const part of KEPT) await rename(join(before, part), join(fresh, part)).catch(() => undefined);
    await rename(fresh, agentGit);
    if (agentGit !== dotGit) await emptyDirectory(dotGit);
  } finally {
    for (const part of [fresh, before]) await removeTree(part);
  }
}

/**
 * Ends what a killed process had begun with the agent's git directory. Where the old one was moved aside the new one was whole
 * already, and takes its place; what its agent keeps in it comes along.
 */
export async function finishAgentGit(site: Site): Promise<void> {
  const { agentGit } = privatePlaces(site);
  const place = sidecarDir(site.path);
  const found = (await Promise.all((await readdir(place)).map(abandoned))).filter((one) => one?.kind === 'agent-git');
  for (const before of found.filter((one) => one?.isBefore)) {
    const [old, fresh] = [join(place, before?.name ?? ''), join(place, (before?.name ?? '').replace(/-before$/, ''))];
    if (await exists(agentGit)) continue;
    for (const part of KEPT) await rename(join(old, part), join(fresh, part)).catch(() => undefined);
    await rename(fresh, agentGit);
  }
  for (const one of found) await removeTree(join(place, one?.name ?? ''));
}

/** Repositories of submodules, and large files: nobody but the agent reads them. */
const KEPT = ['modules', 'lfs'];

async function moveAway(path: string, to: string): Promise<void> {
  await rename(path, to).catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT')) throw error;
  });
}

/** On the host git finds no repository in the tree of a sandboxed agent; in the sandbox its own is mounted here. */
async function emptyDirectory(path: string): Promise<void> {
  await removeTree(path);
  await mkdir(path, { recursive: true });
}

/** The project's branches are those of `origin`, as in every clone. */
function refLines({ branch, commit, refs, own = [] }: AgentGit): string[] {
  const latin = (text: string): string => Buffer.from(text).toString('latin1');
  const head = branch === undefined ? [] : [{ name: `refs/heads/${latin(branch)}`, id: commit }];
  const others = refs.map(({ name, id }) => ({ name: name.replace(/^refs\/heads\//, 'refs/remotes/origin/'), id }));
  const lines = new Map([...others, ...own, ...head].map(({ name, id }) => [name, id]));
  return [...lines].map(([name, id]) => `${id} ${name}`);
}

/** Writes the files of a commit into a tree in which nobody but Fleet has been. False when it was not at `from`. */
export async function checkOutPrivate(ground: SiteRepository, to: string, from?: string): Promise<boolean> {
  const { site, repository, env } = ground;
  const index = ownIndex(site);
  await rm(`${index}.lock`, { force: true });
  const scratch = join(sidecarDir(site.path), `checkout-${randomUUID()}`);
  try {
    const [format, shallow] = await Promise.all([objectFormat(repository), readShallow(repository.commonDir)]);
    await writeGitFiles(scratch, { format, shallow, head: 'ref: refs/heads/none', alternates: [objectsOf(ground)] });
    const args = from === undefined ? ['--reset', '-u', to] : ['-m', '-u', from, to];
    const place = fleetsOwn({ gitDir: scratch, workTree: site.path, index });
    const end = await git(place, ['read-tree', '--no-recurse-submodules', ...args], env, {
      mode: 'closed',
      // Writing files waits more than it works.
      settings: { 'checkout.workers': '2' },
      variables: namedAfter(site),
      timeoutMs: 0,
    });
    if (end.code !== 0 && from === undefined) throw gitFault(end, `write the files of ${site.path}`);
    return end.code === 0;
  } finally {
    await removeTree(scratch);
  }
}

const objectsOf = ({ repository }: SiteRepository): string => join(repository.commonDir, 'objects');
