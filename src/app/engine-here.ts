import { stat } from 'node:fs/promises';
import { isFault } from '../domain/fault.ts';
import { type Instant, instantOf } from '../domain/values.ts';
import { type EngineIdentity, leaseHolder } from '../engine/lease.ts';
import { isAlive } from '../platform/process-identity.ts';
import { liveFile } from './serve/live-file.ts';
import type { FleetServices } from './services.ts';

/** The process that runs a home, named so that no other is ever taken for it. */
export type RunningEngine = EngineIdentity & { readonly since: Instant };

/**
 * Who holds the lease and is really there. Where the database cannot be read, what the server has said of itself is gone
 * by: a file of one that was killed names a process that is not there any more.
 */
export async function engineHere(
  house: Pick<FleetServices, 'store' | 'now' | 'self' | 'host' | 'paths'>,
): Promise<RunningEngine | undefined> {
  const [self, { former }] = await Promise.all([house.self(), house.host()]);
  try {
    return await leaseHolder({ store: house.store, now: house.now, alive: isAlive, self, formerHosts: former });
  } catch (error) {
    if (!isFault(error, 'unavailable')) throw error;
    return announced(house.paths.live, self.host);
  }
}

async function announced(file: string, here: string): Promise<RunningEngine | undefined> {
  const live = await liveFile(file);
  if (live?.host !== here || !(await isAlive(live))) return undefined;
  const { host, boot, pid, started } = live;
  const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: 0 }));
  return { host, boot, pid, started, since: instantOf(Math.round(mtimeMs)) };
}
