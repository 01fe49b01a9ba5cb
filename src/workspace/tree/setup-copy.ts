import { constants, type Stats } from 'node:fs';
import { chmod, copyFile, lchown, lstat, mkdir, readdir, readlink, rename, symlink, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Fault } from '../../domain/fault.ts';
import { LIMITS } from '../../domain/limits.ts';
import { exists, makeDirectory } from '../../platform/files.ts';
import { realSite, type Site, setupCopy } from '../site.ts';
import { removeTree } from './remove-tree.ts';
import { fingerprintOf } from './setup-paths.ts';

/*
 * A copy of what a set-up made, beside the tree and out of reach of its agents, taken before the first of them comes. Later
 * agents get copies of the copy, always in the same tree: what a set-up makes may know its own path.
 */

/** Takes the copy, in the place of an older one. Its fingerprint; undefined where it cannot be copied, and then there is none. */
export async function keepSetupCopy(asked: Site, paths: readonly string[]): Promise<string | undefined> {
  const site = await realSite(asked);
  const [copy, fresh] = [setupCopy(site), `${setupCopy(site)}.new`];
  await dropSetupCopy(site);
  try {
    await makeDirectory(fresh);
    await copyAll({ from: site.path, to: fresh }, paths);
    await rename(fresh, copy);
    return await copyFingerprint(site, paths);
  } catch {
    // What is too large, no plain file, or more than the disk holds is made again every time.
    await dropSetupCopy(site);
    return undefined;
  }
}

/** Puts copies of the copy into a tree in which nobody works. False where that cannot be: no copy, or no tree. */
export async function takeSetupCopy(asked: Site, paths: readonly string[]): Promise<boolean> {
  if (!(await exists(setupCopy(asked))) || !(await exists(asked.path))) return false;
  const site = await realSite(asked);
  for (const path of paths) if (await isBlocked(site, path)) return false;
  await copyAll({ from: setupCopy(site), to: site.path }, paths);
  return true;
}

/** It is there, or something other than a directory is on the way to it. */
async function isBlocked(site: Site, path: string): Promise<boolean> {
  const parts = path.split('/');
  for (let depth = 1; depth <= parts.length; depth += 1) {
    const found = await lstat(join(site.path, ...parts.slice(0, depth))).catch(() => undefined);
    if (found && (depth === parts.length || !found.isDirectory())) return true;
  }
  return false;
}

export async function dropSetupCopy(site: Site): Promise<void> {
  for (const place of [setupCopy(site), `${setupCopy(site)}.new`]) await removeTree(place);
}

/** As `fingerprintOf`, of the copy. */
export const copyFingerprint = (site: Site, paths: readonly string[]): Promise<string> =>
  fingerprintOf({ ...site, path: setupCopy(site) }, paths);

interface Span {
  readonly from: string;
  readonly to: string;
}

/** Each entry counts as a block, so that their number is bounded, too. */
const ENTRY_BYTES = 4_096;
const AT_ONCE = 32;

export const isTooLarge = (bytes: number): boolean => bytes > LIMITS.setupCopyBytes.value;

async function copyAll({ from, to }: Span, paths: readonly string[]): Promise<void> {
  const tally = { bytes: 0 };
  for (const path of paths) {
    await makeDirectory(dirname(join(to, path)));
    await copyOne({ from: join(from, path), to: join(to, path) }, tally);
  }
}

async function copyOne({ from, to }: Span, tally: { bytes: number }): Promise<void> {
  const found = await lstat(from);
  tally.bytes += ENTRY_BYTES + (found.isFile() ? found.size : 0);
  if (isTooLarge(tally.bytes))
    throw new Fault('limit', `what the set-up made is larger than ${LIMITS.setupCopyBytes.value} bytes`);
  if (found.isSymbolicLink()) await symlink(await readlink(from), to);
  else if (found.isDirectory()) await copyDirectory({ from, to }, tally);
  // Shares blocks where the file system can. Nobody else is in either place, so what was looked at is what is copied.
  else if (found.isFile()) await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  else throw new Fault('invalid', `${from} is no file, directory or link`);
  await dress(to, found);
}

async function copyDirectory({ from, to }: Span, tally: { bytes: number }): Promise<void> {
  await mkdir(to, { mode: 0o700 });
  const names = await readdir(from);
  for (let at = 0; at < names.length; at += AT_ONCE)
    await Promise.all(
      names.slice(at, at + AT_ONCE).map((name) => copyOne({ from: join(from, name), to: join(to, name) }, tally)),
    );
}

/** Owner, mode and times as they were; those of a link are nobody's concern. */
async function dress(path: string, { uid, gid, mode, atime, mtime }: Stats): Promise<void> {
  if (process.getuid?.() === 0) await lchown(path, uid, gid);
  if ((mode & constants.S_IFMT) === constants.S_IFLNK) return;
  await utimes(path, atime, mtime);
  await chmod(path, mode & 0o777);
}
