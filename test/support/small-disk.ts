import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, truncateSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasCode } from '../../src/platform/files.ts';

/** Said by a test that is skipped for want of one. */
export const NO_SMALL_DISK = 'a small tmpfs cannot be mounted by this user';

export interface SmallDisk extends Disposable {
  readonly directory: string;
  grow(to: string): void;
  /** Takes all the room there is, but so many KB. */
  fill(butKb?: number): void;
  /** Gives back what was taken by `fill`. */
  free(): void;
}

/** A file system of its own, as small as asked for, and there if a directory is named; `undefined` where this user may not mount one. */
export function smallDisk(size: string, at?: string): SmallDisk | undefined {
  const directory = at ?? mkdtempSync(join(tmpdir(), 'fleet-disk-'));
  const leave = () => (at === undefined ? rmdirSync(directory) : undefined);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', directory], { stdio: 'ignore' });
  } catch {
    leave();
    return undefined;
  }
  const filler = join(directory, 'filler');
  return {
    directory,
    grow: (to) => void execFileSync('mount', ['-o', `remount,size=${to}`, directory]),
    fill: (butKb = 0) => {
      const taken = takeAll(filler);
      if (butKb > 0) truncateSync(filler, Math.max(0, taken - butKb * 1_024));
    },
    free: () => rmSync(filler, { force: true }),
    [Symbol.dispose]: () => {
      // Lazily: libsql lets go of a closed file when its statements are garbage-collected.
      execFileSync('umount', ['--lazy', directory]);
      leave();
    },
  };
}

function takeAll(file: string): number {
  const page = Buffer.alloc(4_096);
  const fd = openSync(file, 'w');
  try {
    for (let taken = 0; ; )
      try {
        taken += writeSync(fd, page);
      } catch (error) {
        if (hasCode(error, 'ENOSPC')) return taken;
        throw error;
      }
  } finally {
    closeSync(fd);
  }
}
