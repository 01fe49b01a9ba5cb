import { setTimeout as sleep } from 'node:timers/promises';
import type { SandboxLimits } from './limits.ts';
import {
  below,
  canLook,
  fairBytes,
  inMemoryBytes,
  namelessBytes,
  type OnDisk,
  type Opened,
  onDisk,
  openedBy,
  roomAt,
  tallyOf,
  watchesOf,
} from './measure.ts';
import { inMb, tooManyTasks, tooMuchMemory } from './too-much.ts';
import { WATCHED_HERE } from './watched-here.ts';

const CALM_MS = 1_000;
/** When half of a limit is used up. */
const CLOSE_MS = 100;
/** Directories are measured when the disk has lost this share of what may be added to them, and now and then in any case. */
const LOST = 1 / 4;
const MEASURE_MS = 120_000;
const FIRST_MS = 2_000;
/** Each is looked at, in every look. */
const MOST_SLOTS = 1_048_576;
const MOST_BLIND = 10;
const canLookHere = canLook();

export interface LimitWatch {
  /**
   * Looks for as long as `isThere`; answers what the processes below this one took too much of, by the setting that says so. What
   * the kernel has `told` goes first.
   */
  tooMuch(pid: number, isThere: () => boolean, told?: () => string | undefined): Promise<string | undefined>;
}

/** Resolves when it is known what there is before anything is added, or when that takes too long to wait for. */
export async function watchLimits(bwrap: string, limits: SandboxLimits, here = WATCHED_HERE): Promise<LimitWatch> {
  const disk = diskWatch(bwrap, limits);
  await Promise.race([disk.measured([]), sleep(FIRST_MS, undefined, { ref: false })]);
  return {
    tooMuch: async (pid, isThere, told = () => undefined) => {
      const isBlind = blindness();
      while (isThere()) {
        const pids = below(pid);
        if (isBlind(pids)) return 'its processes could not be looked at, so that nothing would have held them to their limits';
        const { bytes: own, tasks, slots } = tallyOf(pids);
        if (slots > MOST_SLOTS) return `it had room for ${slots} open files at once, ${MOST_SLOTS} are allowed`;
        const opened = openedBy(pids);
        const bytes = own + inMemory(pids, opened, limits);
        const why =
          told() ??
          crowd(pids, tasks, limits) ??
          (bytes > limits.memoryBytes ? memory(pids, opened, limits) : undefined) ??
          watching(opened, here) ??
          disk.look(opened);
        if (why !== undefined) return why;
        const isClose = bytes > limits.memoryBytes / 2 || pids.length > limits.processes / 2 || tasks > limits.tasks / 2;
        await sleep(isClose ? CLOSE_MS : CALM_MS, undefined, { ref: false });
      }
      return undefined;
    },
  };
}

/** There is one at least for as long as there is a sandbox: whoever sees none for long is kept from looking. */
function blindness(): (pids: readonly number[]) => boolean {
  const since = { looks: 0 };
  return (pids) => {
    since.looks = pids.length > 0 || !canLookHere ? 0 : since.looks + 1;
    return since.looks > MOST_BLIND;
  };
}

function crowd(pids: readonly number[], tasks: number, limits: SandboxLimits): string | undefined {
  const { processes } = limits;
  if (pids.length > processes) return `it had ${pids.length} processes at once, max_processes allows ${processes}`;
  return tasks > limits.tasks ? tooManyTasks(tasks, limits) : undefined;
}

/** Half of what the user has, whose own programs want to see changes too. */
function watching(opened: readonly Opened[], here: typeof WATCHED_HERE): string | undefined {
  const { watchers, watches } = watchesOf(opened);
  const isTooMuch = watchers > here.watchers / 2 || watches > here.watches / 2;
  return isTooMuch
    ? `it had ${watchers} watchers with ${watches} watches of files, more than half of what its user may have (fs.inotify)`
    : undefined;
}

const inMemory = (
  pids: readonly number[],
  opened: readonly Opened[],
  { inMemory: { places, eachBytes } }: SandboxLimits,
): number => inMemoryBytes(pids[0] ?? 0, places, eachBytes) + namelessBytes(opened, 'memory');

function memory(pids: readonly number[], opened: readonly Opened[], limits: SandboxLimits): string | undefined {
  const { memoryBytes } = limits;
  const bytes = fairBytes(pids) + inMemory(pids, opened, limits);
  return bytes > memoryBytes ? tooMuchMemory(bytes, limits) : undefined;
}

/** Nobody does with fewer, however little room they take. */
const FEWEST_FILES = 20_000;

/** `look` answers at once with what is known; measuring goes on beside. */
function diskWatch(bwrap: string, { directories, diskBytes: allowed }: SandboxLimits) {
  const place = directories[0] ?? '/';
  const mostFiles = filesFor(allowed, place);
  let first: OnDisk | undefined;
  let added: OnDisk = { bytes: 0, files: 0 };
  let isMeasuring = false;
  let then = roomAt(place);
  let measuredAt = Number.NEGATIVE_INFINITY;
  const measured = async (opened: readonly Opened[]): Promise<void> => {
    [isMeasuring, then, measuredAt] = [true, roomAt(place), performance.now()];
    const found = await onDisk(bwrap, directories);
    if (found !== undefined) {
      first ??= found;
      added = { bytes: found.bytes - first.bytes + namelessBytes(opened, 'disk'), files: found.files - first.files };
    }
    isMeasuring = false;
  };
  const isLost = (): boolean => {
    const now = roomAt(place);
    if (!now || !then) return false;
    return then.freeBytes - now.freeBytes > allowed * LOST || then.freeFiles - now.freeFiles > mostFiles * LOST;
  };
  const isDue = (): boolean => !isMeasuring && (isLost() || performance.now() - measuredAt > MEASURE_MS);
  const look = (opened: readonly Opened[]): string | undefined => {
    if (isDue()) void measured(opened);
    const [bytes, files] = [added.bytes > allowed, added.files > mostFiles];
    if (bytes) return `it added ${inMb(added.bytes)} MB to its workspace and its homes, sandbox_disk_mb allows ${inMb(allowed)}`;
    return files
      ? `it added ${added.files} files to its workspace and its homes, sandbox_disk_mb allows ${mostFiles} with its ${inMb(allowed)} MB`
      : undefined;
  };
  return { measured, look };
}

/** As large a share of all files that the disk can hold as it may have of its room. */
function filesFor(bytes: number, place: string): number {
  const { bytesForFile = 512 } = roomAt(place) ?? {};
  return Math.max(FEWEST_FILES, Math.floor(bytes / bytesForFile));
}
