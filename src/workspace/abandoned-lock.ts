import { readdir, readFile, readlink, stat, unlink } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../platform/clock.ts';
import { statSync, variablesSync } from '../platform/proc.ts';
import type { ProcessIdentity } from '../platform/process-identity.ts';

/** Younger than this, a lock may belong to a git that is just about to begin or to end. */
const BOUND_MS = 10_000;

/**
 * Removes a lock of git whose owner is proved dead: it is old, no process has it open, and no git that could have made it
 * is alive. Where that cannot be seen nothing is proved, and nothing is removed.
 */
export async function removeAbandoned(lock: string, places: readonly string[], boundMs = BOUND_MS): Promise<boolean> {
  const isDead = await isAbandoned(lock, places, boundMs);
  if (isDead) await unlink(lock).catch(() => undefined);
  return isDead;
}

export async function isAbandoned(lock: string, places: readonly string[], boundMs = BOUND_MS): Promise<boolean> {
  const found = await stat(lock).catch(() => undefined);
  if (found === undefined) return false;
  if (boundMs > 0 && systemClock.now() - found.mtimeMs < boundMs) return false;
  const pids = await processes();
  if (pids.length === 0) return false;
  for (const pid of pids) if (await mayOwn(pid, lock, places)) return false;
  return true;
}

/** Those that can still do something: one that has ended and only waits to be asked how cannot. */
const processes = async (): Promise<string[]> =>
  (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name) && statSync(Number(name)) !== undefined);

const isGit = async (pid: string): Promise<boolean> =>
  (await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')).startsWith('git');

async function mayOwn(pid: string, lock: string, places: readonly string[]): Promise<boolean> {
  const files = await readdir(`/proc/${pid}/fd`).catch(() => undefined);
  // Not ours to look into: only a git of somebody else could have made the lock.
  if (files === undefined) return isGit(pid);
  for (const file of files) if ((await readlink(`/proc/${pid}/fd/${file}`).catch(() => '')) === lock) return true;
  if (!(await isGit(pid))) return false;
  const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => '');
  const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  const given = Object.values(variablesSync(Number(pid), ['GIT_DIR', 'GIT_WORK_TREE']));
  const told = given.map((directory) => resolve(cwd, Buffer.from(directory, 'latin1').toString('utf8')));
  const isAt = (path: string, place: string) => path === place || path.startsWith(`${place}/`);
  // One that ends just now says nothing of where it was, and has written its last.
  if (cwd === '') return statSync(Number(pid)) !== undefined;
  return places.some((place) => [cwd, ...told].some((path) => isAt(path, place)) || words.includes(place));
}

/** What a git of a landing carries, so that it is found when the process that started it is dead. */
const MARK = 'FLEET_LANDING';
const WAIT_MS = 5_000;
const LOOK_EVERY_MS = 20;

const markOf = ({ boot, pid, started }: ProcessIdentity): string => `${boot}/${pid}/${started}`;

export const marked = (env: NodeJS.ProcessEnv, mine: ProcessIdentity): NodeJS.ProcessEnv => ({ ...env, [MARK]: markOf(mine) });

/** A git outlives who started it and ends its work; until then nobody else may touch the same files. */
export async function orphansAreGone(dead: ProcessIdentity): Promise<boolean> {
  const until = performance.now() + WAIT_MS;
  while (await hasOrphan(markOf(dead))) {
    if (performance.now() > until) return false;
    await sleep(LOOK_EVERY_MS);
  }
  return true;
}

async function hasOrphan(mark: string): Promise<boolean> {
  for (const pid of await processes()) {
    if (!(await isGit(pid)) || (await stat(`/proc/${pid}`).catch(() => undefined))?.uid !== process.getuid?.()) continue;
    const found = variablesSync(Number(pid), [MARK, 'PATH']);
    // While it ends, or before its program begins, a process of ours says nothing of itself: it may be one.
    if (found[MARK] === mark || Object.keys(found).length === 0) return true;
  }
  return false;
}
