import { lstat, rmdir, unlink } from 'node:fs/promises';
import { LIMITS } from '../../domain/limits.ts';
import { readRegular } from '../../platform/read-safely.ts';
import { answered } from '../git/git.ts';
import type { ScratchGitDir } from '../git/scratch-git-dir.ts';
import type { Move } from '../locks/index-lock.ts';
import type { Checkout } from './checkout.ts';
import { over, readyIndex } from './move-files.ts';
import { type Changed, changedPaths, filesBelow, isIn, LINK_TO_REPOSITORY, onDisk } from './tree-moves.ts';

/**
 * Ends a move that stopped in the middle: everything it touches is brought to where the ref is. Only what the move itself can
 * have left there is overwritten: the content of either commit, the beginning of it, or nothing. A file with anything
 * else in it was edited since, and stays.
 */
export async function repairCheckout(checkout: Checkout, move: Move, side: 'from' | 'to', env: NodeJS.ProcessEnv): Promise<void> {
  await using git = await over(checkout, move[side], env);
  const changed = (await changedPaths(git, move.from, move.to)).filter(isFile);
  const ours = await leftByUs(git, checkout.path, { move, changed });
  await indexAt(git, checkout.path, move, side);
  const isWanted = (entry: Changed) => isIn(side === 'to' ? entry.newMode : entry.oldMode);
  for (const entry of ours) if (!isWanted(entry)) await remove(checkout.path, entry.path);
  const written = ours.filter(isWanted).map(({ path }) => `${path}\0`);
  if (written.length > 0) {
    const input = Buffer.from(written.join(''), 'latin1');
    answered(
      await git.run(['checkout-index', '-f', '-q', '-z', '--stdin'], { mode: 'user', workTree: checkout.path, input }),
      `restore the files of ${checkout.path}`,
    );
  }
  await refresh(git, checkout.path);
  await (await readyIndex(git, checkout))();
}

const isFile = ({ oldMode, newMode }: Changed): boolean => oldMode !== LINK_TO_REPOSITORY && newMode !== LINK_TO_REPOSITORY;

const other = (side: 'from' | 'to') => (side === 'from' ? 'to' : 'from');

/** The index is at either commit; a two-way merge without files leads from both to the one wanted. */
async function indexAt(git: ScratchGitDir, workTree: string, move: Move, side: 'from' | 'to'): Promise<void> {
  const ran = await git.run(['read-tree', '-i', '-m', move[other(side)], move[side]], { mode: 'user', workTree });
  answered(ran, `bring the index of ${workTree} to ${move[side]}`);
  await refresh(git, workTree);
}

/** Ends with 1 where files differ, which is not of interest here. */
const refresh = (git: ScratchGitDir, workTree: string) =>
  git.run(['update-index', '-q', '--refresh'], { mode: 'user', workTree });

async function leftByUs(
  git: ScratchGitDir,
  workTree: string,
  { move, changed }: { readonly move: Move; readonly changed: readonly Changed[] },
): Promise<Changed[]> {
  const unlike = async (side: 'from' | 'to') => {
    await indexAt(git, workTree, move, side);
    const ran = await git.run(['diff-files', '-z', '--name-only', '--ignore-submodules=all'], { mode: 'user', workTree });
    return new Set(answered(ran, `look at the files of ${workTree}`).toString('latin1').split('\0'));
  };
  const unlikeOld = await unlike('from');
  const unlikeNew = await unlike('to');
  const stays = new Set<string>();
  const places = new Map<string, Place>();
  for (const entry of changed) {
    const { path, oldMode, newMode } = entry;
    const place = await placeOf(workTree, path);
    places.set(path, place);
    if (place.kind !== 'file') continue;
    const isOurs = (isIn(oldMode) && !unlikeOld.has(path)) || (isIn(newMode) && !unlikeNew.has(path));
    if (!isOurs && !(await isBeginning(git, workTree, entry))) stays.add(path);
  }
  const isOurs = (path: string): boolean => places.has(path) && !stays.has(path);
  return changed.filter(({ path }) => {
    const place = places.get(path);
    if (place?.kind === 'below') return isOurs(place.what);
    return place?.kind === 'directory' ? place.holds.every(isOurs) : isOurs(path);
  });
}

/** What is where a file should be. A move may turn a file into a directory, and the other way. */
type Place =
  | { readonly kind: 'nothing' | 'file' }
  | { readonly kind: 'below'; readonly what: string }
  | { readonly kind: 'directory'; readonly holds: readonly string[] };

async function placeOf(workTree: string, path: string): Promise<Place> {
  const parts = path.split('/');
  for (let depth = 1; depth <= parts.length; depth += 1) {
    const part = parts.slice(0, depth).join('/');
    const seen = await lstat(onDisk(workTree, part)).catch(() => undefined);
    if (seen === undefined) return { kind: 'nothing' };
    if (depth === parts.length)
      return seen.isDirectory() ? { kind: 'directory', holds: await filesBelow(workTree, path) } : { kind: 'file' };
    if (!seen.isDirectory()) return { kind: 'below', what: part };
  }
  return { kind: 'nothing' };
}

/** Git writes files one after the other and from the beginning: killed in the middle, it leaves the beginning of one. */
async function isBeginning(git: ScratchGitDir, workTree: string, entry: Changed): Promise<boolean> {
  const file = onDisk(workTree, entry.path);
  if (!(await lstat(file)).isFile()) return false;
  const read = await readRegular(file, LIMITS.keptFileBytes.value);
  if ('why' in read) return false;
  const content = read.bytes;
  for (const id of [isIn(entry.newMode) ? entry.newId : '', isIn(entry.oldMode) ? entry.oldId : '']) {
    if (id === '') continue;
    const input = Buffer.from(`${id} ${entry.path}\0`, 'latin1');
    const ran = await git.run(['cat-file', '--batch', '--filters', '-z'], { mode: 'user', workTree, input });
    const whole = ran.out.subarray(ran.out.indexOf('\n') + 1, -1);
    if (ran.code === 0 && whole.subarray(0, content.length).equals(content)) return true;
  }
  return false;
}

async function remove(workTree: string, path: string): Promise<void> {
  await unlink(onDisk(workTree, path)).catch(() => undefined);
  for (let above = path; above.includes('/'); ) {
    above = above.slice(0, above.lastIndexOf('/'));
    const isGone = await rmdir(onDisk(workTree, above)).then(
      () => true,
      () => false,
    );
    if (!isGone) return;
  }
}
