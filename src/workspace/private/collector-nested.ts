import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '../history/names.ts';
import type { CollectorGit } from './collector-git.ts';
import { found, updateIndex } from './collector-tree.ts';

/** A name as text, if it is text. */
const textOf = (name: string): string | undefined => {
  const bytes = Buffer.from(name, 'latin1');
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? text : undefined;
};

/**
 * A repository inside of the tree that git does not know: as a link to a commit nobody else has it would be lost with the
 * tree. So its files are taken as what they are; only its own `.git` cannot be.
 */
export function nestedFiles(git: CollectorGit, directory: string): string[] {
  const { tree, scratch } = git.wish;
  const path = textOf(directory.slice(0, -1));
  if (path === undefined || isEmpty(join(tree, path))) return [];
  const top = join(tree, path);
  const at = { workTree: top, index: join(scratch, `none-${randomUUID()}`), cwd: top };
  const inner = git.tryHere(['ls-files', '-z', '--others', '--exclude-standard'], { at });
  return namesIn(inner ?? Buffer.alloc(0)).flatMap((name) =>
    name.endsWith('/') ? nestedFiles(git, `${directory}${name}`) : [`${directory}${name}`],
  );
}

function isEmpty(path: string): boolean {
  try {
    return readdirSync(path).length === 0;
  } catch {
    return true;
  }
}

/** A submodule in an index. */
export interface SubmoduleLink {
  readonly commit: string;
  readonly name: string;
}

/** Submodules that hold something new are no links to a commit any more, but files. */
export function flatten(git: CollectorGit, links: readonly SubmoduleLink[]): void {
  const changed = links.filter((one) => found(git, `${one.name}/.git`) && isChanged(git, one)).map(({ name }) => name);
  if (changed.length > 0) updateIndex(git, ['--force-remove'], changed);
}

/** Looked at with an index and settings of our own, so that none of the submodule's counts. */
function isChanged(git: CollectorGit, { commit, name }: SubmoduleLink): boolean {
  const { wish } = git;
  const path = textOf(name);
  if (path === undefined) return true;
  const cwd = join(wish.tree, path);
  const ask = (args: readonly string[]) =>
    git.tryHere(args, { at: { gitDir: join(cwd, '.git'), workTree: cwd, index: undefined, cwd }, timeoutMs: wish.limits.lookMs });
  if (ask(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'])?.toString('utf8').trim() !== commit) return true;
  const objects = ask(['rev-parse', '--path-format=absolute', '--git-path', 'objects'])?.toString('utf8').trim();
  if (objects === undefined) return true;
  const at = { gitDir: ownDirectory(git, objects), workTree: cwd, index: join(wish.scratch, `sub-${randomUUID()}`), cwd };
  if (git.tryHere(['read-tree', commit], { at }) === undefined) return true;
  git.tryHere(['update-index', '-q', '--refresh'], { at });
  const differs = git.tryHere(['diff-files', '--quiet', '--ignore-submodules=all'], { at }) === undefined;
  const others = git.tryHere(['ls-files', '-z', '--others', '--exclude-standard'], { at });
  return differs || others === undefined || others.length > 0;
}

function ownDirectory({ wish }: CollectorGit, objects: string): string {
  const place = join(wish.scratch, `git-${randomUUID()}`);
  for (const part of ['objects/info', 'refs/heads']) mkdirSync(join(place, part), { recursive: true });
  writeFileSync(join(place, 'HEAD'), 'ref: refs/heads/none\n');
  writeFileSync(join(place, 'config'), '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n');
  writeFileSync(join(place, 'objects/info/alternates'), `${objects}\n`);
  return place;
}
