import { lstat, readdir } from 'node:fs/promises';
import { answered } from '../git/git.ts';
import type { ScratchGitDir } from '../git/scratch-git-dir.ts';

/** A path that differs between two commits. Names are bytes, kept one to a character. */
export interface Changed {
  readonly path: string;
  readonly oldMode: string;
  readonly newMode: string;
  readonly oldId: string;
  readonly newId: string;
}

const ABSENT = '000000';
export const LINK_TO_REPOSITORY = '160000';

export const isIn = (mode: string): boolean => mode !== ABSENT;

export async function changedPaths(side: ScratchGitDir, from: string, to: string): Promise<Changed[]> {
  const ran = await side.run(['diff-tree', '-r', '-z', '--no-renames', '--no-commit-id', '--no-ext-diff', from, to]);
  const parts = answered(ran, `compare ${from} with ${to}`, 'not_found').toString('latin1').split('\0');
  const changed: Changed[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [oldMode = '', newMode = '', oldId = '', newId = ''] = (parts[at] ?? '').slice(1).split(' ');
    changed.push({ path: parts[at + 1] ?? '', oldMode, newMode, oldId, newId });
  }
  return changed;
}

export const onDisk = (workTree: string, path: string): Buffer =>
  Buffer.concat([Buffer.from(`${workTree}/`), Buffer.from(path, 'latin1')]);

/** As a person reads it. */
export const readable = (path: string): string => Buffer.from(path, 'latin1').toString('utf8');

/** Files git does not know, ignored ones too, that stand where a commit would put something. */
export async function inTheWay(workTree: string, changed: readonly Changed[]): Promise<string[]> {
  const goes = new Set(changed.filter(({ newMode }) => !isIn(newMode)).map(({ path }) => path));
  const found = new Set<string>();
  for (const { path, oldMode } of changed) {
    if (!isIn(oldMode)) for (const file of await standing(workTree, path, goes)) found.add(file);
  }
  return [...found];
}

async function standing(workTree: string, path: string, goes: ReadonlySet<string>): Promise<string[]> {
  const parts = path.split('/');
  for (let depth = 1; depth < parts.length; depth += 1) {
    const above = parts.slice(0, depth).join('/');
    const seen = await lstat(onDisk(workTree, above)).catch(() => undefined);
    if (seen === undefined) return [];
    if (!seen.isDirectory()) return goes.has(above) ? [] : [above];
  }
  const seen = await lstat(onDisk(workTree, path)).catch(() => undefined);
  if (seen === undefined) return [];
  if (!seen.isDirectory()) return [path];
  return (await filesBelow(workTree, path)).filter((file) => !goes.has(file));
}

export async function filesBelow(workTree: string, path: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(onDisk(workTree, path), { withFileTypes: true, encoding: 'buffer' })) {
    const below = `${path}/${entry.name.toString('latin1')}`;
    if (entry.isDirectory()) found.push(...(await filesBelow(workTree, below)));
    else found.push(below);
  }
  return found;
}
