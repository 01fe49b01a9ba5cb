import { createHash, type Hash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { othersIn } from './put-back.ts';
import { readMark, realSite, repositorySeat, type Site } from './site.ts';

/** What the set-up has made: everything that is neither of the commit nor copied in by us, directories as a whole. */
export async function madeBySetup(
  asked: Site,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly paths: readonly string[]; readonly fingerprint: string }> {
  const site = await realSite(asked);
  const repository = await repositorySeat(site.repository);
  const copied = new Set((await readMark(site.path))?.copied);
  const names = (await othersIn({ site, repository, env })).map((name) => Buffer.from(name, 'latin1').toString('utf8'));
  const paths = names.filter((name) => !copied.has(name)).sort();
  return { paths, fingerprint: await fingerprintOf(site, paths) };
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
