import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, statfsSync, statSync } from 'node:fs';

/** All processes below one. Those of a sandbox cannot leave it: who loses its parent gets the first process in there. */
export function below(pid: number): number[] {
  const found = childrenOf(pid);
  for (let n = 0; n < found.length; n += 1) found.push(...childrenOf(found[n] ?? 0));
  return found;
}

const childrenOf = (pid: number): number[] =>
  namesIn(`/proc/${pid}/task`).flatMap((task) =>
    textOf(`/proc/${pid}/task/${task}/children`).split(' ').filter(Boolean).map(Number),
  );

/** What they have in memory or in swap and nobody else has; pages that several of them share count for each. */
export const privateBytes = (pids: readonly number[]): number =>
  sumOf(pids, (pid) => kilobytesIn(textOf(`/proc/${pid}/status`), /^(?:RssAnon|RssShmem|VmSwap):\s+(\d+) kB$/gm));

/** The same, with pages that several share counted once. Takes long for large processes. */
export const fairBytes = (pids: readonly number[]): number =>
  sumOf(pids, (pid) => {
    const text = textOf(`/proc/${pid}/smaps_rollup`);
    const bytes = kilobytesIn(text, /^(?:Pss_Anon|Pss_Shmem|SwapPss):\s+(\d+) kB$/gm);
    return text === '' ? privateBytes([pid]) : bytes;
  });

const TMPFS = 0x01021994;

/**
 * What directories in memory hold, as a process sees them, each of which may hold `most`. Others that are mounted in their place
 * are larger or none; and so are the machine's own, which a process sees that has not come to its sandbox yet.
 */
export const inMemoryBytes = (pid: number, places: readonly string[], most: number): number =>
  sumOf(places, (place) => {
    try {
      const { type, bsize, blocks, bfree } = statfsSync(`/proc/${pid}/root${place}`);
      return type === TMPFS && blocks > 0 && bsize * blocks <= most + bsize ? bsize * (blocks - bfree) : 0;
    } catch {
      return 0;
    }
  });

/** Files without a name that they hold open, once each: on disk, or in memory, where they need not be mapped to be there. */
export function namelessBytes(pids: readonly number[], where: 'disk' | 'memory'): number {
  const files = new Map<string, number>();
  for (const pid of pids)
    for (const name of namesIn(`/proc/${pid}/fd`))
      try {
        const isMemory = readlinkSync(`/proc/${pid}/fd/${name}`).startsWith('/memfd:');
        if (isMemory !== (where === 'memory')) continue;
        const found = statSync(`/proc/${pid}/fd/${name}`);
        if (found.isFile() && found.nlink === 0) files.set(`${found.dev}:${found.ino}`, found.blocks * 512);
      } catch {
        // It was closed meanwhile.
      }
  return sumOf([...files.values()], (bytes) => bytes);
}

const DU_MS = 10 * 60_000;

/**
 * What directories hold on disk, links not followed and each file once. Made in a namespace in which directories that their owner has
 * closed can be read. Undefined when it took too long or nothing could be said.
 */
export const diskBytes = (bwrap: string, directories: readonly string[]): Promise<number | undefined> =>
  new Promise((resolve) => {
    const reading = process.getuid?.() === 0 ? [] : ['--unshare-user', '--cap-drop', 'ALL', '--cap-add', 'CAP_DAC_READ_SEARCH'];
    const words = [
      ...reading,
      '--unshare-net',
      '--die-with-parent',
      '--ro-bind',
      '/',
      '/',
      '--',
      'du',
      '-skx',
      '--',
      ...directories,
    ];
    execFile(bwrap, words, { timeout: DU_MS, killSignal: 'SIGKILL', maxBuffer: 1_048_576 }, (_, out) => {
      const counts = [...out.matchAll(/^(\d+)\t/gm)].map(([, kilobytes]) => Number(kilobytes) * 1_024);
      resolve(counts.length === 0 ? undefined : sumOf(counts, (bytes) => bytes));
    });
  });

/** What is free where they lie; undefined where that is not known. */
export function freeBytes(directory: string): number | undefined {
  try {
    const { bsize, bfree } = statfsSync(directory);
    return bsize * bfree;
  } catch {
    return undefined;
  }
}

const sumOf = <Thing>(things: readonly Thing[], count: (thing: Thing) => number): number =>
  things.reduce((sum, thing) => sum + count(thing), 0);

const kilobytesIn = (text: string, pattern: RegExp): number =>
  sumOf([...text.matchAll(pattern)], ([, kilobytes]) => Number(kilobytes) * 1_024);

function namesIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
