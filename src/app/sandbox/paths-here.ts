import { lstat, realpath, unlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { isWithin, type Mount } from '../../sandbox/profile.ts';

type Env = Readonly<Record<string, string | undefined>>;

export const readable = (path: string, from = path): Mount => ({ from, at: path, as: 'read' });
export const writable = (path: string, from = path): Mount => ({ from, at: path, as: 'write' });

export const kindOf = (path: string): Promise<'file' | 'directory' | 'link' | 'socket' | 'other' | 'absent'> =>
  lstat(path).then(
    (found) => {
      if (found.isSymbolicLink()) return 'link';
      if (found.isDirectory()) return 'directory';
      if (found.isSocket()) return 'socket';
      return found.isFile() ? 'file' : 'other';
    },
    () => 'absent' as const,
  );

/** A path as it is written and as it is resolved; nothing where it is not there. */
export const bothWays = async (path: string): Promise<string[]> =>
  realpath(path).then(
    (real) => (real === path ? [path] : [path, real]),
    () => [],
  );

/**
 * What belongs to a program: itself, or, where it is a script among the packages of Node, all of them, and the programs that
 * were installed with them. What else lies beside those is not shown: that place may be anywhere, also above a home.
 */
export function belongings(program: string): string[] {
  const at = program.indexOf('/node_modules/');
  if (at === -1) return [program];
  const packages = program.slice(0, at + '/node_modules'.length);
  return program.slice(0, at).endsWith('/lib') ? [packages, join(dirname(program.slice(0, at)), 'bin')] : [packages];
}

/** The directories of a search path. */
export const pathDirectories = (env: Env): string[] => (env['PATH'] ?? '').split(':').filter((part) => part.startsWith('/'));

/**
 * An agent's own home outlives its runs. Whatever it has put in the way of a mount there is taken away: a link would lead
 * bubblewrap, which makes what it mounts on, out of the sandbox.
 */
export async function clearTheWay(home: Mount, mounts: readonly Mount[]): Promise<void> {
  for (const { at } of mounts) {
    if (at === home.at || !isWithin(at, home.at)) continue;
    let place = home.from;
    const parts = relative(home.at, at).split('/');
    for (const [n, part] of parts.entries()) {
      place = join(place, part);
      const kind = await kindOf(place);
      if (kind === 'absent') break;
      const isInTheWay = kind === 'link' || (kind !== 'directory' && n < parts.length - 1);
      if (isInTheWay) await unlink(place);
    }
  }
}
