import { readFileSync } from 'node:fs';

/** How many watchers of files, and watches of them together, one user may have on this machine. */
export const WATCHED_HERE = { watchers: mostOf('max_user_instances'), watches: mostOf('max_user_watches') };

function mostOf(name: string): number {
  try {
    return Number(readFileSync(`/proc/sys/fs/inotify/${name}`, 'utf8'));
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
