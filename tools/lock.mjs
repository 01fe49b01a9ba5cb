/**
 * One at a time across processes, without flock.
 *
 * A lock is a numbered directory `<place>/<n>` that holds the identity of its owner. Only the highest number counts:
 *
 * - it is taken by renaming a finished directory to the next number, which fails when that number exists;
 * - it is free when it holds `released`, or when its owner (pid and start time) is not alive;
 * - nobody ever removes the highest number, so two waiters that saw the same dead owner cannot both win.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { identityOf, isAlive } from './identity.mjs';

const pollMs = 100;

/** Runs `work` while holding the lock at `place`. `onWait` is told once when somebody else holds it. */
export async function withLock(place, work, onWait = () => {}) {
  mkdirSync(place, { recursive: true });
  const mine = await acquire(place, onWait);
  try {
    return await work();
  } finally {
    writeFileSync(join(mine, 'released'), '');
  }
}

async function acquire(place, onWait) {
  let told = false;
  for (;;) {
    const newest = newestOf(place);
    if (newest === 0 || isFree(join(place, String(newest)))) {
      const mine = tryTake(place, newest + 1);
      if (mine) return mine;
      continue;
    }
    if (!told) onWait();
    told = true;
    await sleep(pollMs);
  }
}

function tryTake(place, number) {
  const ready = mkdtempSync(join(place, 'new-'));
  const mine = join(place, String(number));
  writeFileSync(join(ready, 'owner'), identityOf(process.pid));
  try {
    renameSync(ready, mine);
  } catch {
    rmSync(ready, { recursive: true, force: true });
    return undefined;
  }
  // A slow waiter may have taken a number that was used and swept long ago: the higher one still stands.
  if (newestOf(place) !== number) {
    rmSync(mine, { recursive: true, force: true });
    return undefined;
  }
  sweep(place, number);
  return mine;
}

const numbersOf = (place) =>
  readdirSync(place)
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

const newestOf = (place) => Math.max(0, ...numbersOf(place));

function isFree(lock) {
  try {
    if (readdirSync(lock).includes('released')) return true;
    return !isAlive(readFileSync(join(lock, 'owner'), 'utf8'));
  } catch {
    return false; // swept while we looked: look again
  }
}

function sweep(place, newest) {
  for (const number of numbersOf(place)) {
    if (number < newest) rmSync(join(place, String(number)), { recursive: true, force: true });
  }
}
