import { readdir, readFile, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { Fault } from '../domain/fault.ts';
import type { TrustLevel } from '../domain/work/trust.ts';
import { exists, hasCode, makeDirectory, writeFileAtomic } from '../platform/files.ts';
import { type Seat, seatOf } from './seat.ts';
import { removeTree } from './tree/remove-tree.ts';

/** One working tree of ours. */
export interface Site {
  /** Id of the workspace; marks directory and processes. */
  readonly id: string;
  /** The project's path: a checkout, a linked worktree, or a bare repository. */
  readonly repository: string;
  /** Outside of every repository. */
  readonly path: string;
  readonly isolation: 'worktree' | 'clone';
  /** Of the agents that work in it. */
  readonly trust?: TrustLevel | undefined;
}

export interface Who {
  readonly name: string;
  readonly email: string;
}

/**
 * What we know of a site, kept where its agent does not write: `<path>.fleet/mark.json`, before there is anything else and
 * until there is nothing any more. A directory without it is not ours.
 */
export interface WorkspaceManifest extends Pick<Site, 'id' | 'repository' | 'isolation' | 'trust'> {
  /** `made`: laid out and perhaps worked in. Otherwise something was begun, and is to be begun again. */
  readonly state: 'making' | 'made' | 'clearing' | 'cleared';
  readonly branch?: string | undefined;
  /** What was checked out last. */
  readonly commit?: string | undefined;
  /** Files we copied in, so that nobody takes them for the work of the set-up. */
  readonly copied: readonly string[];
}

export const sidecarDir = (path: string): string => `${path}.fleet`;
export const manifestFile = (path: string): string => join(sidecarDir(path), 'mark.json');

/** The index as our own checkout left it. What the agent does to its own cannot hide a change from us. */
export const ownIndex = (site: Site): string => join(sidecarDir(site.path), 'index');

/** A copy of what its set-up made, for agents that may not have what others could have changed. */
export const setupCopy = (site: Pick<Site, 'path'>): string => join(sidecarDir(site.path), 'setup');

export async function readManifest(path: string): Promise<WorkspaceManifest | undefined> {
  const text = await readFile(manifestFile(path), 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as WorkspaceManifest;
  } catch (error) {
    throw new Fault('unavailable', `${manifestFile(path)} is damaged: nothing is done with ${path}`, { path }, { cause: error });
  }
}

export async function writeManifest(
  site: Site,
  mark: Pick<WorkspaceManifest, 'state' | 'branch' | 'commit' | 'copied'>,
): Promise<void> {
  const { id, repository, isolation, trust } = site;
  await makeDirectory(sidecarDir(site.path));
  await writeFileAtomic(manifestFile(site.path), `${JSON.stringify({ ...mark, id, repository, isolation, trust })}\n`);
}

/** What a killed process left half-done beside the site. Only for who has it to itself. */
export async function cleanSidecar(site: Site): Promise<void> {
  const [place, mine] = [sidecarDir(site.path), ['mark.json', 'index', basename(setupCopy(site))]];
  for (const name of await readdir(place)) if (!mine.includes(name)) await removeTree(join(place, name));
}

/** The mark of this very site. A directory that carries another, or none, belongs to somebody else. */
export async function ownManifest(site: Site): Promise<WorkspaceManifest | undefined> {
  const mark = await readManifest(site.path);
  if (mark === undefined && (await exists(site.path)))
    throw new Fault('conflict', `${site.path} is in the way: it was not made by Fleet`, { path: site.path });
  if (mark && (mark.id !== site.id || mark.isolation !== site.isolation || mark.repository !== site.repository))
    throw new Fault('conflict', `${site.path} is the workspace ${mark.id} of ${mark.repository}`, {
      path: site.path,
      id: mark.id,
    });
  return mark;
}

export function assertSite(site: Site): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(site.id)) throw new Fault('invalid', `${site.id} cannot be the id of a workspace`);
  if (!isAbsolute(site.path) || /[\0\n]/.test(site.path) || basename(site.path) === '.git')
    throw new Fault('invalid', `${site.path} cannot be the path of a workspace`, { path: site.path });
}

/** The repository itself, whatever of its working trees the project names. */
export async function repositorySeat(repository: string): Promise<Seat> {
  const seat = await seatOf(repository);
  if (seat) return seat;
  const why = (await exists(repository)) ? 'is not a git repository any more' : 'is gone';
  throw new Fault('not_found', `${repository} ${why}: was it moved?`, { repository });
}

/** Name of the worktree inside of the repository. */
export const entryName = (site: Site): string => `fleet-${site.id}`;

/** Where git has its own files for a site. Never read from the site: what stands in its `.git` is the agent's to write. */
export async function siteSeat(site: Site): Promise<Seat> {
  if (site.isolation === 'clone') throw new Error(`no git of ours sits in the private clone ${site.path}`);
  const { commonDir } = await repositorySeat(site.repository);
  return { gitDir: join(commonDir, 'worktrees', entryName(site)), commonDir, workTree: site.path };
}

/** With every link on the way resolved, also when the last part is not there yet: git writes such paths. */
export const realSite = async (site: Site): Promise<Site> => ({
  ...site,
  path: join(await realpath(dirname(site.path)), basename(site.path)),
});
