import { readdir, readFile, readlink, stat, unlink } from 'node:fs/promises';
import { systemClock } from '../platform/clock.ts';
import { hasCode } from '../platform/files.ts';
import { statSync, variablesSync } from '../platform/proc.ts';

/** Younger than this, its owner may just be on the way out. */
const BOUND_MS = 2_000;

/**
 * Removes a lock that a killed git has left behind. Its owner is proved dead when nobody has it open and no git is at work in
 * one of these places. Where processes cannot be seen nothing is proved, and it stays.
 */
export async function removeDeadLock(lock: string, places: readonly string[]): Promise<boolean> {
  const found = await stat(lock).catch(() => undefined);
  if (found === undefined) return true;
  if (systemClock.now() - found.mtimeMs < BOUND_MS || process.platform !== 'linux') return false;
  for (const name of await readdir('/proc')) if (/^\d+$/.test(name) && (await mayOwn(Number(name), lock, places))) return false;
  await unlink(lock).catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT')) throw error;
  });
  return true;
}

async function mayOwn(pid: number, lock: string, places: readonly string[]): Promise<boolean> {
  const command = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
  const isGit = command.startsWith('git');
  const open = await readdir(`/proc/${pid}/fd`).catch(() => undefined);
  // Ended meanwhile, or a zombie; or else not ours to look into.
  if (open === undefined) return isGit && statSync(pid) !== undefined;
  for (const file of open) if ((await readlink(`/proc/${pid}/fd/${file}`).catch(() => '')) === lock) return true;
  if (!isGit) return false;
  const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => '');
  const given = variablesSync(pid, ['GIT_DIR', 'GIT_WORK_TREE']);
  const where = [cwd, ...Object.values(given)];
  return (
    (cwd === '' && statSync(pid) !== undefined) ||
    places.some((place) => where.some((path) => path === place || path.startsWith(`${place}/`)))
  );
}
