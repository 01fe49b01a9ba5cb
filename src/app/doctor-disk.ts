import { statfs } from 'node:fs/promises';
import type { Finding } from '../surfaces/cli/views/doctor.ts';

const MB = 1024 * 1024;
/** Below this the next few agents may fill it. */
const LITTLE_BYTES = 512 * MB;
/** Below this hardly anything can be accepted any more: a commit, its write-ahead log and a run directory need some. */
const FULL_BYTES = 8 * MB;

/** How much room the file system has on which the home is, or would be. */
export async function diskFinding(place: string): Promise<Finding> {
  const seen = { name: 'disk', path: place };
  const found = await statfs(place).catch(() => undefined);
  if (found === undefined) return { ...seen, needed: false, state: 'off', detail: 'its room cannot be told' };
  const free = found.bavail * found.bsize;
  const detail = `${Math.floor(free / MB)} MB free`;
  if (free >= LITTLE_BYTES) return { ...seen, needed: false, state: 'ok', detail };
  const repair = `free some space: du -xh --max-depth=2 ${place} | sort -h | tail; fleet db prune; fleet workspace prune`;
  return free >= FULL_BYTES
    ? { ...seen, needed: false, state: 'broken', detail: `${detail}: little room is left`, repair }
    : { ...seen, needed: true, state: 'broken', detail: `${detail}: the disk is full`, repair };
}
