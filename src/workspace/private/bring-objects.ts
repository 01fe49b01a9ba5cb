import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { LIMITS } from '../../domain/limits.ts';
import { writeFileAtomic } from '../../platform/files.ts';
import type { SiteRepository } from '../announce.ts';
import { gitIn } from '../git/in-repository.ts';
import { limitedGit } from '../git/limited-git.ts';
import { lentGitDir } from '../git/scratch-git-dir.ts';
import { signalHere } from '../locks/within.ts';
import { linkFile, linkPacks } from './history.ts';
import { privatePlaces } from './places.ts';

/** Names of packs that the project was given, one file each. */
const GIVEN = 'given';

/**
 * The project gets what was taken in from a site so that `tips` are whole in it. It was checked, and needs nothing the project
 * does not have. Each pack is given once: a small one as single objects, as git does with what it fetches, since a task of a
 * hundred turns would leave hundreds of packs, each of which every git of the user opens.
 */
export async function bringObjects(ground: SiteRepository, base: string | undefined, tips: readonly string[]): Promise<void> {
  const { site, repository } = ground;
  const { store, history } = privatePlaces(site);
  const [packs, to] = [join(store, 'objects', 'pack'), join(repository.commonDir, 'objects')];
  const names = (await readdir(packs)).filter((name) => name.endsWith('.idx')).map((name) => name.slice(0, -4));
  const given = new Set(await readdir(join(store, GIVEN)).catch(() => []));
  await mkdir(join(store, GIVEN), { recursive: true });
  for (const name of names.filter((one) => !given.has(one))) {
    if (!(await unpacked(ground, join(packs, `${name}.pack`)))) await linkPacks(packs, [name], join(to, 'pack'));
    await writeFileAtomic(join(store, GIVEN, name), '');
  }
  for (const part of (await readdir(history)).filter((name) => /^[0-9a-f]{2}$/.test(name))) {
    await mkdir(join(to, part), { recursive: true });
    for (const name of await readdir(join(history, part)))
      if (/^[0-9a-f]{38,62}$/.test(name)) await linkFile(join(history, part, name), join(to, part, name));
  }
  // The user may have removed meanwhile what no branch of the project held any more.
  if (given.size > 0 && !(await isWhole(ground, base, tips))) await linkPacks(packs, names, join(to, 'pack'));
}

/** False where it is too large for that, or it does not succeed: then nothing is lost. */
async function unpacked({ repository, env }: SiteRepository, pack: string): Promise<boolean> {
  if ((await stat(pack)).size > LIMITS.unpackedBytes.value || (await objectsIn(pack)) > LIMITS.unpackedObjects.value)
    return false;
  await using lent = await lentGitDir(repository, 'history', env);
  const input = createReadStream(pack);
  const signal = signalHere() ?? new AbortController().signal;
  const { code } = await limitedGit(lent.entry({}), ['unpack-objects', '-q'], env, { input, signal });
  return code === 0;
}

/** The head of a pack: `PACK`, its version, and how many objects are in it. */
async function objectsIn(pack: string): Promise<number> {
  await using file = await open(pack);
  const { buffer } = await file.read(Buffer.alloc(12), 0, 12, 0);
  return buffer.readUInt32BE(8);
}

async function isWhole({ repository, env }: SiteRepository, base: string | undefined, tips: readonly string[]): Promise<boolean> {
  const input = [...tips, ...(base === undefined ? [] : [`^${base}`])].map((line) => `${line}\n`).join('');
  const end = await gitIn(repository, ['rev-list', '--objects', '--quiet', '--stdin'], env, {
    mode: 'closed',
    input,
    timeoutMs: 0,
  });
  return end.code === 0;
}
