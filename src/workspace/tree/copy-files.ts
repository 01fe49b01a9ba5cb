import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, realpath, unlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { LIMITS } from '../../domain/limits.ts';
import { hasCode } from '../../platform/files.ts';
import type { SiteRepository } from '../announce.ts';
import { outputIn } from '../git/in-repository.ts';
import { ownIndex } from '../site.ts';
import { inside, openDirectory } from './remove-tree.ts';

/** What one call has done so far. */
interface Tally {
  readonly copied: string[];
  readonly skipped: string[];
  bytes: number;
  entries: number;
  /** Paths of ours that stand in the way of a copy and are not in the commit: they may be replaced. */
  replaceable(path: string): Promise<boolean>;
}

/** A directory held open on both sides, and where it is below the project. */
interface Pair {
  readonly from: FileHandle;
  readonly fromPath: string;
  readonly to: FileHandle;
  readonly toPath: string;
  readonly below: string;
}

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const WRITE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const PIECE = 256 * 1024;

/**
 * Copies files of the project into a site. Each directory on the way is opened as itself and never through a link, on both
 * sides, so that nothing outside of the project is read and nothing outside of the site is written, whoever swaps what
 * meanwhile. A link the user names may lead to another place in the project.
 */
export async function copyIn({ site, repository, env }: SiteRepository, paths: readonly string[]) {
  const tally: Tally = { copied: [], skipped: [], bytes: 0, entries: 0, replaceable: (path) => isUntracked(path) };
  const isUntracked = async (path: string): Promise<boolean> => {
    const args = ['--literal-pathspecs', 'ls-files', '-z', '--', path];
    const out = await outputIn({ ...repository, workTree: site.path }, args, env, { mode: 'closed', index: ownIndex(site) });
    return out.length === 0;
  };
  for (const path of paths) {
    const done = repository.workTree !== undefined && (await copyNamed(repository.workTree, site.path, path, tally));
    if (!done) tally.skipped.push(path);
  }
  return { copied: tally.copied, skipped: tally.skipped };
}

async function copyNamed(project: string, tree: string, path: string, tally: Tally): Promise<boolean> {
  const parts = partsOf(path);
  if (parts === undefined) return false;
  const source = await sourceOf(project, parts);
  const name = parts.at(-1);
  const sourceName = source?.at(-1);
  if (source === undefined || name === undefined || sourceName === undefined) return false;
  const from = await descend(project, source.slice(0, -1), false);
  if (from === undefined) return false;
  try {
    const to = await descend(tree, parts.slice(0, -1), true);
    if (to === undefined) return false;
    try {
      const pair = { from, fromPath: join(project, ...source.slice(0, -1)), to, toPath: join(tree, ...parts.slice(0, -1)) };
      return await copyEntry({ ...pair, below: parts.slice(0, -1).join('/') }, sourceName, name, tally);
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

function partsOf(path: string): string[] | undefined {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  const isPlain = parts.length > 0 && !path.startsWith('/') && !path.includes('\0');
  return isPlain && !parts.some((part) => part === '..' || part.toLowerCase() === '.git') ? parts : undefined;
}

/** Where a named path really is, if that is in the project. It is then walked without following anything. */
async function sourceOf(project: string, parts: readonly string[]): Promise<string[] | undefined> {
  const real = await realpath(join(project, ...parts)).catch(() => undefined);
  return real === undefined ? undefined : partsOf(relative(project, real));
}

async function descend(top: string, parts: readonly string[], make: boolean): Promise<FileHandle | undefined> {
  let [directory, path] = [await openDirectory(top), top];
  for (const part of parts) {
    const below = inside(directory, path, part);
    if (make)
      await mkdir(below).catch((error: unknown) => {
        if (!hasCode(error, 'EEXIST')) throw error;
      });
    const next = await openDirectory(below).catch(unlessElsewhere);
    await directory.close();
    if (next === undefined) return undefined;
    [directory, path] = [next, join(path, part)];
  }
  return directory;
}

/** Whether it, and so many bytes more, is past what a workspace is given. */
export const isTooMuch = ({ entries, bytes }: Pick<Tally, 'entries' | 'bytes'>, more = 0): boolean =>
  entries > LIMITS.copiedEntries.value || bytes + more > LIMITS.copiedBytes.value;

async function copyEntry(pair: Pair, sourceName: string, name: string, tally: Tally): Promise<boolean> {
  tally.entries += 1;
  if (isTooMuch(tally)) return false;
  const file = await open(inside(pair.from, pair.fromPath, sourceName), READ).catch(unlessElsewhere);
  if (file === undefined) return false;
  try {
    const found = await file.stat();
    const path = pair.below === '' ? name : `${pair.below}/${name}`;
    if (found.isDirectory()) return await copyDirectory(pair, [sourceName, name], path, tally);
    if (!found.isFile() || isTooMuch(tally, found.size)) return false;
    const target = await openTarget(inside(pair.to, pair.toPath, name), path, tally);
    if (target === undefined) return false;
    try {
      await pour(file, target, tally);
      await target.chmod(found.mode & 0o777);
    } finally {
      await target.close();
    }
    tally.copied.push(path);
    return true;
  } finally {
    await file.close();
  }
}

/** What is not copied of a directory is named one by one; the directory itself counts as copied. */
async function copyDirectory(pair: Pair, [sourceName, name]: [string, string], path: string, tally: Tally): Promise<boolean> {
  const from = await openDirectory(inside(pair.from, pair.fromPath, sourceName)).catch(unlessElsewhere);
  if (from === undefined) return false;
  try {
    const made = inside(pair.to, pair.toPath, name);
    await mkdir(made).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error;
    });
    const to = await openDirectory(made).catch(unlessElsewhere);
    if (to === undefined) return false;
    try {
      const inner = { from, fromPath: join(pair.fromPath, sourceName), to, toPath: join(pair.toPath, name), below: path };
      for (const entry of (await readdir(inside(from, inner.fromPath, '.'))).sort()) {
        const isGit = entry.toLowerCase() === '.git';
        if (isGit || !(await copyEntry(inner, entry, entry, tally))) tally.skipped.push(`${path}/${entry}`);
      }
    } finally {
      await to.close();
    }
    return true;
  } finally {
    await from.close();
  }
}

async function openTarget(file: string, path: string, tally: Tally): Promise<FileHandle | undefined> {
  try {
    return await open(file, WRITE, 0o600);
  } catch (error) {
    if (!hasCode(error, 'EEXIST') || !(await tally.replaceable(path))) return unlessElsewhere(error);
  }
  await unlink(file).catch(unlessElsewhere);
  return open(file, WRITE, 0o600).catch(unlessElsewhere);
}

/** As much as there was when it was looked at, and never more than the limit, however it grows. */
async function pour(from: FileHandle, to: FileHandle, tally: Tally): Promise<void> {
  const buffer = Buffer.allocUnsafe(PIECE);
  while (tally.bytes < LIMITS.copiedBytes.value) {
    const { bytesRead } = await from.read(buffer, 0, PIECE, null);
    if (bytesRead === 0) return;
    await to.writeFile(buffer.subarray(0, bytesRead));
    tally.bytes += bytesRead;
  }
}

/** Not there, a link, something that is no directory, or not ours to read: skipped, and said. */
function unlessElsewhere(error: unknown): undefined {
  if (hasCode(error, 'ENOENT', 'ELOOP', 'ENOTDIR', 'EACCES', 'EPERM', 'EEXIST', 'EISDIR', 'ENXIO', 'ENAMETOOLONG'))
    return undefined;
  throw error;
}
