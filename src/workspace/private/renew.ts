import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory } from '../../platform/files.ts';
import type { SiteRepository } from '../announce.ts';
import { ownIndex, sidecarDir } from '../site.ts';
import { moveWhole } from '../tree/move-whole.ts';
import { inside, openDirectory, removeTree } from '../tree/remove-tree.ts';
import { checkOutPrivate } from './place-clone.ts';

/**
 * The tree of a private clone, empty but for the files of a commit and what is to stay of the set-up. No git looks at what
 * an agent left there: it is taken away as a whole, and all files are written anew.
 */
export async function emptyAndCheckOut(ground: SiteRepository, commit: string, stay: readonly string[]): Promise<void> {
  const { site } = ground;
  const gone = join(sidecarDir(site.path), `gone-${randomUUID()}`);
  await mkdir(gone);
  await emptied({ path: site.path, below: '', gone, stay });
  await rm(ownIndex(site), { force: true });
  await makeDirectory(site.path);
  await checkOutPrivate(ground, commit);
  await removeTree(gone);
}

interface Emptying {
  readonly path: string;
  readonly below: string;
  /** Where everything goes that does not stay. */
  readonly gone: string;
  readonly stay: readonly string[];
}

const FRESH_MODE = 0o777;

/** Each directory on the way to what stays is opened as itself: nothing behind a link is touched. */
async function emptied({ path, below, gone, stay }: Emptying): Promise<void> {
  const directory = await openDirectory(path).catch(() => undefined);
  if (directory === undefined) {
    // Not there, or something else in its place.
    await moveWhole(path, join(gone, randomUUID()));
    return;
  }
  try {
    await directory.chmod(FRESH_MODE & ~process.umask());
    const names = await readdir(inside(directory, path, '.'), { encoding: 'buffer' });
    for (const name of names) {
      const inner = `${below}${name.toString('utf8')}`;
      if (stay.includes(inner)) continue;
      if (stay.some((kept) => kept.startsWith(`${inner}/`)))
        await emptied({ path: inside(directory, path, name.toString('utf8')), below: `${inner}/`, gone, stay });
      else await moveWhole(Buffer.concat([Buffer.from(inside(directory, path, '')), name]), join(gone, randomUUID()));
    }
  } finally {
    await directory.close();
  }
}
