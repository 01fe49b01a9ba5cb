import { setTimeout as sleep } from 'node:timers/promises';
import type { Limits } from './limits.ts';
import { below, diskBytes, fairBytes, freeBytes, inMemoryBytes, namelessBytes, privateBytes } from './measure.ts';

const CALM_MS = 1_000;
/** When half of a limit is used up. */
const CLOSE_MS = 100;
/** Directories are measured when the disk has lost this share of what may be added to them, and now and then in any case. */
const LOST = 1 / 4;
const MEASURE_MS = 120_000;
const FIRST_MS = 2_000;
const MB = 1024 * 1024;

export interface LimitWatch {
  /** Looks for as long as `isThere`; answers what the processes below this one took too much of, by the setting that says so. */
  tooMuch(pid: number, isThere: () => boolean): Promise<string | undefined>;
}

/** Resolves when it is known what there is before anything is added, or when that takes too long to wait for. */
export async function watchLimits(bwrap: string, limits: Limits): Promise<LimitWatch> {
  const disk = diskWatch(bwrap, limits);
  await Promise.race([disk.measured([]), sleep(FIRST_MS, undefined, { ref: false })]);
  return {
    tooMuch: async (pid, isThere) => {
      while (isThere()) {
        const pids = below(pid);
        const bytes = privateBytes(pids) + inMemory(pids, limits);
        const why = crowd(pids, limits) ?? (bytes > limits.memoryBytes ? memory(pids, limits) : undefined) ?? disk.look(pids);
        if (why !== undefined) return why;
        const isClose = bytes > limits.memoryBytes / 2 || pids.length > limits.processes / 2;
        await sleep(isClose ? CLOSE_MS : CALM_MS, undefined, { ref: false });
      }
      return undefined;
    },
  };
}

const crowd = (pids: readonly number[], { processes }: Limits): string | undefined =>
  pids.length > processes ? `it had ${pids.length} processes at once, max_processes allows ${processes}` : undefined;

const inMemory = (pids: readonly number[], { inMemory: { places, eachBytes } }: Limits): number =>
  inMemoryBytes(pids[0] ?? 0, places, eachBytes) + namelessBytes(pids, 'memory');

function memory(pids: readonly number[], limits: Limits): string | undefined {
  const { memoryBytes } = limits;
  const bytes = fairBytes(pids) + inMemory(pids, limits);
  return bytes > memoryBytes ? `it used ${inMb(bytes)} MB of memory, sandbox_memory_mb allows ${inMb(memoryBytes)}` : undefined;
}

/** `look` answers at once with what is known; measuring goes on beside. */
function diskWatch(bwrap: string, { directories, diskBytes: allowed }: Limits) {
  let first: number | undefined;
  let added = 0;
  let isMeasuring = false;
  let freeThen: number | undefined;
  let measuredAt = Number.NEGATIVE_INFINITY;
  const measured = async (pids: readonly number[]): Promise<void> => {
    [isMeasuring, freeThen, measuredAt] = [true, freeBytes(directories[0] ?? '/'), performance.now()];
    const bytes = await diskBytes(bwrap, directories);
    if (bytes !== undefined) {
      first ??= bytes;
      added = bytes - first + namelessBytes(pids, 'disk');
    }
    isMeasuring = false;
  };
  const isDue = (): boolean => {
    const free = freeBytes(directories[0] ?? '/');
    const lost = free === undefined || freeThen === undefined ? 0 : freeThen - free;
    return !isMeasuring && (lost > allowed * LOST || performance.now() - measuredAt > MEASURE_MS);
  };
  const look = (pids: readonly number[]): string | undefined => {
    if (isDue()) void measured(pids);
    return added > allowed
      ? `it added ${inMb(added)} MB to its workspace and its homes, sandbox_disk_mb allows ${inMb(allowed)}`
      : undefined;
  };
  return { measured, look };
}

const inMb = (bytes: number): number => Math.round(bytes / MB);
