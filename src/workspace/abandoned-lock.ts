import { readdir, readFile, readlink, stat } from 'node:fs/promises';
import { variablesSync } from '../platform/proc.ts';

/** Younger than this, a lock may belong to a git that is just about to begin or to end. */
const BOUND_MS = 10_000;

/**
 * Whether the owner of a lock of git is proved dead: the lock is old, no process has it open, and no git that could have
 * made it is alive. Where that cannot be seen, nothing is proved.
 */
export async function isAbandoned(lock: string, places: readonly string[], nowMs: number): Promise<boolean> {
  const found = await stat(lock).catch(() => undefined);
  if (found === undefined || nowMs - found.mtimeMs < BOUND_MS) return false;
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  if (pids.length === 0) return false;
  for (const pid of pids) if (await mayOwn(pid, lock, places)) return false;
  return true;
}

async function mayOwn(pid: string, lock: string, places: readonly string[]): Promise<boolean> {
  const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
  const isGit = name.startsWith('git');
  const files = await readdir(`/proc/${pid}/fd`).catch(() => undefined);
  // Not ours to look into: only a git of somebody else could have made the lock.
  if (files === undefined) return isGit;
  for (const file of files) if ((await readlink(`/proc/${pid}/fd/${file}`).catch(() => '')) === lock) return true;
  if (!isGit) return false;
  const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => '');
  const isNear = cwd === '' || places.some((place) => cwd === place || cwd.startsWith(`${place}/`));
  return isNear || 'GIT_DIR' in variablesSync(Number(pid), ['GIT_DIR']);
}
