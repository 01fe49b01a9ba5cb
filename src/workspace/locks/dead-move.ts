import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive, ownIdentity, type ProcessIdentity } from '../../platform/process-identity.ts';
import { marked } from '../git/stale-lock.ts';
import { finishDead } from '../land/advance.ts';
import type { Checkout } from '../land/checkout.ts';
import { holderOf, lockIndex } from './index-lock.ts';

const WAIT_MS = 10_000;
const LOOK_EVERY_MS = 10;

/**
 * Takes away the lock on the index of a checkout that a dead process holds, after ending the move it was at; begins none.
 * A holder that is alive lets go by itself, and a lock of anybody else is theirs. What cannot be ended stays locked, for the
 * next landing to end.
 */
export async function endDeadMove(checkout: Checkout, dead: ProcessIdentity, env: NodeJS.ProcessEnv): Promise<void> {
  const until = performance.now() + WAIT_MS;
  const { gitDir: own } = checkout.directory;
  while (isSame(await holderOf(own), dead)) {
    // A process that is killed closes its channels before it is gone.
    const lock = (await isAlive(dead)) ? undefined : await lockIndex(own, checkout.path);
    if (lock?.state === 'held') {
      try {
        return await finishDead(checkout, lock, marked(env, await ownIdentity()));
      } finally {
        await lock.letGo();
      }
    }
    if (performance.now() > until) return;
    await sleep(LOOK_EVERY_MS);
  }
}

const isSame = (holder: ProcessIdentity | undefined, { boot, pid, started }: ProcessIdentity): boolean =>
  holder?.pid === pid && holder.started === started && holder.boot === boot;
