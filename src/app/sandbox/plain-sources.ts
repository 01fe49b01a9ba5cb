import { readlink, realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { agentPath } from '../../platform/agent-path.ts';
import { lookSafely } from '../../platform/read-safely.ts';
import { isWithin } from '../../sandbox/profile.ts';

/** Why one of these is not a directory that lies below a root of Fleet's without a link on the way; bubblewrap would follow it. */
export async function notADirectory(root: string, paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    if (path === root || !isWithin(path, root)) return `${path} does not lie in ${root}`;
    const seen = await lookSafely(agentPath(root, relative(root, path)));
    if ('why' in seen) return `${path} cannot be shown to it: ${WORDS[seen.why] ?? seen.why}`;
    if (seen.kind !== 'directory') return `${path} cannot be shown to it: it is a file`;
  }
  return undefined;
}

const WORDS: Readonly<Record<string, string>> = {
  absent: 'it is gone',
  link: 'it is a link, or a link leads to it',
  refused: 'it may not be looked at',
};

/** As many links as the kernel follows. */
const MOST_LINKS = 40;

/**
 * The first link on the way to one of these paths that lies in a place agents write to, or did: whoever made it would choose
 * what is shown. Links elsewhere are the user's own, and are followed.
 */
export async function plantedLink(paths: Iterable<string>, written: readonly string[]): Promise<string | undefined> {
  const places = await Promise.all(written.map((path) => realpath(path).catch(() => path)));
  for (const path of new Set(paths)) {
    const found = await linkOnTheWay(path, (at) => places.some((place) => isWithin(at, place)));
    if (found !== undefined) return found;
  }
  return undefined;
}

async function linkOnTheWay(path: string, isWritten: (directory: string) => boolean): Promise<string | undefined> {
  const names = path.split('/');
  let at = '/';
  for (let links = 0; names.length > 0; ) {
    const name = names.shift() ?? '';
    if (name === '' || name === '.') continue;
    const next = join(at, name);
    // What is not there, or leads in a circle, is shown by nobody.
    const target = name === '..' ? undefined : await readlink(next).catch(() => undefined);
    if (target !== undefined && isWritten(at)) return next;
    if (target !== undefined && (links += 1) > MOST_LINKS) return undefined;
    if (target === undefined) at = next;
    else {
      names.unshift(...target.split('/'));
      if (target.startsWith('/')) at = '/';
    }
  }
  return undefined;
}
