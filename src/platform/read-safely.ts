import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from './files.ts';

/** Why a path that somebody else can write was not read. */
export type NotRead = 'absent' | 'link' | 'pipe' | 'directory' | 'other' | 'large' | 'refused';

export type SafelyRead = { readonly bytes: Buffer } | { readonly why: NotRead };

/**
 * Reads a regular file of at most `most` bytes below `root`, a directory that Fleet itself made; everything below it may be
 * written by an agent at the same moment. No link is followed on any component, no pipe and no device is ever opened, and
 * no more than `most` bytes are read however the file grows. Nothing here blocks the thread that asks.
 */
export function readSafely(root: string, relative: string, most: number): Promise<SafelyRead> {
  const names = relative.split('/');
  if (names.some((name) => name === '' || name === '.' || name === '..' || name.includes('\0')))
    throw new Error(`${JSON.stringify(relative)} is no plain path below a root`);
  return process.platform === 'linux' ? throughDescriptors(root, names, most) : withoutLinks(root, names, most);
}

/** Node has no name for it: a descriptor that only says where something is, and opens nothing. */
const O_PATH = 0o10000000;

/** Linux: each component is looked up below the descriptor of the one before, so nothing that is swapped meanwhile counts. */
async function throughDescriptors(root: string, names: readonly string[], most: number): Promise<SafelyRead> {
  let at: FileHandle | undefined;
  try {
    at = await open(root, O_PATH | constants.O_DIRECTORY);
    for (const [index, name] of names.entries()) {
      const isLast = index === names.length - 1;
      const next = await open(`/proc/self/fd/${at.fd}/${name}`, O_PATH | constants.O_NOFOLLOW);
      await at.close();
      at = next;
      const found = await at.stat({ bigint: true });
      const why = isLast ? notRegular(found) : found.isDirectory() ? undefined : found.isSymbolicLink() ? 'link' : 'other';
      if (why) return { why };
      if (isLast && found.size > BigInt(most)) return { why: 'large' };
    }
    await using file = await open(`/proc/self/fd/${at.fd}`, constants.O_RDONLY | constants.O_NONBLOCK);
    return await bounded(file, most);
  } catch (error) {
    return { why: reasonOf(error) };
  } finally {
    await at?.close();
  }
}

/** Elsewhere (macOS): the system itself refuses a path with any link in it, once the root is named without links. */
const O_NOFOLLOW_ANY = 0x20000000;

async function withoutLinks(root: string, names: readonly string[], most: number): Promise<SafelyRead> {
  try {
    const path = join(await realpath(root), ...names);
    const found = await lstat(path, { bigint: true });
    const why = notRegular(found);
    if (why) return { why };
    if (found.size > BigInt(most)) return { why: 'large' };
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | O_NOFOLLOW_ANY);
    const opened = await file.stat({ bigint: true });
    return opened.isFile() && opened.ino === found.ino ? await bounded(file, most) : { why: 'other' };
  } catch (error) {
    return { why: reasonOf(error) };
  }
}

function notRegular(found: BigIntStats): NotRead | undefined {
  if (found.isFile()) return undefined;
  if (found.isSymbolicLink()) return 'link';
  if (found.isFIFO()) return 'pipe';
  return found.isDirectory() ? 'directory' : 'other';
}

const CHUNK_BYTES = 64 * 1024;

/** Until its end or one byte too many: the size that was seen before is only a hint. */
async function bounded(file: FileHandle, most: number): Promise<SafelyRead> {
  const parts: Buffer[] = [];
  let length = 0;
  while (length <= most) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, most + 1 - length));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, null);
    if (bytesRead === 0) return { bytes: Buffer.concat(parts, length) };
    parts.push(chunk.subarray(0, bytesRead));
    length += bytesRead;
  }
  return { why: 'large' };
}

function reasonOf(error: unknown): NotRead {
  if (hasCode(error, 'ENOENT', 'ENOTDIR')) return 'absent';
  if (hasCode(error, 'ELOOP')) return 'link';
  if (hasCode(error, 'EACCES', 'EPERM', 'ENXIO', 'ENAMETOOLONG', 'EIO')) return 'refused';
  throw error;
}
