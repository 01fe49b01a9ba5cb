import { type BigIntStats, constants } from 'node:fs';
import { copyFile, type FileHandle, lstat, open, opendir } from 'node:fs/promises';
import { type AgentPath, partsOf } from './agent-path.ts';
import { hold, isLinux, NotPlain, type NotRead, namesIn, notRegular, O_NOFOLLOW_ANY, O_PATH, reasonOf } from './safe-place.ts';

export type { NotRead } from './safe-place.ts';

export type SafelyRead = { readonly bytes: Buffer } | { readonly why: NotRead };

/*
 * How Fleet reads what an agent can write: below its root, a directory that Fleet itself made, everything may change at the
 * same moment. No link is followed on any component, no pipe and no device is ever opened, and nothing blocks the thread
 * that asks. `npm run check` refuses other ways of reading outside of a list of modules.
 */

/** The whole of a regular file of at most `most` bytes, however it grows. */
export async function readSafely(path: AgentPath, most: number): Promise<SafelyRead> {
  const found = await openSafely(path);
  if ('why' in found) return found;
  await using file = found.file;
  return found.size > most ? { why: 'large' } : await bounded(file, most);
}

/** The same as text; undefined for whatever cannot be read. */
export async function textSafely(path: AgentPath, most: number): Promise<string | undefined> {
  const read = await readSafely(path, most);
  return 'bytes' in read ? read.bytes.toString('utf8') : undefined;
}

export type SafelyOpened = { readonly file: FileHandle; readonly size: number } | { readonly why: NotRead };

interface Opening {
  /** To change it too. */
  readonly write?: boolean;
  /** Refuse a file that has another name elsewhere: what is written would be written there. */
  readonly alone?: boolean;
}

/** A regular file, for whoever reads a part of it; it is the caller's to close. */
export async function openSafely(path: AgentPath, opening: Opening = {}): Promise<SafelyOpened> {
  const { root, relative } = partsOf(path);
  const names = namesIn(relative);
  const last = names.at(-1) ?? '';
  try {
    await using place = await hold(root, names.slice(0, -1));
    return await (isLinux ? openedHeld(place.at(last), opening) : openedByName(place.at(last), opening));
  } catch (error) {
    return { why: reasonOf(error) };
  }
}

const modeOf = ({ write = false }: Opening): number => (write ? constants.O_RDWR : constants.O_RDONLY) | constants.O_NONBLOCK;

async function openedHeld(path: string, opening: Opening): Promise<SafelyOpened> {
  await using found = await open(path, O_PATH | constants.O_NOFOLLOW);
  const size = sizeOf(await found.stat({ bigint: true }), opening);
  return { file: await open(`/proc/self/fd/${found.fd}`, modeOf(opening)), size };
}

async function openedByName(path: string, opening: Opening): Promise<SafelyOpened> {
  const found = await lstat(path, { bigint: true });
  sizeOf(found, opening);
  const file = await open(path, modeOf(opening) | O_NOFOLLOW_ANY);
  try {
    const opened = await file.stat({ bigint: true });
    if (opened.ino !== found.ino) throw new NotPlain('other');
    return { file, size: sizeOf(opened, opening) };
  } catch (error) {
    await file.close();
    throw error;
  }
}

function sizeOf(found: BigIntStats, { alone = false }: Opening): number {
  const why = notRegular(found) ?? (alone && found.nlink > 1n ? 'shared' : undefined);
  if (why) throw new NotPlain(why);
  return Number(found.size);
}

export type SafelyCopied = { readonly mtimeMs: number } | { readonly why: NotRead };

/** Copies a regular file of at most `most` bytes to a new place of Fleet's: what was opened, whatever takes its name meanwhile. */
export async function copySafely(path: AgentPath, to: string, most: number): Promise<SafelyCopied> {
  const found = await openSafely(path);
  if ('why' in found) return found;
  await using file = found.file;
  if (found.size > most) return { why: 'large' };
  const { mtimeMs } = await file.stat();
  await copyFile(isLinux ? `/proc/self/fd/${file.fd}` : `/dev/fd/${file.fd}`, to);
  return { mtimeMs };
}

/** What is at a path, without opening it. */
export type PathKind =
  | { readonly kind: 'file' | 'directory'; readonly size: number; readonly mtimeMs: number; readonly ino: bigint }
  | { readonly why: NotRead };

export async function lookSafely(path: AgentPath): Promise<PathKind> {
  const { root, relative } = partsOf(path);
  const names = namesIn(relative);
  try {
    await using place = await hold(root, names.slice(0, -1));
    const found = await lstat(place.at(names.at(-1) ?? ''), { bigint: true });
    const why = notRegular(found);
    if (why && why !== 'directory') return { why };
    const { size, mtimeMs, ino } = found;
    return { kind: why ?? 'file', size: Number(size), mtimeMs: Number(mtimeMs), ino };
  } catch (error) {
    return { why: reasonOf(error) };
  }
}

export type SafelyListed = { readonly names: readonly string[]; readonly more: boolean } | { readonly why: NotRead };

/** The names in a directory, in its own order, and at most so many of them; `''` is the root itself. */
export async function listSafely(path: AgentPath, most: number): Promise<SafelyListed> {
  const { root, relative } = partsOf(path);
  try {
    await using place = await hold(root, relative === '' ? [] : namesIn(relative));
    const names: string[] = [];
    // Left early or not, the loop closes it.
    for await (const { name } of await opendir(place.at('.'))) {
      if (names.length === most) return { names, more: true };
      names.push(name);
    }
    return { names, more: false };
  } catch (error) {
    return { why: reasonOf(error) };
  }
}

/**
 * A regular file in a place that a person arranges and an agent may write to, such as the repository of a user: links are
 * theirs to make and are followed, and everything else holds as above.
 */
export async function readRegular(path: string | Buffer, most: number): Promise<SafelyRead> {
  try {
    await using file = await openedRegular(path);
    return await bounded(file, most);
  } catch (error) {
    return { why: reasonOf(error) };
  }
}

async function openedRegular(path: string | Buffer): Promise<FileHandle> {
  if (!isLinux) {
    // A pipe is opened without waiting for its other end, and closed again.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if ((await file.stat()).isFile()) return file;
    await file.close();
    throw new NotPlain('other');
  }
  await using found = await open(path, O_PATH);
  sizeOf(await found.stat({ bigint: true }), {});
  // Awaited here: the descriptor it is opened by is closed on the way out.
  return await open(`/proc/self/fd/${found.fd}`, constants.O_RDONLY | constants.O_NONBLOCK);
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
