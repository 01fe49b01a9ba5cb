import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { readPlain } from './read-plain.ts';

/** Where the parts of a repository lie for one of its working trees. */
export interface Seat {
  /** HEAD and index: `.git` itself, or `.git/worktrees/<name>`. */
  readonly gitDir: string;
  /** Objects, refs and configuration, shared by all working trees. */
  readonly commonDir: string;
  /** Absent in a bare repository, and inside of a `.git`. */
  readonly workTree?: string | undefined;
}

/**
 * Found by looking, not by asking git: git would read the configuration it finds on the way. Nothing is searched below a
 * directory, so a repository that lies in the files of another is met only by who asks for it.
 */
export async function seatOf(directory: string): Promise<Seat | undefined> {
  let place = await realpath(directory).catch(() => undefined);
  while (place !== undefined) {
    const found = (await seatIn(place)) ?? (await bareSeat(place));
    if (found) return found;
    place = dirname(place) === place ? undefined : dirname(place);
  }
  return undefined;
}

async function seatIn(workTree: string): Promise<Seat | undefined> {
  const entry = await realpath(join(workTree, '.git')).catch(() => undefined);
  const gitDir = entry && ((await isDirectory(entry)) ? entry : await pointedAt(entry));
  return gitDir !== undefined && (await isGitDir(gitDir))
    ? { gitDir, commonDir: await commonDirOf(gitDir), workTree }
    : undefined;
}

const bareSeat = async (place: string): Promise<Seat | undefined> =>
  basename(place) !== 'worktrees' && (await isGitDir(place)) ? { gitDir: place, commonDir: await commonDirOf(place) } : undefined;

async function pointedAt(file: string): Promise<string | undefined> {
  const text = (await readPlain(file)) ?? '';
  const target = /^gitdir: (.+?)\r?\n?$/s.exec(text)?.[1];
  return target === undefined ? undefined : realpath(resolve(dirname(file), target)).catch(() => undefined);
}

async function commonDirOf(gitDir: string): Promise<string> {
  const text = await readPlain(join(gitDir, 'commondir'));
  if (text === undefined) return gitDir;
  return realpath(resolve(gitDir, text.trimEnd())).catch(() => gitDir);
}

async function isGitDir(path: string): Promise<boolean> {
  const head = await stat(join(path, 'HEAD')).catch(() => undefined);
  if (!head?.isFile()) return false;
  const common = await commonDirOf(path);
  return (await isDirectory(join(common, 'objects'))) && (await isDirectory(join(common, 'refs')));
}

const isDirectory = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
