import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { hasCode } from '../platform/files.ts';
import { readManifest, type Site, sidecarDir, type WorkspaceManifest } from './site.ts';

export interface FoundSite {
  readonly path: string;
  readonly mark?: { readonly id: string; readonly repository: string; readonly isolation: Site['isolation'] } | undefined;
}

/**
 * Every workspace below `root`, `<project>/<n>`, and every other directory there. A mark whose directory is missing is
 * listed too: something was begun, or taken away half-way, and `discard` ends it.
 */
export async function listSites(root: string): Promise<readonly FoundSite[]> {
  const found: FoundSite[] = [];
  for (const project of await directoriesIn(root)) {
    const names = await directoriesIn(join(root, project));
    const marked = names.filter((name) => isBeside(name)).map((name) => name.slice(0, -basename(sidecarDir('')).length));
    for (const name of new Set([...names.filter((one) => !isBeside(one)), ...marked]))
      found.push(await counted(join(root, project, name)));
  }
  return found;
}

const isBeside = (name: string): boolean => name.endsWith(sidecarDir(''));

async function counted(path: string): Promise<FoundSite> {
  const mark: WorkspaceManifest | undefined = await readManifest(path).catch(() => undefined);
  return mark ? { path, mark: { id: mark.id, repository: mark.repository, isolation: mark.isolation } } : { path };
}

async function directoriesIn(path: string): Promise<string[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  }
}
