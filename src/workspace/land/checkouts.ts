import { readdir, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { exists } from '../../platform/files.ts';
import { ask } from '../git/in-repository.ts';
import { type Setting, valueOf } from '../git/repository-settings.ts';
import { firstLine } from '../git-directory.ts';
import type { Checkout } from './checkout.ts';

export interface Checkouts {
  readonly holding: readonly Checkout[];
  /** Something under way that will want to find the branch where it left it. */
  readonly busy?: { readonly where: string; readonly why: string } | undefined;
}

/** Where `ref` is checked out, and what is under way with it anywhere: what `git worktree list` says, without a process. */
export async function checkoutsOf(
  common: string,
  ref: string,
  settings: Promise<readonly Setting[]> | readonly Setting[],
): Promise<Checkouts> {
  const look = async ({ own, path, isMain }: Entry) => {
    const holds = (await branchOf(own, common)) === ref;
    const why = await underWay(own, { ref, holds });
    const away = holds && !(await stat(path).catch(() => undefined))?.isDirectory();
    const isGone = away && !isMain && !(await exists(join(own, 'locked')));
    return { path, why, holding: holds && !isGone ? [{ path, directory: { gitDir: own, commonDir: common }, away }] : [] };
  };
  const seen = await Promise.all((await entriesOf(common, settings)).map(look));
  const busy = seen.find(({ why }) => why !== undefined);
  return {
    holding: seen.flatMap(({ holding }) => holding),
    busy: busy?.why === undefined ? undefined : { where: busy.path, why: busy.why },
  };
}

interface Entry {
  readonly own: string;
  readonly path: string;
  readonly isMain: boolean;
}

async function entriesOf(common: string, asked: Promise<readonly Setting[]> | readonly Setting[]): Promise<Entry[]> {
  const linked = [...(await ownDirectories(common))].map(([path, own]) => ({ own, path, isMain: false }));
  const main = await mainPath(common, await asked);
  return main === undefined ? linked : [{ own: common, path: main, isMain: true }, ...linked];
}

/** A bare repository has no checkout of its own. A setting may have put it elsewhere, as in a submodule. */
async function mainPath(common: string, settings: readonly Setting[]): Promise<string | undefined> {
  const real = await realpath(common);
  const isBeside = basename(real) === '.git';
  const set = valueOf(settings, 'core.worktree');
  const bare = valueOf(settings, 'core.bare');
  if (isTrue(bare ?? String(!isBeside && set === undefined))) return undefined;
  return isBeside && (await exists(join(dirname(real), '.git'))) ? dirname(real) : resolve(real, set ?? (isBeside ? '..' : '.'));
}

const isTrue = (value: string): boolean => /^(true|yes|on|[1-9]\d*)$/i.test(value);

const MAX_LINKS = 5;

/** The branch that is checked out, also where HEAD names one that stands for another. */
async function branchOf(own: string, common: string): Promise<string | undefined> {
  let name = await namedBy(join(own, 'HEAD'));
  for (let link = 0; name !== undefined && link < MAX_LINKS; link += 1) {
    const next = await namedBy(join(common, name));
    if (next === undefined) return name;
    name = next;
  }
  return name;
}

/** Long ago HEAD was a link in the file system, and git still reads that. */
async function namedBy(file: string): Promise<string | undefined> {
  const link = await readlink(file).catch(() => undefined);
  return link?.startsWith('refs/') ? link : /^ref: *(.+)$/.exec((await firstLine(file)) ?? '')?.[1];
}

/** Path of a linked checkout to its part of the git directory. */
export async function ownDirectories(common: string): Promise<Map<string, string>> {
  const names = await readdir(join(common, 'worktrees')).catch(() => []);
  const found = await Promise.all(
    names.map(async (name): Promise<[string, string][]> => {
      const own = join(common, 'worktrees', name);
      const pointer = await firstLine(join(own, 'gitdir'));
      return pointer === undefined ? [] : [[dirname(resolve(own, pointer)), own]];
    }),
  );
  return new Map(found.flat());
}

const STATES: readonly (readonly [string, string])[] = [
  ['MERGE_HEAD', 'a merge is under way'],
  ['CHERRY_PICK_HEAD', 'a cherry-pick is under way'],
  ['REVERT_HEAD', 'a revert is under way'],
  ['sequencer', 'a series of cherry-picks or reverts is under way'],
  ['rebase-merge', 'a rebase is under way'],
  ['rebase-apply', 'a rebase, or applying patches, is under way'],
  ['BISECT_LOG', 'a bisection is under way'],
];

/** A rebase detaches HEAD and remembers the branch it came from; so does a bisection. */
async function underWay(own: string, { ref, holds }: { ref: string; holds: boolean }): Promise<string | undefined> {
  const branch = ref.replace(/^refs\/heads\//, '');
  const there = new Set(await readdir(own));
  for (const [name, why] of STATES) {
    if (!there.has(name)) continue;
    if (holds || (await firstLine(join(own, name, 'head-name'))) === ref) return why;
    if (name === 'BISECT_LOG' && (await firstLine(join(own, 'BISECT_START'))) === branch) return why;
  }
  return undefined;
}

/** What a reftable repository writes into the file HEAD, for those who would read it. */
const ELSEWHERE = 'ref: refs/heads/.invalid';

/** The ref a checkout is on now, as far as its HEAD itself says. */
export async function headOf({ path, directory }: Checkout, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const text = await firstLine(join(directory.gitDir, 'HEAD'));
  if (text === ELSEWHERE) return (await ask(path, ['symbolic-ref', '--quiet', 'HEAD'], env)).out;
  return /^ref: (.+)$/.exec(text ?? '')?.[1];
}

/** A quick look at every HEAD; where it cannot be seen so, yes. */
export async function isCheckedOut(common: string, ref: string): Promise<boolean> {
  const names = await readdir(join(common, 'worktrees')).catch(() => []);
  const heads = await Promise.all(
    [common, ...names.map((name) => join(common, 'worktrees', name))].map((own) => firstLine(join(own, 'HEAD'))),
  );
  return heads.some((head) => head === `ref: ${ref}` || head === ELSEWHERE);
}
