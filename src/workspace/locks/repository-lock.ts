import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../../domain/fault.ts';
import { exists, hasCode, PRIVATE_DIRECTORY } from '../../platform/files.ts';
import { identityOf, isAlive, type ProcessIdentity } from '../../platform/process-identity.ts';

/**
 * One at a time across processes, without flock. A lock is a numbered directory `<place>/<n>` with the identity of its
 * owner in it, and only the highest number counts:
 *
 * - it is taken by renaming a finished directory to the next number, which fails when that number exists;
 * - it is free when it holds `released`, or when its owner is not alive;
 * - nobody ever removes the highest number, so two who saw the same dead owner cannot both win.
 *
 * Callers of one process wait for each other in the order in which they came, and ask for the lock once for all of them.
 */
export async function withLock<Answer>(place: string, work: () => Promise<Answer>): Promise<Answer> {
  const before = queues.get(place) ?? Promise.resolve();
  const turn = before.then(() => locked(place, work));
  const settled = turn.then(
    () => {},
    () => {},
  );
  queues.set(place, settled);
  void settled.then(() => queues.get(place) === settled && queues.delete(place));
  return turn;
}

const queues = new Map<string, Promise<void>>();

const POLL_MS = 5;
const WAIT_MS = 60_000;

async function locked<Answer>(place: string, work: () => Promise<Answer>): Promise<Answer> {
  await mkdir(place, { recursive: true, mode: PRIVATE_DIRECTORY });
  const mine = await acquire(place);
  try {
    return await work();
  } finally {
    await writeFile(join(mine, 'released'), '');
  }
}

async function acquire(place: string): Promise<string> {
  const until = performance.now() + WAIT_MS;
  for (;;) {
    const newest = (await numbersOf(place))[0] ?? 0;
    const owner = newest === 0 ? undefined : await holderOf(join(place, String(newest)));
    if (owner === undefined) {
      const mine = await take(place, newest + 1);
      if (mine !== undefined) return mine;
    } else if (performance.now() > until) {
      throw new Fault('unavailable', `process ${owner.pid} has held ${place} for more than ${WAIT_MS / 1_000} s`, { place });
    } else await sleep(POLL_MS + (process.pid % POLL_MS));
  }
}

async function holderOf(lock: string): Promise<ProcessIdentity | undefined> {
  if (await exists(join(lock, 'released'))) return undefined;
  const text = await readFile(join(lock, 'owner'), 'utf8').catch(() => undefined);
  const owner = text === undefined ? undefined : (JSON.parse(text) as ProcessIdentity);
  return owner && (await isAlive(owner)) ? owner : undefined;
}

async function take(place: string, number: number): Promise<string | undefined> {
  const [ready, mine] = [join(place, `new-${randomUUID()}`), join(place, String(number))];
  await mkdir(ready);
  await writeFile(join(ready, 'owner'), JSON.stringify(await identityOf(process.pid)));
  try {
    await rename(ready, mine);
  } catch (error) {
    await rm(ready, { recursive: true, force: true });
    if (hasCode(error, 'ENOTEMPTY', 'EEXIST')) return undefined;
    throw error;
  }
  const numbers = await numbersOf(place);
  if (numbers[0] !== number) {
    // A slow one may take a number that was used and swept long ago: the higher one still stands.
    await rm(mine, { recursive: true, force: true });
    return undefined;
  }
  await Promise.all(numbers.slice(1).map((past) => rm(join(place, String(past)), { recursive: true, force: true })));
  return mine;
}

const numbersOf = async (place: string): Promise<number[]> =>
  (await readdir(place))
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .sort((a, b) => b - a);
