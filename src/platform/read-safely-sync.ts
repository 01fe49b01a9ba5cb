import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { type AgentPath, partsOf } from './agent-path.ts';
import { holdSync, isLinux, NotPlain, namesIn, notRegular, O_NOFOLLOW_ANY, O_PATH, reasonOf } from './safe-place.ts';

/*
 * The same promises as `read-safely.ts`, for the few short files that are looked at many times a second for every run: a
 * dozen short calls cost less than one trip to another thread. What is opened is a regular file, so none of them waits for
 * anybody, and what is read is at most `most` bytes.
 */

/** A descriptor of a regular file; undefined where there is none. It is the caller's to close. */
export function openSafelySync(path: AgentPath): number | undefined {
  const { root, relative } = partsOf(path);
  const names = namesIn(relative);
  const last = names.at(-1) ?? '';
  try {
    const place = holdSync(root, names.slice(0, -1));
    try {
      return isLinux ? openedHeld(place.at(last)) : openedByName(place.at(last));
    } finally {
      place.close();
    }
  } catch (error) {
    reasonOf(error);
    return undefined;
  }
}

function openedHeld(path: string): number {
  const found = openSync(path, O_PATH | constants.O_NOFOLLOW);
  try {
    expectRegular(found);
    return openSync(`/proc/self/fd/${found}`, constants.O_RDONLY | constants.O_NONBLOCK);
  } finally {
    closeSync(found);
  }
}

function openedByName(path: string): number {
  if (!lstatSync(path).isFile()) throw new NotPlain('other');
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | O_NOFOLLOW_ANY);
  try {
    expectRegular(file);
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function expectRegular(file: number): void {
  const why = notRegular(fstatSync(file, { bigint: true }));
  if (why) throw new NotPlain(why);
}

/** The first bytes of a regular file; undefined where there is none. */
export function beginningSync(path: AgentPath, buffer: Buffer): Buffer | undefined {
  // Mostly what is looked for is not there yet, and an error costs ten times as much as the question.
  if (!existsSync(nameOf(path))) return undefined;
  const file = openSafelySync(path);
  if (file === undefined) return undefined;
  try {
    return buffer.subarray(0, readSync(file, buffer, 0, buffer.length, 0));
  } finally {
    closeSync(file);
  }
}

/** The whole of a short file as text; undefined where it is missing, too long or cannot be read. */
export function textSafelySync(path: AgentPath, most: number): string | undefined {
  if (!existsSync(nameOf(path))) return undefined;
  try {
    const file = openSafelySync(path);
    if (file === undefined) return undefined;
    try {
      const { size } = fstatSync(file);
      if (size > most) return undefined;
      const bytes = Buffer.allocUnsafe(size);
      return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, 0));
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}

/** How long a regular file is and when it was changed; undefined for everything else. A hint: nothing is opened. */
export function lookSync(path: AgentPath): { readonly size: number; readonly mtimeMs: number; readonly ino: number } | undefined {
  try {
    const found = lstatSync(nameOf(path), { throwIfNoEntry: false });
    return found?.isFile() ? found : undefined;
  } catch {
    return undefined;
  }
}

/** Whether anything has that name, a link too. A hint: nothing is opened. */
export function isThereSync(path: AgentPath): boolean {
  try {
    return lstatSync(nameOf(path), { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

function nameOf(path: AgentPath): string {
  const { root, relative } = partsOf(path);
  return `${root}/${relative}`;
}
