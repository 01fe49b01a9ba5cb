import { randomUUID } from 'node:crypto';
import { closeSync, constants, linkSync, mkdirSync, openSync, unlinkSync, writeFileSync } from 'node:fs';
import { lstat, mkdir, open, readdir, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** What Fleet writes is for its owner alone. */
export const PRIVATE_FILE = 0o600;
export const PRIVATE_DIRECTORY = 0o700;

/** A name is as durable as its directory. */
export async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Whole or not at all, also when power is lost half-way: temporary file, fsync, rename, fsync of the directory. */
export async function writeFileAtomic(path: string, bytes: string | Uint8Array): Promise<void> {
  const temporary = temporaryName(path);
  try {
    const handle = await open(temporary, 'wx', PRIVATE_FILE);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  }
  await syncDirectory(dirname(path));
}

export const temporaryName = (path: string): string => `${path}.${randomUUID()}.tmp`;

const TEMPORARY = /\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/;

/** Removes the temporary files in a directory whose writers were killed, as far as `isLeft` says so. */
export async function sweepTemporary(
  directory: string,
  isLeft: (target: string, changedMs: number) => boolean,
): Promise<readonly string[]> {
  const names = (await readdir(directory).catch(() => [])).filter((name) => TEMPORARY.test(name));
  const swept: string[] = [];
  for (const name of names) {
    const path = join(directory, name);
    const found = await lstat(path).catch(() => undefined);
    if (!found?.isFile() || !isLeft(name.replace(TEMPORARY, ''), found.mtimeMs)) continue;
    await unlink(path).then(
      () => swept.push(name),
      () => undefined,
    );
  }
  return swept;
}

/**
 * Makes a private file unless there is one, and answers whether it did. Others see the whole of it or nothing.
 *
 * The file is closed before it gets its name: closing any descriptor of a database drops the locks that this whole
 * process holds on it.
 */
export function makeOnceSync(path: string, text: string, temporary: string = temporaryName(path)): boolean {
  writeWholeSync(temporary, text);
  try {
    // A link is made once: whoever comes second finds what the first has made.
    linkSync(temporary, path);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    unlinkSync(temporary);
  }
}

/** Leaves nothing behind on a disk that is full. */
function writeWholeSync(path: string, text: string): void {
  const fd = openSync(path, 'wx', PRIVATE_FILE);
  try {
    writeFileSync(fd, text);
  } catch (error) {
    unlinkSync(path);
    throw error;
  } finally {
    closeSync(fd);
  }
}

/** Makes a directory and its parents, durably; those that are there stay as they are. */
export async function makeDirectory(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: PRIVATE_DIRECTORY });
  if (first === undefined) return;
  for (let made = path; made.length >= first.length; made = dirname(made)) await syncDirectory(dirname(made));
}

/** Makes one directory, not its parents: a missing parent is more likely a wrong path. */
export function makeDirectorySync(path: string): void {
  try {
    mkdirSync(path, { mode: PRIVATE_DIRECTORY });
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
}

export const exists = async (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

export const hasCode = (error: unknown, ...codes: string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code));
