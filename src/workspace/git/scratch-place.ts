import { mkdtempSync, rmSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../domain/fault.ts';
import { hasCode } from '../../platform/files.ts';
import { identityOf, ownIdentity } from '../../platform/process-identity.ts';

const PREFIX = 'fleet-git-';
const mine = new Set<string>();

/** An empty directory that names the process it goes with. */
export async function scratchPlace(place: string, kind: 'shared' | 'own'): Promise<string> {
  await sweep(place);
  try {
    const path = mkdtempSync(join(place, `${PREFIX}${process.pid}-${(await ownIdentity()).started}-${kind}-`));
    watchExit();
    mine.add(path);
    return path;
  } catch (error) {
    if (hasCode(error, 'EACCES', 'EROFS', 'ENOSPC', 'ENOTDIR', 'EPERM', 'ENOENT'))
      throw new Fault('unavailable', `cannot write in ${place}: ${(error as Error).message}`, { path: place }, { cause: error });
    throw error;
  }
}

/** Another one beside it. */
export async function scratchBeside(path: string): Promise<string> {
  const room = await mkdtemp(`${path}-room-`);
  mine.add(room);
  return room;
}

export async function removeScratch(path: string): Promise<void> {
  mine.delete(path);
  await rm(path, { recursive: true, force: true });
}

let isWatching = false;

function watchExit(): void {
  if (isWatching) return;
  isWatching = true;
  process.once('exit', removeAll);
}

/** What is shared stays until this process ends. After a kill -9 the next one takes it away. */
function removeAll(): void {
  for (const path of mine) rmSync(path, { recursive: true, force: true });
}

const swept = new Set<string>();

/** Those of processes that died in the middle; looked for once in the life of each process. */
async function sweep(place: string): Promise<void> {
  if (swept.has(place)) return;
  swept.add(place);
  for (const name of await readdir(place).catch(() => [])) {
    const [, pid, started] = /^fleet-git-(\d+)-(\w+)-/.exec(name) ?? [];
    if (pid === undefined || (await identityOf(Number(pid)))?.started === started) continue;
    await rm(join(place, name), { recursive: true, force: true }).catch(() => undefined);
  }
}
