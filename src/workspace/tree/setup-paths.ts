import { createHash, type Hash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { trustOf } from '../../domain/work/trust.ts';
import { exists } from '../../platform/files.ts';
import { outputIn } from '../git/in-repository.ts';
import { ownIndex, readManifest, realSite, repositorySeat, type Site } from '../site.ts';
import { breakLinksOut } from './links-out.ts';
import { isOwn, othersIn } from './put-back.ts';
import { removeTree } from './remove-tree.ts';

/**
 * What the set-up has made: everything that is neither of the commit nor copied in by us, directories as a whole. Before
 * agents come that are trusted less than the user's own, hard links out of the tree are broken.
 */
export async function madeBySetup(
  asked: Site,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly paths: readonly string[]; readonly fingerprint: string }> {
  const site = await realSite(asked);
  if ((site.trust ?? trustOf(site)) !== 'own') await breakLinksOut(site);
  const repository = await repositorySeat(site.repository);
  const copied = new Set((await readManifest(site.path))?.copied);
  const names = (await othersIn({ site, repository, env })).map((name) => Buffer.from(name, 'latin1').toString('utf8'));
  const paths = names.filter((name) => !copied.has(name)).sort();
  return { paths, fingerprint: await fingerprintOf(site, paths) };
}

/**
 * Takes away what a set-up made, out of a tree in which nobody works. Where a commit has files in the same place these go with
 * it, and our index, which says that they are there: everything is written again then.
 */
export async function dropSetup(asked: Site, paths: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  if (!(await exists(asked.path))) return;
  const site = await realSite(asked);
  const there: string[] = [];
  for (const path of paths) if ((await isOwn(site, path)) && (await look(join(site.path, path)))) there.push(path);
  if (there.length === 0) return;
  if (await isTracked(site, there, env)) await rm(ownIndex(site), { force: true });
  for (const path of there) await removeTree(join(site.path, path));
}

const PATHS_AT_ONCE = 500;

async function isTracked(site: Site, paths: readonly string[], env: NodeJS.ProcessEnv): Promise<boolean> {
  const seat = { ...(await repositorySeat(site.repository)), workTree: site.path };
  for (let at = 0; at < paths.length; at += PATHS_AT_ONCE) {
    const args = ['--literal-pathspecs', 'ls-files', '-z', '--', ...paths.slice(at, at + PATHS_AT_ONCE)];
    if ((await outputIn(seat, args, env, { mode: 'closed', index: ownIndex(site) })).length > 0) return true;
  }
  return false;
}

/** Name, kind, size, time of change and inode of everything inside. Nobody can change a file and keep its time of change. */
export async function fingerprintOf(site: Site, paths: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const path of [...paths].sort()) await take(hash, join(site.path, path), path);
  return hash.digest('hex');
}

const AT_ONCE = 64;

async function take(hash: Hash, file: string, name: string): Promise<void> {
  const found = await look(file);
  note(hash, name, found);
  if (found?.isDirectory()) await takeContent(hash, file, name);
}

async function takeContent(hash: Hash, directory: string, name: string): Promise<void> {
  const names = (await readdir(directory).catch((): string[] => [])).sort();
  for (let at = 0; at < names.length; at += AT_ONCE) {
    const some = names.slice(at, at + AT_ONCE);
    const stats = await Promise.all(some.map((one) => look(join(directory, one))));
    for (const [n, one] of some.entries()) {
      note(hash, `${name}/${one}`, stats[n]);
      if (stats[n]?.isDirectory()) await takeContent(hash, join(directory, one), `${name}/${one}`);
    }
  }
}

const look = (file: string): Promise<BigIntStats | undefined> => lstat(file, { bigint: true }).catch(() => undefined);

function note(hash: Hash, name: string, found: BigIntStats | undefined): void {
  const facts = found ? [found.mode, found.isDirectory() ? 0 : found.size, found.ctimeNs, found.ino].join(' ') : 'missing';
  hash.update(`${name}\0${facts}\0`);
}
