import { randomUUID } from 'node:crypto';
import { lstat, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasCode } from '../../platform/files.ts';
import type { SiteRepository } from '../announce.ts';
import { type GitEnd, gitFault } from '../git/git.ts';
import { gitIn, outputIn } from '../git/in-repository.ts';
import { namesIn } from '../history/names.ts';
import { namedAfter } from '../locks/orphans.ts';
import { othersInPrivate } from '../private/others.ts';
import type { Seat } from '../seat.ts';
import { ownIndex, type Site, sidecarDir } from '../site.ts';
import { removeTree } from './remove-tree.ts';
import { restoreOwn } from './restore-own.ts';

const LISTING_BYTES = 1024 * 1024 * 1024;

/** Where git sits for the files of a site: with the repository's objects and, everywhere below, an index of our own. */
const at = ({ site, repository }: SiteRepository): Seat => ({ ...repository, workTree: site.path });

/** The files of a commit, whatever is there now. Only what differs is written. */
export async function checkOut(place: SiteRepository, commit: string): Promise<void> {
  const end = await readTree(place, ['--reset', commit]);
  if (end.code !== 0) throw gitFault(end, `write the files of ${place.site.path}`);
}

/** The same from a tree that is known to be at `from`, without a look at the files that stay. False when it was not. */
export const moveOn = async (place: SiteRepository, from: string, commit: string): Promise<boolean> =>
  (await readTree(place, ['-m', from, commit])).code === 0;

async function readTree(place: SiteRepository, args: readonly string[]): Promise<GitEnd> {
  // Whoever could hold it is gone: see `endOrphans`.
  await rm(`${ownIndex(place.site)}.lock`, { force: true });
  return gitIn(at(place), ['read-tree', '-u', '--no-recurse-submodules', ...args], place.env, {
    mode: 'user',
    index: ownIndex(place.site),
    // Writing files waits more than it works.
    settings: { 'core.sparseCheckout': 'false', 'checkout.workers': '2' },
    variables: namedAfter(place.site),
    timeoutMs: 0,
  });
}

/**
 * Takes away everything that did not come from our checkout, but what is to stay. What counts is our own index, so that
 * neither flags nor forged times in the agent's can hide a file.
 */
export async function removeOthers(place: SiteRepository, stay: readonly string[]): Promise<void> {
  await restoreOwn(place.site, namesIn(await listed(place, ['ls-files', '-z'])));
  for (const path of await othersIn(place)) await removeBut(place.site, path, stay);
}

/** Every file and directory that is not in our index, ignored ones too; a directory as one entry. As bytes, one character each. */
export async function othersIn(place: SiteRepository): Promise<readonly string[]> {
  if (place.site.isolation === 'clone') return othersInPrivate(place);
  return namesIn(await listed(place, ['ls-files', '-z', '--others', '--directory'])).map((name) => name.replace(/\/$/, ''));
}

const listed = (place: SiteRepository, args: readonly string[]): Promise<Buffer> =>
  outputIn(at(place), args, place.env, { mode: 'user', index: ownIndex(place.site), maxBytes: LISTING_BYTES, timeoutMs: 0 });

/** A path of the listing as text, if it is text. */
const textOf = (name: string): string | undefined => {
  const bytes = Buffer.from(name, 'latin1');
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? text : undefined;
};

async function removeBut(site: Site, name: string, stay: readonly string[]): Promise<void> {
  const path = textOf(name);
  if (path !== undefined && stay.some((kept) => kept === path || path.startsWith(`${kept}/`))) return;
  const inner: string[] = [];
  for (const kept of stay) if (path !== undefined && kept.startsWith(`${path}/`) && (await isOwn(site, kept))) inner.push(kept);
  if (path !== undefined && inner.length === 0) {
    await removeTree(join(site.path, path));
    return;
  }
  if (path === undefined) await removeUnnamed(site, name);
  else await removeAround(site, path, inner);
}

/** No part of the way to it is a link: what is behind one is not of this tree. */
export async function isOwn(site: Site, path: string): Promise<boolean> {
  const parts = path.split('/');
  for (let depth = 1; depth < parts.length; depth += 1) {
    const found = await lstat(join(site.path, ...parts.slice(0, depth))).catch(() => undefined);
    if (!found?.isDirectory()) return false;
  }
  return true;
}

/** What is to stay lies deeper: it is put aside and back. */
async function removeAround(site: Site, path: string, inner: readonly string[]): Promise<void> {
  const aside = join(sidecarDir(site.path), `stay-${randomUUID()}`);
  await rename(join(site.path, path), aside);
  for (const kept of inner) {
    const from = join(aside, kept.slice(path.length + 1));
    await mkdir(dirname(join(site.path, kept)), { recursive: true });
    await rename(from, join(site.path, kept)).catch((error: unknown) => {
      if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw error;
    });
  }
  await removeTree(aside);
}

/** A name that is no text gets one that is. */
async function removeUnnamed(site: Site, name: string): Promise<void> {
  const aside = join(sidecarDir(site.path), `other-${randomUUID()}`);
  await rename(Buffer.concat([Buffer.from(`${site.path}/`), Buffer.from(name, 'latin1')]), aside).catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT')) throw error;
  });
  await removeTree(aside);
}
