import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mount } from '../../sandbox/profile.ts';
import { GIT_SETTINGS } from '../../sandbox/settings-paths.ts';
import { seatOf } from '../../workspace/seat.ts';
import { kindOf, readable, writable } from './paths-here.ts';

/** What is mounted of a repository, and which of it is not there yet. */
export interface Masked {
  readonly mounts: readonly Mount[];
  /** Not there: something empty stands in its place. */
  readonly absent: readonly string[];
  /** Cannot be masked. */
  readonly links: readonly string[];
}

const NOTHING: Masked = { mounts: [], absent: [], links: [] };

/**
 * The git directory of a place to work in. In a workspace of ours commits can be made: objects and refs are writable, and
 * with a worktree they are the project's. Whatever git would run or follow is not. In a directory of the user's own nothing is.
 */
export async function gitMounts(directory: string, isOurs: boolean): Promise<Masked> {
  const entry = join(directory, '.git');
  const kind = await kindOf(entry);
  if (kind === 'absent') return NOTHING;
  if (kind === 'link') return { ...NOTHING, links: [entry] };
  if (!isOurs) return { ...NOTHING, mounts: [readable(entry)] };
  const seat = await seatOf(directory);
  if (!seat) return { ...NOTHING, mounts: [readable(entry)] };
  const { gitDir, commonDir } = seat;
  const isLinked = gitDir !== commonDir;
  const masks = await settingsOf(commonDir);
  const fixed = isLinked
    ? [entry, join(commonDir, 'HEAD'), join(commonDir, 'index'), join(gitDir, 'commondir'), join(gitDir, 'gitdir')]
    : [];
  const there = (await Promise.all(fixed.map(kindOf))).flatMap((found, n) =>
    found === 'file' ? [readable(fixed[n] ?? '')] : [],
  );
  const shared = isLinked ? [writable(commonDir), readable(join(commonDir, 'worktrees')), writable(gitDir)] : [];
  return {
    mounts: [...shared, ...there, ...masks.mounts, ...(await borrowed(commonDir))],
    absent: masks.absent,
    links: masks.links,
  };
}

async function settingsOf(commonDir: string): Promise<Masked> {
  const places = GIT_SETTINGS.map((name) => join(commonDir, name));
  const kinds = await Promise.all(places.map(kindOf));
  const of = (...wanted: readonly string[]) => places.filter((_, n) => wanted.includes(kinds[n] ?? ''));
  // A settings file that is not there is read only when another file, which cannot be changed, says so.
  const isDirectory = (path: string) => !path.includes('/config');
  return {
    mounts: of('file', 'directory').map((path) => readable(path)),
    absent: of('absent').filter(isDirectory),
    links: of('link'),
  };
}

/** Objects of another repository that this one uses. */
async function borrowed(commonDir: string): Promise<Mount[]> {
  const text = await readFile(join(commonDir, 'objects', 'info', 'alternates'), 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line.startsWith('/'))
    .map((line) => readable(line));
}
