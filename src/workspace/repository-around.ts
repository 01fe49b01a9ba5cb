import { lstat, opendir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * The innermost repository at or above a place, by what lies there and not by asking git, which looks away at the border of a
 * file system, where the owner is another, and where a variable tells it to.
 */
export async function repositoryAround(path: string): Promise<string | undefined> {
  for (let at = path; ; at = dirname(at)) {
    if ((await isGit(join(at, '.git'))) || (await isBare(at))) return at;
    if (dirname(at) === at) return undefined;
  }
}

/** How far down a place is looked through: what lies deeper, or beyond so many names, is not found. */
const DEEPEST = 6;
const MOST_NAMES = 20_000;

/** A repository below a place, as far as it is looked through. Links are not followed. */
export async function repositoryBelow(path: string): Promise<string | undefined> {
  let names = 0;
  let level = [path];
  for (let depth = 1; depth <= DEEPEST && level.length > 0; depth += 1) {
    const next: string[] = [];
    for (const directory of level)
      for await (const entry of (await opendir(directory).catch(() => undefined)) ?? []) {
        if ((names += 1) > MOST_NAMES) return undefined;
        if (entry.name === '.git' && directory !== path) return directory;
        if (entry.isDirectory()) next.push(join(directory, entry.name));
      }
    for (const directory of next) if (await isBare(directory)) return directory;
    level = next;
  }
  return undefined;
}

/**
 * An empty directory is none: git looks further up, and a sandbox that works in the place leaves one there while it lasts, to mount over.
 * Whatever else has the name counts as one.
 */
async function isGit(path: string): Promise<boolean> {
  const facts = await lstat(path).catch(() => undefined);
  if (!facts?.isDirectory()) return facts !== undefined;
  try {
    for await (const _ of await opendir(path)) return true;
    return false;
  } catch {
    return true;
  }
}

/** What git takes for one of its own directories. */
async function isBare(path: string): Promise<boolean> {
  const parts = await Promise.all(['HEAD', 'objects', 'refs'].map((name) => isThere(join(path, name))));
  return parts.every(Boolean);
}

const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );
