import { readdir, readFile, readlink, realpath, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../platform/clock.ts';
import { exists } from '../../platform/files.ts';
import { statSync, variablesSync } from '../../platform/proc.ts';
import type { ProcessIdentity } from '../../platform/process-identity.ts';

/**
 * How old a lock must be, because its owner may be just about to begin or to end: of the user's own gits, among them some that cannot be
 * seen; of gits in a tree of Fleet's; of those of a landing that is known to be dead.
 */
const LEAST_AGE_MS = { theirs: 10_000, ours: 2_000, dead: 0 } as const;

type Whose = keyof typeof LEAST_AGE_MS;

/** Removes a lock that is proved stale; true when there is none any more. `places` are where a git could be at work that made it. */
export async function removeStaleLock(lock: string, places: readonly string[], whose: Whose): Promise<boolean> {
  if (!(await exists(lock))) return true;
  const isOver = await isStaleLock(lock, places, whose);
  if (isOver) await unlink(lock).catch(() => undefined);
  return isOver;
}

/**
 * The proof that the owner of a lock of git is dead: it is old, no process has it open, and no git that could have made it is
 * alive. Where that cannot be seen nothing is proved.
 */
export async function isStaleLock(lock: string, places: readonly string[], whose: Whose): Promise<boolean> {
  const found = await stat(lock).catch(() => undefined);
  if (found === undefined) return false;
  const least = LEAST_AGE_MS[whose];
  if (least > 0 && systemClock.now() - found.mtimeMs < least) return false;
  const pids = await processes();
  if (pids.length === 0) return false;
  // The kernel names what a process has open without any link on the way.
  const real = join(await realpath(dirname(lock)).catch(() => dirname(lock)), basename(lock));
  for (const pid of pids) if (await mayOwn(pid, real, places)) return false;
  return true;
}

const BEGIN = "Unable to create '";
const END = "': File exists";

/** The lock that git says it could not make because there is one. */
export function lockInTheWay(err: string): string | undefined {
  const from = err.indexOf(BEGIN);
  const to = from === -1 ? -1 : err.indexOf(END, from);
  const path = to === -1 ? '' : err.slice(from + BEGIN.length, to);
  return path.endsWith('.lock') && !path.includes('\n') ? path : undefined;
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
