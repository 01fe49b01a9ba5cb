import type { Instant } from '../values.ts';

/** A file system that runs write to. */
export interface Disk {
  /** A directory on it. */
  readonly path: string;
  readonly freeBytes: number;
  readonly totalBytes: number;
}

/** Less is free than is kept in reserve: nothing new is begun. */
export interface DiskShortage {
  readonly path: string;
  readonly freeBytes: number;
  readonly reserveBytes: number;
}

const MB = 1024 * 1024;
const DEFAULT_MB = 1024;
/** Of a small file system, what nobody has chosen takes no more than this. */
const MOST_OF_DISK = 0.05;

/** When a disk was last seen with so little room that what writes to it fails. */
export interface FullDisk {
  readonly path: string;
  readonly at: Instant;
}

/** Below this a commit, a run directory or what an agent prints may find no room. */
export const FULL_BYTES = 8 * MB;

export const isFull = ({ freeBytes }: DiskShortage): boolean => freeBytes < FULL_BYTES;

/** What is to stay free there: as many megabytes as were asked for, or else 1 GB, but no more than a twentieth of it. */
export const reserveBytesOf = ({ totalBytes }: Pick<Disk, 'totalBytes'>, reserveMb: number | undefined): number =>
  reserveMb === undefined ? Math.min(DEFAULT_MB * MB, Math.floor(totalBytes * MOST_OF_DISK)) : reserveMb * MB;

/** The first of the disks that has less free than its reserve. */
export function shortageOf(disks: readonly Disk[], reserveMb: number | undefined): DiskShortage | undefined {
  const short = disks.find((disk) => disk.freeBytes < reserveBytesOf(disk, reserveMb));
  return short && { path: short.path, freeBytes: short.freeBytes, reserveBytes: reserveBytesOf(short, reserveMb) };
}

export const shortageText = ({ path, freeBytes, reserveBytes }: DiskShortage): string =>
  `disk_full: ${sizeText(freeBytes, Math.floor)} free on the disk of ${path}, new runs wait until ${sizeText(reserveBytes, Math.ceil)} are free: free some, or lower disk_reserve_mb`;

/** The same without what changes from one moment to the next. */
export const waitsForRoom = ({ path, reserveBytes }: DiskShortage): string =>
  `disk_full: it waits until ${sizeText(reserveBytes, Math.ceil)} are free on the disk of ${path}: free some, or lower disk_reserve_mb`;

/** Room is never said to be more than it is, nor what is needed less. */
function sizeText(bytes: number, round: (value: number) => number): string {
  if (bytes < 10 * MB) return `${round(bytes / 1024)} KB`;
  if (bytes < 1024 * MB) return `${round(bytes / MB)} MB`;
  return `${(round((bytes / MB / 1024) * 10) / 10).toFixed(1)} GB`;
}
