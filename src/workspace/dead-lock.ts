import { exists } from '../platform/files.ts';
import { removeAbandoned } from './abandoned-lock.ts';

/** Younger than this, its owner may just be on the way out. */
const BOUND_MS = 2_000;

/** Removes a lock that a killed git has left behind in one of these places, if its owner is proved dead; true when there is none any more. */
export const removeDeadLock = async (lock: string, places: readonly string[]): Promise<boolean> =>
  !(await exists(lock)) || removeAbandoned(lock, places, BOUND_MS);
