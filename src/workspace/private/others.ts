import { readdir } from 'node:fs/promises';
import type { SiteRepository } from '../announce.ts';
import { answered, git } from '../git/git.ts';
import { fleetsOwn } from '../git/location.ts';
import { namesIn } from '../history/names.ts';
import { ownIndex, type Site } from '../site.ts';
import { privatePlaces } from './places.ts';

const LISTING_BYTES = 1024 * 1024 * 1024;

/**
 * Every file and directory of a private clone that is not in our index, a directory as one entry. Only names are looked at,
 * and no git is: somebody else's commands have been in there. As bytes, one character each.
 */
export async function othersInPrivate({ site, env }: SiteRepository): Promise<readonly string[]> {
  const place = fleetsOwn({ gitDir: privatePlaces(site).store, index: ownIndex(site) });
  const listed = await git(place, ['ls-files', '-z'], env, { mode: 'closed', maxBytes: LISTING_BYTES, timeoutMs: 0 });
  const known = knownNames(namesIn(answered(listed, `list what is checked out in ${site.path}`)));
  const found: string[] = [];
  await look('');
  return found;

  async function look(directory: string): Promise<void> {
    const entries = await readdir(pathOf(site, directory), { withFileTypes: true, encoding: 'buffer' }).catch(() => []);
    for (const entry of entries) {
      const name = `${directory}${entry.name.toString('latin1')}`;
      if (name === '.git') continue;
      const kind = known.get(name);
      if (kind === 'directory' && entry.isDirectory()) await look(`${name}/`);
      else if (kind === undefined || (kind === 'directory') !== entry.isDirectory()) found.push(name);
    }
  }
}

function knownNames(files: readonly string[]): ReadonlyMap<string, 'file' | 'directory'> {
  const known = new Map<string, 'file' | 'directory'>();
  for (const file of files) {
    known.set(file, 'file');
    for (let end = file.lastIndexOf('/'); end > 0; end = file.lastIndexOf('/', end - 1))
      known.set(file.slice(0, end), 'directory');
  }
  return known;
}

const pathOf = (site: Site, name: string): Buffer => Buffer.concat([Buffer.from(`${site.path}/`), Buffer.from(name, 'latin1')]);
