import { type Disk, FULL_BYTES, reserveBytesOf, shortageOf, shortageText } from '../domain/hold/disk-room.ts';
import type { Finding } from '../surfaces/cli/views/executor/doctor.ts';
import { disksOf } from './disk-room.ts';
import type { HomePaths } from './home.ts';

const MB = 1024 * 1024;

/** How much room the file systems have on which the home and the workspaces are, or would be. */
export async function diskFindings({ path, runs, workspaces }: HomePaths, reserveMb: number | undefined): Promise<Finding[]> {
  const disks = await disksOf([path, runs, workspaces]);
  if (disks.length === 0) return [{ name: 'disk', path, needed: false, state: 'off', detail: 'its room cannot be told' }];
  return disks.map((disk) => diskFinding(disk, reserveMb));
}

function diskFinding(disk: Disk, reserveMb: number | undefined): Finding {
  const { path, freeBytes } = disk;
  const seen = { name: 'disk', path };
  const detail = `${Math.floor(freeBytes / MB)} MB free`;
  const repair = `free some space: du -xh --max-depth=2 ${path} | sort -h | tail; fleet db prune; fleet workspace prune`;
  if (freeBytes < FULL_BYTES) return { ...seen, needed: true, state: 'broken', detail: `${detail}: the disk is full`, repair };
  const short = shortageOf([disk], reserveMb);
  if (short) return { ...seen, needed: false, state: 'broken', detail: shortageText(short), repair };
  return {
    ...seen,
    needed: false,
    state: 'ok',
    detail: `${detail}, ${Math.ceil(reserveBytesOf(disk, reserveMb) / MB)} MB kept in reserve`,
  };
}
