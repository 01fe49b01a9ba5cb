import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../../platform/files.ts';
import { ownIdentity } from '../../platform/process-identity.ts';
import { copyIndex } from '../entry.ts';
import { answered, gitFault } from '../git/git.ts';
import { checkoutSettings, foreignFilters, type Setting, settingsOf } from '../git/repository-settings.ts';
import { ownGitDir, type ScratchGitDir } from '../git/scratch-git-dir.ts';
import type { Move } from '../locks/index-lock.ts';
import type { Checkout } from './checkout.ts';
import { type Changed, inTheWay, LINK_TO_REPOSITORY, readable } from './tree-moves.ts';

type Obstacle = { readonly state: 'dirty'; readonly files: readonly string[] } | { readonly state: 'busy'; readonly why: string };

/** Git over the files of a checkout, and what the user has set for it. */
export type Over = ScratchGitDir & { readonly settings: readonly Setting[] };

const MAX_FILES = 200;

/** Git over the files of a checkout with a copy of its index; the index itself is not touched. */
export async function over(checkout: Checkout, head: string, env: NodeJS.ProcessEnv, known?: readonly Setting[]): Promise<Over> {
  const settings = known ?? (await settingsOf(checkout.path, env));
  const side = await ownGitDir(
    checkout.directory,
    { settings: [...checkoutSettings(settings), ...ALWAYS], withLayout: true, head },
    env,
  );
  const { gitDir: own } = checkout.directory;
  const shared = (await readdir(own)).filter((name) => name.startsWith('sharedindex.'));
  for (const name of ['index', ...shared]) {
    await copyIndex(join(own, name), join(side.path, name)).catch((error: unknown) => {
      if (!hasCode(error, 'ENOENT')) throw error;
    });
  }
  return { ...side, settings };
}

/** The index we publish stands alone, whatever shape the user's had. */
const ALWAYS = [
  { key: 'core.splitindex', value: 'false' },
  { key: 'core.bare', value: 'false' },
];

/** Why the files of a checkout may not be moved: something in it is not committed, or a program would be needed. */
export async function obstacleTo(
  side: Over,
  { path }: Checkout,
  moving: Promise<readonly Changed[]>,
): Promise<Obstacle | undefined> {
  const [dirty, changed] = await Promise.all([dirtyFiles(side, path), moving]);
  if (dirty.length > 0) return { state: 'dirty', files: dirty };
  const hidden = await inTheWay(path, changed);
  if (hidden.length > 0) return { state: 'dirty', files: hidden.slice(0, MAX_FILES).map(readable) };
  const why = await foreignFilter(side, path, changed);
  return why === undefined ? undefined : { state: 'busy', why };
}

/**
 * Moves the files of a checkout from one commit to the other, and the copy of its index. A file that was edited since we
 * looked makes git refuse before it touches any. Answers what git said, if it did not come to the end.
 */
export async function moveFiles(side: Over, { path }: Checkout, { to }: Move): Promise<string | undefined> {
  // Unlike `read-tree`, `checkout` keeps what the index knows of whole trees, and so opens only the trees that differ.
  const args = ['checkout', '--quiet', '--detach', '--no-overwrite-ignore', to, '--'];
  const ran = await side.run(args, { mode: 'user', workTree: path, timeoutMs: CHECKOUT_MS });
  if (ran.stopped) throw gitFault(ran, `move the files of ${path}`);
  return ran.code === 0 ? undefined : ran.err;
}

const CHECKOUT_MS = 600_000;

/** Lays our index beside the one of the checkout; what it answers puts it in place. */
export async function readyIndex(side: ScratchGitDir, { directory }: Checkout): Promise<() => Promise<void>> {
  const index = join(directory.gitDir, 'index');
  const { pid, started } = await ownIdentity();
  const temporary = `${index}.fleet-${pid}-${started}`;
  await copyIndex(join(side.path, 'index'), temporary);
  // By rename: whoever reads the index sees the one or the other.
  return () => rename(temporary, index);
}

/**
 * Tracked files that differ from the commit, staged or not. Nested repositories are looked at no further than which
 * commit they are at, because git would run inside of them with their own settings; being at another one is how git
 * itself leaves them when a branch moves.
 */
export async function dirtyFiles(side: ScratchGitDir, workTree: string): Promise<string[]> {
  const args = ['status', '--porcelain=v2', '-z', '--untracked-files=no', '--no-renames', '--ignore-submodules=dirty'];
  const ran = await side.run(args, { mode: 'user', workTree, timeoutMs: CHECKOUT_MS });
  answered(ran, `look at ${workTree}`);
  const files: string[] = [];
  for (const line of ran.out.toString('latin1').split('\0')) {
    const [, staged, nested = '', path] = /^1 (.). (\S{4}) (?:\S+ ){5}(.*)$/s.exec(line) ?? [];
    const unmerged = /^u .. \S{4} (?:\S+ ){7}(.*)$/s.exec(line)?.[1];
    const dirty = nested.startsWith('S') && staged === '.' ? undefined : (path ?? unmerged);
    if (dirty !== undefined) files.push(readable(dirty));
  }
  return files.slice(0, MAX_FILES);
}

/** A file whose filter we do not run would be written as it is stored, not as the user has it. */
async function foreignFilter(
  side: ScratchGitDir & { readonly settings: readonly Setting[] },
  workTree: string,
  changed: readonly Changed[],
): Promise<string | undefined> {
  const foreign = foreignFilters(side.settings);
  const paths = changed.filter(({ newMode }) => newMode !== LINK_TO_REPOSITORY).map(({ path }) => path);
  if (foreign.size === 0 || paths.length === 0) return undefined;
  const input = Buffer.from(`${paths.join('\0')}\0`, 'latin1');
  const ran = await side.run(['check-attr', '-z', '--stdin', 'filter'], { mode: 'user', workTree, input });
  const parts = ran.out.toString('latin1').split('\0');
  for (let at = 0; at + 2 < parts.length; at += 3) {
    const name = readable(parts[at + 2] ?? '');
    if (foreign.has(name)) {
      return `${readable(parts[at] ?? '')} needs the filter ${name}, which only the settings of the repository define and which is not run: define it in your own settings (git config --global), or advance the checkout yourself`;
    }
  }
  return undefined;
}
