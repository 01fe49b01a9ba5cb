import type { Instant } from '../values.ts';

/** A file system that runs write to. */
export interface Disk {
  /** A directory on the disk. */
  readonly path: string;
  readonly freeBytes: number;
  readonly totalBytes: number;
}

/** A disk with less free space than its reserve: nothing new is started. */
export interface DiskShortage {
  readonly path: string;
  readonly freeBytes: number;
  readonly reserveBytes: number;
}

const MB = 1024 * 1024;
const DEFAULT_MB = 1024;
/** The default reserve takes at most this share of a small disk. */
const MOST_OF_DISK = 0.05;

/** When a disk was last seen so full that writes to it fail. */
export interface FullDisk {
  readonly path: string;
  readonly at: Instant;
}

/** With less free space, a commit, a run directory or the output of an agent may not fit. */
export const FULL_BYTES = 8 * MB;

export const isFull = ({ freeBytes }: DiskShortage): boolean => freeBytes < FULL_BYTES;

/** The bytes to keep free on a disk: the configured megabytes, else 1 GB but at most a twentieth of the disk. */
export const reserveBytesOf = ({ totalBytes }: Pick<Disk, 'totalBytes'>, reserveMb: number | undefined): number =>
  reserveMb === undefined ? Math.min(DEFAULT_MB * MB, Math.floor(totalBytes * MOST_OF_DISK)) : reserveMb * MB;

/** The first disk with less free space than its reserve. */
export function shortageOf(disks: readonly Disk[], reserveMb: number | undefined): DiskShortage | undefined {
  const short = disks.find((disk) => disk.freeBytes < reserveBytesOf(disk, reserveMb));
  return short && { path: short.path, freeBytes: short.freeBytes, reserveBytes: reserveBytesOf(short, reserveMb) };
}

export const shortageText = ({ path, freeBytes, reserveBytes }: DiskShortage): string =>
  `disk_full: ${sizeText(freeBytes, Math.floor)} free on the disk of ${path}, new runs wait until ${sizeText(reserveBytes, Math.ceil)} are free: free some, or lower disk_reserve_mb`;

/** The same without the free space, which changes all the time. */
export const diskWaitText = ({ path, reserveBytes }: DiskShortage): string =>
  `disk_full: it waits until ${sizeText(reserveBytes, Math.ceil)} are free on the disk of ${path}: free some, or lower disk_reserve_mb`;

/** Rounds so that free space never reads as more than it is, nor the reserve as less. */
function sizeText(bytes: number, round: (value: number) => number): string {
  if (bytes < 10 * MB) return `${round(bytes / 1024)} KB`;
  if (bytes < 1024 * MB) return `${round(bytes / MB)} MB`;
  return `${(round((bytes / MB / 1024) * 10) / 10).toFixed(1)} GB`;
}
