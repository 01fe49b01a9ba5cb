import { createHash } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Fault } from '../domain/fault.ts';
import { exists, hasCode, PRIVATE_DIRECTORY } from '../platform/files.ts';
import type { Seat } from './seat.ts';

/** What Fleet keeps of repositories in its home: histories for private clones, and locks. */
export function gitHome(env: NodeJS.ProcessEnv): string {
  const [home, user] = [env['FLEET_HOME'], env['HOME']];
  // A tilde that was quoted is the user's home, as everywhere.
  if (home) return join(resolve(user ? home.replace(/^~(?=\/|$)/, user) : home), 'git');
  return user ? join(resolve(user), '.fleet', 'git') : join(tmpdir(), `fleet-home-git-${process.getuid?.() ?? 0}`);
}

/** The place of the lock for who adds or removes working trees of a repository. */
export async function worktreesLock({ commonDir }: Pick<Seat, 'commonDir'>, env: NodeJS.ProcessEnv): Promise<string> {
  const name = createHash('sha256').update(commonDir).digest('hex').slice(0, 24);
  const place = join(gitHome(env), 'locks', name);
  if (await exists(place)) return place;
  try {
    await mkdir(place, { recursive: true, mode: PRIVATE_DIRECTORY });
    // Earlier versions kept a directory of links to the repository here.
    await rm(join(gitHome(env), name), { recursive: true, force: true });
  } catch (error) {
    if (!hasCode(error, 'EACCES', 'EROFS', 'ENOSPC', 'ENOTDIR', 'EPERM', 'EEXIST')) throw error;
    throw new Fault('unavailable', `cannot write ${place}: ${(error as Error).message}`, { path: place }, { cause: error });
  }
  return place;
}
