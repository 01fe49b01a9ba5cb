import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, type FileHandle, open, opendir, rename, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, PRIVATE_DIRECTORY } from '../../platform/files.ts';

const OPEN_DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const AT_ONCE = 32;
/** Each level holds a descriptor. What lies deeper is moved up and becomes a tree of its own. */
const LEVELS = 48;

/**
 * The path of what lies in an open directory. Where the system allows it the directory itself is meant and not its name, so
 * that nobody can put a link in its place meanwhile.
 */
export const inside = (directory: FileHandle, path: string, name: string): string =>
  process.platform === 'linux' ? `/proc/self/fd/${directory.fd}/${name}` : join(path, name);

/** Opens a directory, never a link to one. */
export const openDirectory = (path: string): Promise<FileHandle> => open(path, OPEN_DIRECTORY);

/** Deletes whatever is there, links as links, read-only directories too. False when `goOn` said to stop before the end. */
export async function removeTree(path: string, goOn: () => boolean = () => true): Promise<boolean> {
  const deep: string[] = [];
  let done = await remove(path, { top: path, level: 0, goOn, deep });
  for (let next = deep.pop(); next !== undefined && done; next = deep.pop())
    done = await remove(next, { top: path, level: 0, goOn, deep });
  return done && (deep.length === 0 || remove(path, { top: path, level: 0, goOn, deep }));
}

interface Walk {
  readonly top: string;
  readonly level: number;
  readonly goOn: () => boolean;
  /** Trees that were moved up, beside the top. */
  readonly deep: string[];
}

async function remove(path: string, walk: Walk): Promise<boolean> {
  if (!walk.goOn()) return false;
  const directory = await opened(path);
  if (directory === undefined) return true;
  try {
    if (!(await removeContent(directory, path, walk))) return false;
  } finally {
    await directory.close();
  }
  await rmdir(path).catch(ignoreMissing);
  return true;
}

/** Undefined when it was no directory; then it is gone already. */
async function opened(path: string): Promise<FileHandle | undefined> {
  try {
    return await openDirectory(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    if (hasCode(error, 'ENOTDIR', 'ELOOP')) return unlink(path).then(() => undefined, ignoreMissing);
    if (!hasCode(error, 'EACCES')) throw error;
    await chmod(path, PRIVATE_DIRECTORY);
    return openDirectory(path);
  }
}

async function removeContent(directory: FileHandle, path: string, walk: Walk): Promise<boolean> {
  // Without this nothing can be taken out of a directory that was made read-only.
  await directory.chmod(PRIVATE_DIRECTORY);
  for await (const entries of batches(inside(directory, path, '.'))) {
    const named = entries.map((entry) => ({ isDirectory: entry.isDirectory(), path: bytesInside(directory, path, entry.name) }));
    const files = named.filter(({ isDirectory }) => !isDirectory);
    await Promise.all(files.map((file) => unlink(file.path).catch(ignoreMissing)));
    for (const below of named.filter(({ isDirectory }) => isDirectory)) if (!(await removeBelow(below.path, walk))) return false;
    // Asked after some were removed: a directory whose names take longer to list than there is time gets smaller all the same.
    if (!walk.goOn()) return false;
  }
  return true;
}

interface Entry {
  readonly name: Uint8Array;
  isDirectory(): boolean;
}

/** What is in a directory, some at a time: there may be millions, and what was given out is removed meanwhile. */
async function* batches(path: string): AsyncGenerator<readonly Entry[]> {
  // Its types know names as text only.
  const directory = await opendir(path, { encoding: 'buffer' as BufferEncoding, bufferSize: AT_ONCE });
  let batch: Entry[] = [];
  // Left early or not, the loop closes it.
  for await (const entry of directory) {
    batch.push(entry as unknown as Entry);
    if (batch.length < AT_ONCE) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function removeBelow(path: Buffer, walk: Walk): Promise<boolean> {
  const isPlain = Buffer.from(path.toString('utf8')).equals(path);
  if (walk.level < LEVELS && isPlain) return remove(path.toString('utf8'), { ...walk, level: walk.level + 1 });
  // A name that is no text gets one that is.
  const moved = `${walk.top}.${randomUUID()}`;
  await rename(path, moved).catch(ignoreMissing);
  walk.deep.push(moved);
  return true;
}

const bytesInside = (directory: FileHandle, path: string, name: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(inside(directory, path, '')), name]);

function ignoreMissing(error: unknown): undefined {
  if (!hasCode(error, 'ENOENT')) throw error;
  return undefined;
}
