import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Disk, type DiskShortage, type FullDisk, isFull, shortageOf } from '../domain/hold/disk-room.ts';
import type { Instant } from '../domain/values.ts';
import { exists } from '../platform/files.ts';
import type { HomePaths } from './home.ts';

/** What was found holds for so long. */
const FRESH_MS = 1_000;

export interface DiskRoom {
  /** Looks again when the last look is older than a moment; several who ask at once share one look. */
  diskShort(): Promise<DiskShortage | undefined>;
  diskFull(): Promise<FullDisk | undefined>;
  /** What was found last, without looking. */
  seen(): DiskShortage | undefined;
}

interface Around {
  readonly paths: Pick<HomePaths, 'path' | 'runs' | 'workspaces'>;
  reserveMb(): number | undefined;
  elapsed(): number;
  now(): Instant;
}

/** Watches the room on the disks that runs write to. A disk that does not tell its room keeps nothing from being started. */
export function diskRoom({ paths, reserveMb, elapsed, now }: Around): DiskRoom {
  let disks: readonly Disk[] = [];
  let full: FullDisk | undefined;
  let looking: Promise<void> | undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;
  const seen = () => shortageOf(disks, reserveMb());
  const look = async (): Promise<void> => {
    disks = await disksOf([paths.path, paths.runs, paths.workspaces]);
    lookedAt = elapsed();
    const short = seen();
    if (short && isFull(short)) full = { path: short.path, at: now() };
  };
  const fresh = async (): Promise<void> => {
    if (reserveMb() === 0 || elapsed() - lookedAt < FRESH_MS) return;
    looking ??= look().finally(() => {
      looking = undefined;
    });
    await looking;
  };
  return {
    seen,
    diskShort: async () => {
      await fresh();
      return seen();
    },
    diskFull: async () => {
      await fresh();
      return full;
    },
  };
}

/** Each file system once, by the first of the directories that is on it. */
export async function disksOf(directories: readonly string[]): Promise<readonly Disk[]> {
  const found = await Promise.all(directories.map(diskAt));
  return [...new Map(found.toReversed().flatMap((one) => (one ? [[one.device, one.disk]] : []))).values()].toReversed();
}

async function diskAt(directory: string): Promise<{ readonly device: number; readonly disk: Disk } | undefined> {
  try {
    const path = await nearestThere(directory);
    const [{ dev }, { bavail, blocks, bsize }] = await Promise.all([stat(path), statfs(path)]);
    // Some file systems of the network tell nothing.
    return blocks > 0
      ? { device: dev, disk: { path: directory, freeBytes: bavail * bsize, totalBytes: blocks * bsize } }
      : undefined;
  } catch {
    return undefined;
  }
}

/** Where a directory is, or would be. */
export async function nearestThere(path: string): Promise<string> {
  return (await exists(path)) || dirname(path) === path ? path : nearestThere(dirname(path));
}
