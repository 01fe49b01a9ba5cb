import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync, statfsSync, statSync } from 'node:fs';

/** Where the kernel does not tell which processes are below another, nothing can be measured. */
export const canLook = (): boolean => existsSync(`/proc/self/task/${process.pid}/children`);

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

/**
 * What they have in memory or in swap and nobody else has, and what the kernel needs to say where it lies, where pages that several of them share count for each; and how many
 * they are with their threads, and for how many descriptors they have made room.
 */
export function tallyOf(pids: readonly number[]): { readonly bytes: number; readonly tasks: number; readonly slots: number } {
  const texts = pids.map((pid) => textOf(`/proc/${pid}/status`));
  return {
    bytes: sumOf(texts, (text) => kilobytesIn(text, /^(?:RssAnon|RssShmem|VmSwap|VmPTE):\s+(\d+) kB$/gm)),
    tasks: sumOf(texts, (text) => Number(/^Threads:\s+(\d+)$/m.exec(text)?.[1] ?? 1)),
    slots: sumOf(texts, (text) => Number(/^FDSize:\s+(\d+)$/m.exec(text)?.[1] ?? 0)),
  };
}

/** The same, with pages that several share counted once. Takes long for large processes. */
export const fairBytes = (pids: readonly number[]): number =>
  sumOf(pids, (pid) => {
    const text = textOf(`/proc/${pid}/smaps_rollup`);
    const bytes = kilobytesIn(text, /^(?:Pss_Anon|Pss_Shmem|SwapPss):\s+(\d+) kB$/gm);
    return text === '' ? tallyOf([pid]).bytes : bytes + kilobytesIn(textOf(`/proc/${pid}/status`), /^VmPTE:\s+(\d+) kB$/gm);
  });

const TMPFS = 0x01021994;
/** What the kernel keeps of a file in memory besides what it holds: also where it is empty. */
const FILE_BYTES = 1_024;

/**
 * What directories in memory hold, as a process sees them, each of which may hold `most`. Others that are mounted in their place
 * are larger or none; and so are the machine's own, which a process sees that has not come to its sandbox yet.
 */
export const inMemoryBytes = (pid: number, places: readonly string[], most: number): number =>
  sumOf(places, (place) => {
    try {
      const { type, bsize, blocks, bfree, files, ffree } = statfsSync(`/proc/${pid}/root${place}`);
      const isOurs = type === TMPFS && blocks > 0 && bsize * blocks <= most + bsize;
      return isOurs ? bsize * (blocks - bfree) + FILE_BYTES * (files - ffree) : 0;
    } catch {
      return 0;
    }
  });

/** Files without a name that they hold open, once each: on disk, or in memory, where they need not be mapped to be there. */
export function namelessBytes(opened: readonly Opened[], where: 'disk' | 'memory'): number {
  const files = new Map<string, number>();
  for (const { at, leadsTo } of opened)
    try {
      if (leadsTo.startsWith('/memfd:') !== (where === 'memory')) continue;
      const found = statSync(at);
      if (found.isFile() && found.nlink === 0) files.set(`${found.dev}:${found.ino}`, found.blocks * 512);
    } catch {
      // It was closed meanwhile.
    }
  return sumOf([...files.values()], (bytes) => bytes);
}

/** One descriptor of a process. */
export interface Opened {
  readonly at: string;
  readonly leadsTo: string;
}

export const openedBy = (pids: readonly number[]): Opened[] =>
  pids.flatMap((pid) =>
    namesIn(`/proc/${pid}/fd`).flatMap((name) => {
      const at = `/proc/${pid}/fd/${name}`;
      try {
        return [{ at, leadsTo: readlinkSync(at) }];
      } catch {
        return [];
      }
    }),
  );

/** With which they have the kernel watch files: it has only so many for each user, in whatever namespace. */
export function watchesOf(opened: readonly Opened[]): { readonly watchers: number; readonly watches: number } {
  const found = opened.filter(({ leadsTo }) => leadsTo === 'anon_inode:inotify');
  const watches = sumOf(found, ({ at }) => textOf(at.replace('/fd/', '/fdinfo/')).split('\ninotify ').length - 1);
  return { watchers: found.length, watches };
}

const DU_MS = 10 * 60_000;

/** What directories hold on disk, and how many files and directories they are. */
export interface OnDisk {
  readonly bytes: number;
  /** 0 where `du` does not count them. */
  readonly files: number;
}

const DU = 'du -skx -- "$@"; echo; du -sx --inodes -- "$@"';

/**
 * Links not followed and each file once. Made in a namespace in which directories that their owner has
 * closed can be read. Undefined when it took too long or nothing could be said.
 */
export const onDisk = (bwrap: string, directories: readonly string[]): Promise<OnDisk | undefined> =>
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
      ...['/bin/sh', '-c', DU, 'du', ...directories],
    ];
    execFile(bwrap, words, { timeout: DU_MS, killSignal: 'SIGKILL', maxBuffer: 1_048_576 }, (_, out) => {
      const [kilobytes = '', files = ''] = out.split('\n\n');
      const counted = /^\d+\t/m.test(kilobytes);
      resolve(counted ? { bytes: countsIn(kilobytes) * 1_024, files: countsIn(files) } : undefined);
    });
  });

const countsIn = (text: string): number => sumOf([...text.matchAll(/^(\d+)\t/gm)], ([, count]) => Number(count));

export interface Room {
  readonly freeBytes: number;
  readonly freeFiles: number;
  /** For how many bytes it has room for one file; undefined where it makes room for files as they come. */
  readonly bytesForFile: number | undefined;
}

/** Of the file system where a directory lies; undefined where that is not known. */
export function roomAt(directory: string): Room | undefined {
  try {
    const { bsize, blocks, bfree, files, ffree } = statfsSync(directory);
    return { freeBytes: bsize * bfree, freeFiles: ffree, bytesForFile: files > 0 ? (bsize * blocks) / files : undefined };
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
