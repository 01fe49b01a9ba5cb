import { lstatSync, type Stats } from 'node:fs';
import type { CollectorGit } from './collector-git.ts';

export const updateIndex = (git: CollectorGit, flags: readonly string[], names: readonly string[]): void =>
  void git.here(['update-index', ...flags, '-z', '--stdin'], { input: listing(names) });

export const listing = (names: readonly string[]): Buffer => Buffer.from(`${names.join('\0')}\0`, 'latin1');

export const pathIn = (tree: string, name: string): Buffer =>
  Buffer.concat([Buffer.from(`${tree}/`), Buffer.from(name, 'latin1')]);

export function factsOf(tree: string, name: string): Stats | undefined {
  try {
    return lstatSync(pathIn(tree, name), { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

export const found = ({ wish }: CollectorGit, name: string): boolean => factsOf(wish.tree, name) !== undefined;
