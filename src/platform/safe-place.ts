import { type BigIntStats, closeSync, constants, fstatSync, mkdirSync, openSync, realpathSync } from 'node:fs';
import { type FileHandle, mkdir, open, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, PRIVATE_DIRECTORY } from './files.ts';

/*
 * Directories in which an agent may write at the same moment, held open so that nothing that is swapped meanwhile counts.
 * `read-safely.ts` and `write-safely.ts` are made of this.
 */

/** Why a path that somebody else can write was not read or written. */
export type NotRead = 'absent' | 'link' | 'pipe' | 'directory' | 'other' | 'large' | 'shared' | 'refused';

/** Ends a look early; it never leaves this folder. */
export class NotPlain extends Error {
  readonly why: NotRead;
  constructor(why: NotRead) {
    super(why);
    this.why = why;
  }
}

/** Node has no name for it: a descriptor that only says where something is, and opens nothing. */
export const O_PATH = 0o10000000;
/** macOS, where it is not tested: the system refuses a path with any link in it. */
export const O_NOFOLLOW_ANY = 0x20000000;

export const isLinux = process.platform === 'linux';

/** The names on the way below a root. Throws for what is no plain relative path: no agent ever chooses it. */
export function namesIn(relative: string): readonly string[] {
  const names = relative.split('/');
  if (names.some((name) => name === '' || name === '.' || name === '..' || name.includes('\0')))
    throw new Error(`${JSON.stringify(relative)} is no plain path below a root`);
  return names;
}

/** A directory that is held open. `at` names what lies in it, and keeps meaning that whoever renames what. */
export interface HeldDirectory {
  at(name: string): string;
  close(): void;
}

/** Below a directory that Fleet made; missing ones are made where that is asked for. */
export function holdSync(root: string, names: readonly string[], make = false): HeldDirectory {
  if (!isLinux) return heldByName(join(realpathSync(root), ...names), make);
  let at = openSync(root, O_PATH | constants.O_DIRECTORY);
  try {
    for (const name of names) {
      const path = `/proc/self/fd/${at}/${name}`;
      if (make) unlessThere(() => mkdirSync(path, PRIVATE_DIRECTORY));
      const next = openSync(path, O_PATH | constants.O_NOFOLLOW);
      closeSync(at);
      at = next;
      expectDirectory(fstatSync(at, { bigint: true }));
    }
  } catch (error) {
    closeSync(at);
    throw error;
  }
  return { at: (name) => `/proc/self/fd/${at}/${name}`, close: () => closeSync(at) };
}

export interface HeldFile extends AsyncDisposable {
  at(name: string): string;
}

/** The same, without holding up the thread that asks. */
export async function hold(root: string, names: readonly string[], make = false): Promise<HeldFile> {
  if (!isLinux) {
    const held = heldByName(join(await realpath(root), ...names), make);
    return { at: held.at, [Symbol.asyncDispose]: async () => held.close() };
  }
  let at: FileHandle = await open(root, O_PATH | constants.O_DIRECTORY);
  try {
    for (const name of names) {
      const path = `/proc/self/fd/${at.fd}/${name}`;
      if (make) await mkdir(path, PRIVATE_DIRECTORY).catch(ignoreThere);
      const next = await open(path, O_PATH | constants.O_NOFOLLOW);
      await at.close();
      at = next;
      expectDirectory(await at.stat({ bigint: true }));
    }
  } catch (error) {
    await at.close();
    throw error;
  }
  const { fd } = at;
  return { at: (name) => `/proc/self/fd/${fd}/${name}`, [Symbol.asyncDispose]: () => at.close() };
}

/** Checked once and then meant by its name: without descriptors of directories nothing better can be said. */
function heldByName(path: string, make: boolean): HeldDirectory {
  if (make) unlessThere(() => mkdirSync(path, PRIVATE_DIRECTORY));
  closeSync(openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | O_NOFOLLOW_ANY));
  return { at: (name) => join(path, name), close: () => undefined };
}

function expectDirectory(found: BigIntStats): void {
  if (!found.isDirectory()) throw new NotPlain(found.isSymbolicLink() ? 'link' : 'other');
}

export function notRegular(
  found: Pick<BigIntStats, 'isFile' | 'isSymbolicLink' | 'isFIFO' | 'isDirectory'>,
): NotRead | undefined {
  if (found.isFile()) return undefined;
  if (found.isSymbolicLink()) return 'link';
  if (found.isFIFO()) return 'pipe';
  return found.isDirectory() ? 'directory' : 'other';
}

/** What the system said, as a reason; anything that says nothing of the path, such as too few descriptors, is thrown on. */
export function reasonOf(error: unknown): NotRead {
  if (error instanceof NotPlain) return error.why;
  if (hasCode(error, 'ENOENT', 'ENOTDIR')) return 'absent';
  if (hasCode(error, 'ELOOP')) return 'link';
  if (hasCode(error, 'EISDIR')) return 'directory';
  if (hasCode(error, 'EACCES', 'EPERM', 'ENXIO', 'ENAMETOOLONG', 'EIO')) return 'refused';
  throw error;
}

function unlessThere(make: () => void): void {
  try {
    make();
  } catch (error) {
    ignoreThere(error);
  }
}

function ignoreThere(error: unknown): void {
  if (!hasCode(error, 'EEXIST')) throw error;
}
