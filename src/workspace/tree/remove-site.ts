import { randomUUID } from 'node:crypto';
import { readdir, rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Fault } from '../../domain/fault.ts';
import { hasCode, makeDirectory } from '../../platform/files.ts';
import { withSiteLock } from '../announce.ts';
import { removeEntry } from '../entry.ts';
import { endOrphans } from '../locks/orphans.ts';
import { seatOf } from '../seat.ts';
import { assertSite, ownManifest, realSite, type Site, sidecarDir, siteSeat } from '../site.ts';
import { removeTree } from './remove-tree.ts';

/** Takes a site away: its files into the trash by one rename, its entry out of git. Its mark goes last, so that it can be repeated. */
export async function removeSite(asked: Site, options: { readonly trash: string }, env: NodeJS.ProcessEnv): Promise<void> {
  assertSite(asked);
  const site = await realSite(asked).catch(() => asked);
  const mark = await ownManifest(site);
  if (mark === undefined) return;
  if (mark.state === 'making' || mark.state === 'clearing') await endOrphans(site);
  await makeDirectory(options.trash);
  await toTrash(site.path, options.trash);
  if (site.isolation === 'worktree') await forget(site, options.trash, env);
  await toTrash(sidecarDir(site.path), options.trash);
}

/** A repository that is gone has nothing to forget. */
async function forget(site: Site, trash: string, env: NodeJS.ProcessEnv): Promise<void> {
  const repository = await seatOf(site.repository);
  if (repository === undefined) return;
  const seat = await siteSeat(site);
  await withSiteLock(repository, env, () => removeEntry(site, seat, trash));
}

async function toTrash(path: string, trash: string): Promise<void> {
  try {
    await rename(path, join(trash, `${basename(path)}-${randomUUID()}`));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    if (hasCode(error, 'EXDEV'))
      throw new Fault('unavailable', `${path} and ${trash} are on different file systems: the trash has to be beside`, { path });
    throw error;
  }
}

export interface TrashResult {
  /** How much is still to be deleted. */
  readonly left: number;
  /** What cannot be, and is in nobody's way. */
  readonly stays: readonly { readonly name: string; readonly why: string }[];
}

/** Deletes what is in the trash for a while. What was begun is gone on with the next time; what cannot be deleted keeps nothing else. */
export async function emptyTrash(trash: string, options: { readonly forMs: number }): Promise<TrashResult> {
  const until = performance.now() + options.forMs;
  const stays: { name: string; why: string }[] = [];
  for (const name of await contentOf(trash)) {
    try {
      if (!(await removeTree(join(trash, name), () => performance.now() < until))) break;
    } catch (error) {
      stays.push({ name, why: error instanceof Error ? error.message : String(error) });
    }
  }
  const known = new Set(stays.map(({ name }) => name));
  return { left: (await contentOf(trash)).filter((name) => !known.has(name)).length, stays };
}

const contentOf = (trash: string): Promise<string[]> =>
  readdir(trash).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  });
