import { randomUUID } from 'node:crypto';
import { rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isFault } from '../../domain/fault.ts';
import { hasCode, makeDirectory, syncDirectory, writeFileAtomic } from '../../platform/files.ts';
import { withSiteLock } from '../announce.ts';
import { removeEntry } from '../entry.ts';
import { pinRef } from '../history/pinned.ts';
import { isId } from '../land/target.ts';
import { readPlain } from '../read-plain.ts';
import { seatOf } from '../seat.ts';
import { assertSite, ownManifest, realSite, type Site, sidecarDir, siteSeat } from '../site.ts';
import { moveWhole } from '../tree/move-whole.ts';
import { withClearFault } from '../with-clear-fault.ts';

export interface AsideOptions {
  /** A directory for this site alone: `tree`, `tree.fleet`, of a worktree git's entry, and `reason.json`. */
  readonly path: string;
  /** What is told of it in `reason.json`. */
  readonly reason: Readonly<Record<string, unknown>>;
  /** Commits that only its checkout knows of are kept under this ref. */
  readonly ref: string;
}

/**
 * Puts a site aside as it is, by one rename each of its tree and of what we know of it. Nothing in it is read. Git of the
 * project forgets the worktree; where that fails the entry leads nowhere, and is in nobody's way. Safe to repeat.
 */
export const putAside = (site: Site, aside: AsideOptions, env: NodeJS.ProcessEnv): Promise<void> =>
  withClearFault(`put aside ${site.path}`, () => move(site, aside, env));

async function move(asked: Site, { path, reason, ref }: AsideOptions, env: NodeJS.ProcessEnv): Promise<void> {
  assertSite(asked);
  const site = await realSite(asked).catch(() => asked);
  await assertOwn(site);
  await makeDirectory(path);
  const { id, repository, isolation } = site;
  const told = { ...reason, workspaceId: id, repository, isolation, from: site.path };
  await writeFileAtomic(join(path, 'reason.json'), `${JSON.stringify(told, null, 2)}\n`);
  await moveWhole(site.path, join(path, 'tree'));
  if (site.isolation === 'worktree') await forget(site, { path, ref }, env).catch(() => undefined);
  await moveWhole(sidecarDir(site.path), join(path, 'tree.fleet'));
  await syncDirectory(path);
}

/** What carries the mark of another is not touched; a mark that cannot be read is a reason to be put aside. */
const assertOwn = (site: Site): Promise<unknown> =>
  ownManifest(site).catch((error: unknown) => {
    if (isFault(error, 'conflict')) throw error;
  });

async function forget(site: Site, { path, ref }: Pick<AsideOptions, 'path' | 'ref'>, env: NodeJS.ProcessEnv): Promise<void> {
  const repository = await seatOf(site.repository);
  if (repository === undefined) return;
  const seat = await siteSeat(site);
  const head = (await readPlain(join(seat.gitDir, 'HEAD')))?.trim() ?? '';
  if (isId(head)) await pinRef(site.repository, ref, head, env);
  await withSiteLock(repository, env, () => removeEntry(site, seat, path));
}

/** Into the trash by one rename, where it is deleted piece by piece. */
export async function removeAside(path: string, { trash }: { readonly trash: string }): Promise<void> {
  await makeDirectory(trash);
  await rename(path, join(trash, `${basename(path)}-${randomUUID()}`)).catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT')) throw error;
  });
}
