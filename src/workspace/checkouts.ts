import { readdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Fault } from '../domain/fault.ts';
import { exists } from '../platform/files.ts';
import { git } from './git.ts';
import { firstLine, type GitDirectory } from './git-directory.ts';
import { settingsOf, valueOf } from './settings.ts';
import { noGit } from './target.ts';

/** A working tree in which a branch is checked out, of the user or of ours. */
export interface Checkout {
  readonly path: string;
  readonly directory: GitDirectory;
  /** Git knows of it, but its files cannot be seen from here. */
  readonly away: boolean;
}

/** A repository as the project names it: a checkout, a linked one, or a bare repository. */
export interface Project extends GitDirectory {
  readonly repository: string;
}

export interface Checkouts {
  readonly holding: readonly Checkout[];
  /** Something under way that will want to find the branch where it left it. */
  readonly busy?: { readonly where: string; readonly why: string } | undefined;
}

/** Where `ref` is checked out, and what is under way with it anywhere. */
export async function checkoutsOf(directory: Project, ref: string, env: NodeJS.ProcessEnv): Promise<Checkouts> {
  const listed = await git(directory.repository, ['worktree', 'list', '--porcelain', '-z'], env);
  if (listed.missing) throw noGit();
  if (!listed.ok) throw new Fault('unavailable', `git could not list the checkouts: ${listed.err.slice(0, 300)}`);
  const owns = await ownDirectories(directory.common);
  const holding: Checkout[] = [];
  let busy: Checkouts['busy'];
  for (const [number, entry] of readEntries(listed.out).entries()) {
    const own = number === 0 ? directory.common : owns.get(entry.path);
    if (own === undefined || entry.isBare) continue;
    const path = number === 0 ? await mainPath(entry.path, directory, env) : entry.path;
    const why = await underWay(own, { ref, holds: entry.branch === ref });
    if (why !== undefined) busy ??= { where: path, why };
    if (entry.branch !== ref) continue;
    const away = !(await stat(path).catch(() => undefined))?.isDirectory();
    if (away && !entry.isLocked && number > 0) continue;
    holding.push({ path, directory: { own, common: directory.common }, away });
  }
  return { holding, busy };
}

function readEntries(out: string) {
  return out
    .split('\0\0')
    .map((entry) => entry.split('\0'))
    .filter((lines) => lines.some((line) => line.startsWith('worktree ')))
    .map((lines) => {
      const value = (name: string) => lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1);
      return {
        path: value('worktree') ?? '',
        branch: value('branch'),
        isBare: lines.includes('bare'),
        isLocked: lines.some((line) => /^locked\b/.test(line)),
      };
    });
}

/** Path of a linked checkout to its part of the git directory. */
export async function ownDirectories(common: string): Promise<Map<string, string>> {
  const owns = new Map<string, string>();
  for (const name of await readdir(join(common, 'worktrees')).catch(() => [])) {
    const own = join(common, 'worktrees', name);
    const pointer = await firstLine(join(own, 'gitdir'));
    if (pointer !== undefined) owns.set(dirname(resolve(own, pointer)), own);
  }
  return owns;
}

/** Git lists the main checkout beside its git directory, even where a setting has put it elsewhere, as in a submodule. */
async function mainPath(listed: string, { repository, common }: Project, env: NodeJS.ProcessEnv): Promise<string> {
  if (await exists(join(listed, '.git'))) return listed;
  const set = valueOf(await settingsOf(repository, env), 'core.worktree');
  return set === undefined ? listed : resolve(common, set);
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
  for (const [name, why] of STATES) {
    if (!(await exists(join(own, name)))) continue;
    if (holds || (await firstLine(join(own, name, 'head-name'))) === ref) return why;
    if (name === 'BISECT_LOG' && (await firstLine(join(own, 'BISECT_START'))) === branch) return why;
  }
  return undefined;
}

/** What a reftable repository writes into the file HEAD, for those who would read it. */
const ELSEWHERE = 'ref: refs/heads/.invalid';

/** The ref a checkout is on now, as far as its HEAD itself says. */
export async function headOf({ path, directory }: Checkout, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const text = await firstLine(join(directory.own, 'HEAD'));
  if (text === ELSEWHERE) return (await git(path, ['symbolic-ref', '--quiet', 'HEAD'], env)).out;
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
