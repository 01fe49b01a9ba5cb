import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, lstat, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../domain/fault.ts';
import { LIMITS } from '../../domain/limits.ts';
import { exists } from '../../platform/files.ts';
import { copyIndex } from '../entry.ts';
import { answered } from '../git/git.ts';
import { gitIn, outputIn } from '../git/in-repository.ts';
import { namesIn } from '../history/names.ts';
import { type Seat, seatOf } from '../seat.ts';
import { type Site, sidecarDir, siteSeat } from '../site.ts';
import { removeTree } from '../tree/remove-tree.ts';

/** Everything in a working tree but ignored files, as git's tree, at one moment. */
export interface TreeSnapshot {
  readonly seat: Seat;
  readonly tree: string;
  /** Absent on a branch without a commit. */
  readonly head?: string | undefined;
  readonly headTree?: string | undefined;
  /** Files that are not in the tree: too large, not to be read, of a name git refuses, or written all the time. As long as there are any, nothing may be removed. */
  readonly left: readonly string[];
  /** The index that has the tree; gone when `work` is done. */
  readonly index: string;
  /** A merge with conflicts was under way. */
  readonly hadConflicts: boolean;
}

const LISTING_BYTES = 1024 * 1024 * 1024;
const ATTEMPTS = 5;
/** A pipe in the place of a `.gitignore` would hold git for ever. */
const PATIENCE_MS = 600_000;

/** Names of files are bytes; here each is one character, up to the moment they are shown. */
const shown = (name: string): string => Buffer.from(name, 'latin1').toString('utf8');

/**
 * The index of the tree is copied and brought up to date; the one in use is not touched, so an agent may go on meanwhile.
 * Git is never asked to look into a repository inside of the tree: it would do so with that one's configuration. With `flat`
 * submodules that hold something new are taken as files: their commits are nowhere else.
 */
export async function withSnapshot<Answer>(
  site: Site,
  { env, flat }: { readonly env: NodeJS.ProcessEnv; readonly flat: boolean },
  work: (snapshot: TreeSnapshot) => Promise<Answer>,
): Promise<Answer> {
  const seat = await siteSeat(site);
  if (!(await exists(join(seat.gitDir, 'HEAD'))))
    throw new Fault('not_found', `${site.path} is no working tree of ${site.repository} any more`, { path: site.path });
  const scratch = join(sidecarDir(site.path), `snapshot-${randomUUID()}`);
  await mkdir(scratch, { recursive: true });
  try {
    const drawing: Drawing = { site, seat, env, index: join(scratch, 'index'), scratch };
    const hadConflicts = await startIndex(drawing);
    if (flat) await flatten(drawing);
    const left = await fill(drawing);
    const tree = (await outputIn(seat, ['write-tree'], env, { mode: 'user', index: drawing.index, timeoutMs: PATIENCE_MS }))
      .toString('utf8')
      .trim();
    const [head, headTree] = await headAndTree(seat, env);
    return await work({ seat, tree, head, headTree, left: left.map(shown), index: drawing.index, hadConflicts });
  } finally {
    await removeTree(scratch);
  }
}

/** A snapshot that is being made. */
interface Drawing {
  readonly site: Site;
  readonly seat: Seat;
  readonly env: NodeJS.ProcessEnv;
  readonly index: string;
  readonly scratch: string;
}

async function headAndTree(seat: Seat, env: NodeJS.ProcessEnv): Promise<[string | undefined, string | undefined]> {
  const { code, out } = await gitIn(seat, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}', 'HEAD^{tree}'], env, {
    mode: 'closed',
  });
  if (code === 0) return out.toString('utf8').trim().split('\n') as [string, string];
  const one = async (what: string) => {
    const end = await gitIn(seat, ['rev-parse', '--verify', '--quiet', what], env, { mode: 'closed' });
    return end.code === 0 ? end.out.toString('utf8').trim() : undefined;
  };
  return [await one('HEAD^{commit}'), await one('HEAD^{tree}')];
}

/** True when there were conflicts in it. */
async function startIndex(drawing: Drawing): Promise<boolean> {
  const { seat, env, index } = drawing;
  const own = join(seat.gitDir, 'index');
  const isThere = await copyIndex(own, index).then(
    () => true,
    () => false,
  );
  const listed = isThere
    ? await gitIn(seat, ['ls-files', '-v', '-z'], env, {
        mode: 'user',
        index,
        maxBytes: LISTING_BYTES,
        timeoutMs: PATIENCE_MS,
      } as const)
    : undefined;
  if (listed?.code !== 0) {
    // Missing or damaged: the last commit will do, every file is then read.
    await removeTree(index);
    const [, tree] = await headAndTree(seat, env);
    await outputIn(seat, tree === undefined ? ['read-tree', '--empty'] : ['read-tree', tree], env, {
      mode: 'user',
      index,
      timeoutMs: PATIENCE_MS,
    });
    return false;
  }
  const entries = namesIn(listed.out).map((line) => ({ tag: line.slice(0, 1), name: line.slice(2) }));
  await unhide(drawing, entries);
  return entries.some(({ tag }) => tag.toUpperCase() === 'M');
}

/** Flags that make git look away from a file are taken off, where there is a file. */
async function unhide(drawing: Drawing, entries: readonly { readonly tag: string; readonly name: string }[]): Promise<void> {
  const assumed = entries.filter(({ tag }) => tag !== tag.toUpperCase()).map(({ name }) => name);
  const skipped: string[] = [];
  for (const { tag, name } of entries) if (tag.toUpperCase() === 'S' && (await found(drawing.site, name))) skipped.push(name);
  if (assumed.length > 0) await updateIndex(drawing, ['--no-assume-unchanged'], assumed);
  if (skipped.length > 0) await updateIndex(drawing, ['--no-skip-worktree'], skipped);
}

async function flatten(drawing: Drawing): Promise<void> {
  const { site, seat, env, index } = drawing;
  const listed = namesIn(
    await outputIn(seat, ['ls-files', '-s', '-z'], env, {
      mode: 'user',
      index,
      maxBytes: LISTING_BYTES,
      timeoutMs: PATIENCE_MS,
    } as const),
  );
  const links = listed.flatMap((line) => /^160000 ([0-9a-f]+) 0\t(.+)$/s.exec(line)?.slice(1) ?? []);
  const changed: string[] = [];
  for (let at = 0; at + 1 < links.length; at += 2) {
    const [commit = '', name = ''] = links.slice(at, at + 2);
    const inner = (await found(site, `${name}/.git`)) ? await seatOf(join(site.path, shown(name))) : undefined;
    if (inner === undefined || inner.workTree === site.path) continue;
    const [head] = await headAndTree(inner, env);
    const { code, out } = await gitIn(inner, ['status', '--porcelain', '-z', '--ignore-submodules=all'], env, {
      mode: 'user',
      timeoutMs: PATIENCE_MS,
    });
    if (head !== commit || code !== 0 || out.length > 0) changed.push(name);
  }
  if (changed.length > 0) await updateIndex(drawing, ['--force-remove'], changed);
}

/** Answers what could not be taken in. */
async function fill(drawing: Drawing): Promise<string[]> {
  for (let attempt = 1; ; attempt += 1) {
    const { gone, there } = await changes(drawing);
    const { fit, left } = await sift(drawing.site, there);
    if (gone.length > 0) await updateIndex(drawing, ['--force-remove'], gone);
    const end = fit.length === 0 ? undefined : await take(drawing, fit);
    if (end?.code === 0 && end.err !== '') return [...left, ...(await refused(drawing, fit))];
    if (end === undefined || end.code === 0) return left;
    if (attempt === ATTEMPTS) return [...left, ...(await takeSingly(drawing, fit))];
  }
}

const take = (drawing: Drawing, names: readonly string[]) =>
  gitIn(drawing.seat, ['update-index', '--add', '--remove', '--replace', '-z', '--stdin'], drawing.env, {
    mode: 'user',
    index: drawing.index,
    input: listing(names),
    timeoutMs: PATIENCE_MS,
  });

/**
 * Git leaves out names that would be its own directory on some system, and says so without failing; where it says much else
 * besides, that is not to be found in what it said. Of these names those that are no part of the index.
 */
async function refused({ site, seat, env, index }: Drawing, names: readonly string[]): Promise<string[]> {
  const options = { mode: 'user', index, maxBytes: LISTING_BYTES, timeoutMs: PATIENCE_MS } as const;
  const known = new Set(namesIn(await outputIn(seat, ['ls-files', '-z', '--cached'], env, options)));
  const missing: string[] = [];
  for (const name of names) if (!known.has(name) && (await found(site, name))) missing.push(name);
  return missing;
}

/** Something is changed as fast as it is read. What can be taken in is, and the rest is named. */
async function takeSingly(drawing: Drawing, names: readonly string[]): Promise<string[]> {
  const { code, err } = await take(drawing, names);
  if (code === 0) return err === '' ? [] : await refused(drawing, names);
  if (names.length === 1) return [...names];
  const middle = Math.ceil(names.length / 2);
  return [...(await takeSingly(drawing, names.slice(0, middle))), ...(await takeSingly(drawing, names.slice(middle)))];
}

async function updateIndex({ seat, env, index }: Drawing, flags: readonly string[], names: readonly string[]): Promise<void> {
  const args = ['update-index', ...flags, '-z', '--stdin'];
  const end = await gitIn(seat, args, env, { mode: 'user', index, input: listing(names), timeoutMs: PATIENCE_MS });
  answered(end, 'bring a copy of the index up to date');
}

const listing = (names: readonly string[]): Buffer => Buffer.from(`${names.join('\0')}\0`, 'latin1');

async function changes(drawing: Drawing): Promise<{ gone: string[]; there: string[] }> {
  const { seat, env, index } = drawing;
  const options = { mode: 'user', index, maxBytes: LISTING_BYTES, timeoutMs: PATIENCE_MS } as const;
  const compare = ['diff-files', '--name-status', '-z', '--no-renames', '--ignore-submodules=dirty'];
  const words = namesIn(await outputIn(seat, compare, env, options));
  const others = namesIn(await outputIn(seat, ['ls-files', '-z', '--others', '--exclude-standard'], env, options));
  const [gone, there]: [Set<string>, Set<string>] = [new Set(), new Set(others.filter((name) => !name.endsWith('/')))];
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [status, name = ''] = [words[at], words[at + 1]];
    if (status === 'D' || (status === 'U' && !(await found(drawing.site, name)))) gone.add(name);
    else there.add(name);
  }
  for (const name of others) if (name.endsWith('/')) for (const inner of await nested(drawing, name)) there.add(inner);
  return { gone: [...gone].filter((name) => !there.has(name)), there: [...there] };
}

/**
 * A repository inside of the tree that git does not know: as a link to a commit nobody else has it would be lost with the
 * tree. So its files are taken as what they are; only its own `.git` cannot be.
 */
async function nested(drawing: Drawing, directory: string): Promise<string[]> {
  const { site, seat, env, scratch } = drawing;
  const path = shown(directory.slice(0, -1));
  const top = join(site.path, path);
  if (!(await found(site, directory.slice(0, -1))) || Buffer.from(path).toString('latin1') !== directory.slice(0, -1)) return [];
  const isEmpty = (await readdir(top).catch(() => [])).length === 0;
  if (isEmpty) return [];
  const inner = await outputIn({ ...seat, workTree: top }, ['ls-files', '-z', '--others', '--exclude-standard'], env, {
    mode: 'user',
    index: join(scratch, `none-${randomUUID()}`),
    maxBytes: LISTING_BYTES,
    timeoutMs: PATIENCE_MS,
  });
  const names: string[] = [];
  for (const name of namesIn(inner))
    if (name.endsWith('/')) names.push(...(await nested(drawing, `${directory}${name}`)));
    else names.push(`${directory}${name}`);
  return names;
}

const AT_ONCE = 64;

async function sift(site: Site, names: readonly string[]): Promise<{ fit: string[]; left: string[] }> {
  const [fit, left]: [string[], string[]] = [[], []];
  const look = async (name: string): Promise<void> => {
    const file = pathOf(site, name);
    const facts = await lstat(file).catch(() => undefined);
    const isReadable =
      !facts?.isFile() ||
      (await access(file, constants.R_OK).then(
        () => true,
        () => false,
      ));
    if (facts?.isFile() && (facts.size > LIMITS.keptFileBytes.value || !isReadable)) left.push(name);
    else fit.push(name);
  };
  for (let at = 0; at < names.length; at += AT_ONCE) await Promise.all(names.slice(at, at + AT_ONCE).map(look));
  return { fit, left };
}

const pathOf = (site: Site, name: string): Buffer => Buffer.concat([Buffer.from(`${site.path}/`), Buffer.from(name, 'latin1')]);

const found = (site: Site, name: string): Promise<boolean> =>
  lstat(pathOf(site, name)).then(
    () => true,
    () => false,
  );
