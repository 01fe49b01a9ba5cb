import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeFileAtomic } from '../../platform/files.ts';
import { readRegular } from '../../platform/read-safely.ts';
import { isId } from '../land/target.ts';
import type { Site } from '../site.ts';
import { privatePlaces } from './places.ts';

/** In Fleet's own store: where the branch of the task stands by what was taken in last. */
export const WORK = 'refs/fleet/work';
/** In Fleet's own store: the last snapshot that was taken in. */
export const SNAP = 'refs/fleet/snap';

/** A ref of Fleet's own store, as a file: nobody else writes there. */
export async function readRef(site: Site, name: string): Promise<string | undefined> {
  const read = await readRegular(join(privatePlaces(site).store, name), 1_024);
  const id = 'bytes' in read ? read.bytes.toString('utf8').trim() : '';
  return isId(id) ? id : undefined;
}

export async function writeRef(site: Site, name: string, commit: string): Promise<void> {
  const file = join(privatePlaces(site).store, name);
  await mkdir(dirname(file), { recursive: true });
  await writeFileAtomic(file, `${commit}\n`);
}
