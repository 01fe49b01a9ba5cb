import type { Dirent } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { inDirectory } from '../platform/agent-path.ts';
import { textSafely } from '../platform/read-safely.ts';

/** Entries looked at, and levels gone down, in one directory tree: enough to find work, too few to be work. */
const MOST_ENTRIES = 5_000;
const MOST_LEVELS = 12;
const POINTER_BYTES = 4_096;
/** Nobody works there; what is installed there was asked for by somebody who runs. */
const SKIPPED = new Set(['node_modules']);
/** What git changes when somebody uses it; its objects are many and say no more. */
const GIT_FILES = ['index', 'HEAD', 'logs/HEAD'];

let running: Promise<unknown> = Promise.resolve();

/**
 * When anything in a directory was changed last, in milliseconds of the wall clock; undefined when nothing can be seen.
 * One tree at a time, one call at a time: a file system that hangs holds one thread of ours, whatever it is asked.
 */
export function newestChange(directory: string, mostEntries: number = MOST_ENTRIES): Promise<number | undefined> {
  const found = running.then(() => walk(directory, mostEntries));
  running = found.catch(() => {});
  return found;
}

async function walk(top: string, mostEntries: number): Promise<number | undefined> {
  const folders = [{ path: top, level: 0 }];
  let newest = await changedAt(top);
  let left = mostEntries;
  for (let next = folders.shift(); next && left > 0; next = folders.shift()) {
    for await (const entry of entriesOf(next.path)) {
      left -= 1;
      if (left <= 0) break;
      if (SKIPPED.has(entry.name)) continue;
      const path = join(next.path, entry.name);
      const isGit = entry.name === '.git';
      if (entry.isDirectory() && !isGit && next.level < MOST_LEVELS) folders.push({ path, level: next.level + 1 });
      newest = later(newest, isGit ? await gitChange(path, entry) : await changedAt(path));
    }
  }
  return newest;
}

/** In a worktree `.git` is a file that says where its own index and HEAD are. */
async function gitChange(path: string, entry: Dirent): Promise<number | undefined> {
  const directory = entry.isDirectory() ? path : await namedIn(path);
  if (directory === undefined) return undefined;
  let newest: number | undefined;
  for (const name of GIT_FILES) newest = later(newest, await changedAt(join(directory, name)));
  return newest;
}

async function namedIn(file: string): Promise<string | undefined> {
  const text = await textSafely(inDirectory(file), POINTER_BYTES).catch(() => undefined);
  const named = /^gitdir: (.+)$/m.exec(text ?? '')?.[1];
  return named === undefined ? undefined : resolve(join(file, '..'), named);
}

/** In the order of the directory, so that a huge one is never read whole. */
async function* entriesOf(path: string): AsyncGenerator<Dirent> {
  const folder = await opendir(path).catch(() => undefined);
  if (!folder) return;
  try {
    yield* folder;
  } catch {
    // It went away while it was read.
  }
}

const changedAt = (path: string): Promise<number | undefined> =>
  lstat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );

const later = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || (other !== undefined && other > one) ? other : one;
