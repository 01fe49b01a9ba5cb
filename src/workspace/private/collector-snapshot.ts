import { accessSync, constants, copyFileSync, lstatSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '../history/names.ts';
import type { CollectorGit } from './collector-git.ts';
import { flatten, nestedFiles, type SubmoduleLink } from './collector-nested.ts';
import { factsOf, found, listing, pathIn, updateIndex } from './collector-tree.ts';

/** Everything in a tree but ignored files, as git's tree. */
export interface CollectorSnapshot {
  readonly tree: string;
  /** A merge with conflicts was under way. */
  readonly conflicts: boolean;
  /** Files that are not in it: too large, not to be read, or written all the time. One character for each byte. */
  readonly left: readonly string[];
}

const ATTEMPTS = 5;
const MOST_INDEX_BYTES = 1024 * 1024 * 1024;

export async function snapshotOf(git: CollectorGit, head: string | undefined): Promise<CollectorSnapshot> {
  const { conflicts, links } = startIndex(git, head);
  if (git.wish.flat) flatten(git, links);
  const left = await fill(git);
  return { tree: git.here(['write-tree']).toString('utf8').trim(), conflicts, left };
}

interface Begun {
  readonly conflicts: boolean;
  /** Submodules: links to commits. */
  readonly links: readonly SubmoduleLink[];
}

/** The agent's index knows conflicts, sparse paths and forced files; a lie in it only changes what it hands in. */
function startIndex(git: CollectorGit, head: string | undefined): Begun {
  const { wish } = git;
  const isTaken = wish.mode === 'full' && copyIndex(join(wish.git, 'index'), git.index);
  const own = isTaken ? git.tryHere(LISTING) : undefined;
  if (own === undefined) {
    ownIndex(git, head);
    return { conflicts: false, links: linksIn(entriesIn(git.here(LISTING))) };
  }
  const entries = entriesIn(own);
  const assumed = entries.filter(({ tag }) => tag !== tag.toUpperCase()).map(({ name }) => name);
  const skipped = entries.filter(({ tag, name }) => tag.toUpperCase() === 'S' && found(git, name)).map(({ name }) => name);
  if (assumed.length > 0) updateIndex(git, ['--no-assume-unchanged'], assumed);
  if (skipped.length > 0) updateIndex(git, ['--no-skip-worktree'], skipped);
  return { conflicts: entries.some(({ tag }) => tag.toUpperCase() === 'M'), links: linksIn(entries) };
}

const LISTING = ['ls-files', '-s', '-v', '-z'];

interface Entry extends SubmoduleLink {
  readonly tag: string;
  readonly mode: string;
}

/** How a plain file or link begins that is neither skipped, nor assumed unchanged, nor in conflict. */
const PLAIN = /^H 1[02]/;

/** `TAG MODE ID STAGE\tNAME`; of tens of thousands nearly all are plain, and nothing is to be known of those. */
const entriesIn = (listing: Buffer): Entry[] =>
  namesIn(listing)
    .filter((line) => !PLAIN.test(line))
    .map((line) => {
      const end = line.indexOf('\t');
      const [tag = '', mode = '', commit = ''] = line.slice(0, end).split(' ');
      return { tag, mode, commit, name: line.slice(end + 1) };
    });

const linksIn = (entries: readonly Entry[]): Entry[] => entries.filter(({ mode, tag }) => mode === '160000' && tag !== 'M');

/**
 * Missing or damaged, or not to be looked at: Fleet's own, brought to the last commit. Its trees are the agent's: a few can
 * unfold into a list without end, so this is no more than a look.
 */
function ownIndex(git: CollectorGit, head: string | undefined): void {
  const { mode, index, base, limits } = git.wish;
  const bound = { timeoutMs: mode === 'files' ? limits.gitMs : limits.lookMs };
  const to = mode === 'files' ? base : head;
  if (to === undefined) {
    git.here(['read-tree', '--empty']);
    return;
  }
  const isOwn = copyIndex(index, git.index) && git.tryHere(['read-tree', '-i', '-m', base, to], bound) !== undefined;
  if (!isOwn) git.here(['read-tree', '--reset', to], bound);
}

/** The time of an index says which of its entries cannot be trusted; a copy that looks younger would trust too many. */
function copyIndex(from: string, to: string): boolean {
  const facts = lstatSync(from, { throwIfNoEntry: false });
  if (!facts?.isFile() || facts.size > MOST_INDEX_BYTES) return false;
  try {
    copyFileSync(from, to);
    const seconds = Math.floor(facts.mtimeMs) / 1_000;
    utimesSync(to, seconds, seconds);
    return true;
  } catch {
    return false;
  }
}

/** Answers what could not be taken in. */
async function fill(git: CollectorGit): Promise<string[]> {
  for (let attempt = 1; ; attempt += 1) {
    const { gone, there } = await changes(git);
    const { fit, left, special } = sift(git, there);
    const removed = [...gone, ...special];
    if (removed.length > 0) updateIndex(git, ['--force-remove'], removed);
    const taken = fit.length === 0 ? 'all' : take(git, fit);
    if (taken === 'all') return left;
    if (taken === 'some') return [...left, ...(await refused(git, fit))];
    if (attempt === ATTEMPTS) return [...left, ...(await takeSingly(git, fit))];
  }
}

/**
 * Git leaves out names that would be its own directory on some system, and says so without failing. What it says besides is the
 * agent's to choose, and may be so much that this is not among what is heard of it: so every word counts.
 */
function take(git: CollectorGit, names: readonly string[]): 'all' | 'some' | 'none' {
  const args = ['update-index', '--add', '--remove', '--replace', '-z', '--stdin'];
  const complaints = git.complaints(args, { input: listing(names) });
  if (complaints === undefined) return 'none';
  return complaints === '' ? 'all' : 'some';
}

/** Of these names those that are no part of the index. */
async function refused(git: CollectorGit, names: readonly string[]): Promise<string[]> {
  const known = new Set(namesIn(await git.beside(['ls-files', '-z', '--cached'])));
  return names.filter((name) => !known.has(name) && found(git, name));
}

/** Something is changed as fast as it is read, or has a name that git refuses. What can be taken in is, and the rest is named. */
async function takeSingly(git: CollectorGit, names: readonly string[]): Promise<string[]> {
  const taken = take(git, names);
  if (taken !== 'none') return taken === 'all' ? [] : refused(git, names);
  if (names.length === 1) return [...names];
  const middle = Math.ceil(names.length / 2);
  return [...(await takeSingly(git, names.slice(0, middle))), ...(await takeSingly(git, names.slice(middle)))];
}

async function changes(git: CollectorGit): Promise<{ gone: string[]; there: string[] }> {
  const compare = ['diff-files', '--name-status', '-z', '--no-renames', '--ignore-submodules=dirty'];
  const list = ['ls-files', '-z', '--others', '--exclude-standard'];
  const [words = [], others = []] = (await Promise.all([git.beside(compare), git.beside(list)])).map(namesIn);
  const [gone, there]: [Set<string>, Set<string>] = [new Set(), new Set(others.filter((name) => !name.endsWith('/')))];
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [status, name = ''] = [words[at], words[at + 1]];
    if (status === 'D' || (status === 'U' && !found(git, name))) gone.add(name);
    else there.add(name);
  }
  for (const name of others) if (name.endsWith('/')) for (const inner of nestedFiles(git, name)) there.add(inner);
  return { gone: [...gone].filter((name) => !there.has(name)), there: [...there] };
}

/** What is too large is left before a byte of it is read. */
function sift({ wish }: CollectorGit, names: readonly string[]) {
  const [fit, left, special]: [string[], string[], string[]] = [[], [], []];
  let all = 0;
  for (const name of names) {
    const facts = factsOf(wish.tree, name);
    if (facts?.isFile()) {
      const isTaken =
        facts.size <= wish.limits.fileBytes && all + facts.size <= wish.limits.allBytes && isReadable(wish.tree, name);
      if (isTaken) all += facts.size;
      (isTaken ? fit : left).push(name);
    } else if (!facts || facts.isSymbolicLink() || facts.isDirectory()) fit.push(name);
    else {
      left.push(name);
      special.push(name);
    }
  }
  return { fit, left, special };
}

function isReadable(tree: string, name: string): boolean {
  try {
    accessSync(pathIn(tree, name), constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
