import { randomUUID } from 'node:crypto';
import { utimesSync } from 'node:fs';
import { lstat, mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Fault } from '../domain/fault.ts';
import { inDirectory } from '../platform/agent-path.ts';
import { systemClock } from '../platform/clock.ts';
import { exists, hasCode } from '../platform/files.ts';
import { identityOf } from '../platform/process-identity.ts';
import { copySafely } from '../platform/read-safely.ts';
import { readPlain } from './read-plain.ts';
import type { Seat } from './seat.ts';
import type { Site } from './site.ts';
import { removeTree } from './tree/remove-tree.ts';

const MARK = 'fleet.json';

/**
 * Git's own entry of a worktree, `.git/worktrees/<name>`, and the file `.git` in the tree that leads to it.
 *
 * `git worktree add` fills the entry file by file, and every git that looks meanwhile fails. Here it is finished
 * elsewhere and renamed into its place: whoever looks sees all of it or nothing. It is always made anew, so that no lock,
 * half-done rebase, configuration or ref of the task before is left.
 */
export async function placeEntry(site: Site, seat: Seat, head: string, index: string | undefined): Promise<void> {
  const fresh = join(seat.commonDir, await nameOf('new'));
  await mkdir(fresh);
  try {
    await Promise.all([
      writeFile(join(fresh, 'gitdir'), `${join(site.path, '.git')}\n`),
      writeFile(join(fresh, 'commondir'), '../..\n'),
      writeFile(join(fresh, 'HEAD'), `${head}\n`),
      writeFile(join(fresh, MARK), `${JSON.stringify({ id: site.id })}\n`),
      index === undefined ? undefined : copyIndex(index, join(fresh, 'index')),
    ]);
    await pointToEntry(site, seat);
    await mkdir(dirname(seat.gitDir), { recursive: true });
    const gone = await moveAway(site, seat);
    await rename(fresh, seat.gitDir);
    if (gone !== undefined) await removeTree(gone);
  } finally {
    await removeTree(fresh);
  }
}

/** Says whose it is, so that what a dead process has left is known for that. */
async function nameOf(what: 'new' | 'gone'): Promise<string> {
  const { boot = '0', started = '0' } = (await identityOf(process.pid)) ?? {};
  return `fleet-${what}-${boot.slice(0, 8)}-${process.pid}-${started}-${randomUUID()}`;
}

const LEFT = /^fleet-(?:new|gone)-(?:(\w+)-(\d+)-(\w+)-)?[0-9a-f-]{36}$/;
const STALE_MS = 60_000;

/** Entries that a killed process had not yet put in their place, or had already taken out of it. */
export async function sweepEntries({ commonDir }: Seat): Promise<void> {
  for (const name of await readdir(commonDir)) {
    const [left, ...owner] = LEFT.exec(name) ?? [];
    if (left === undefined) continue;
    const found = await lstat(join(commonDir, name)).catch(() => undefined);
    // A fleet with another home, or on another machine, may be at it just now: it takes milliseconds.
    const isOld = found && systemClock.now() - found.ctimeMs > STALE_MS;
    if (isOld || (found && (await isDead(owner)))) await removeTree(join(commonDir, name));
  }
}

/** Of a process of this machine, since this boot. */
async function isDead([boot, pid, started]: readonly (string | undefined)[]): Promise<boolean> {
  const here = await identityOf(process.pid);
  if (boot === undefined || here?.boot.slice(0, 8) !== boot) return false;
  return (await identityOf(Number(pid)))?.started !== started;
}

/** Git forgets the worktree, and only this one. Into the trash, unless that is on another file system. */
export async function removeEntry(site: Site, seat: Seat, trash: string): Promise<void> {
  if (!(await exists(seat.gitDir))) return;
  await assertOurs(site, seat);
  try {
    await rename(seat.gitDir, join(trash, `${basename(seat.gitDir)}-${randomUUID()}`));
  } catch (error) {
    if (!hasCode(error, 'EXDEV')) throw error;
    const gone = await moveAway(site, seat);
    if (gone !== undefined) await removeTree(gone);
  }
}

const MOST_INDEX_BYTES = 1024 * 1024 * 1024;

/** The time of an index says which of its entries cannot be trusted; a copy that looks younger would trust too many. */
export async function copyIndex(from: string, to: string): Promise<void> {
  const copied = await copySafely(inDirectory(from), to, MOST_INDEX_BYTES);
  if ('why' in copied && copied.why === 'absent') throw Object.assign(new Error(`there is no ${from}`), { code: 'ENOENT' });
  if ('why' in copied) throw new Fault('conflict', `${from} is no plain file: ${copied.why}`);
  const seconds = Math.floor(copied.mtimeMs) / 1_000;
  utimesSync(to, seconds, seconds);
}

async function pointToEntry(site: Site, seat: Seat): Promise<void> {
  await mkdir(site.path, { recursive: true });
  const file = join(site.path, '.git');
  const found = await lstat(file).catch(() => undefined);
  if (found && !found.isFile()) await removeTree(file);
  const temporary = `${file}-${randomUUID()}`;
  await writeFile(temporary, `gitdir: ${seat.gitDir}\n`);
  await rename(temporary, file);
}

async function moveAway(site: Site, seat: Seat): Promise<string | undefined> {
  if (!(await exists(seat.gitDir))) return undefined;
  await assertOurs(site, seat);
  const gone = join(seat.commonDir, await nameOf('gone'));
  try {
    await rename(seat.gitDir, gone);
    return gone;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** The name holds our id; an entry of that name which leads to another tree that exists is nevertheless somebody else's. */
async function assertOurs(site: Site, seat: Seat): Promise<void> {
  const text = (await readPlain(join(seat.gitDir, MARK))) ?? '';
  const tree = ((await readPlain(join(seat.gitDir, 'gitdir'))) ?? '').trimEnd();
  const isOurs = text.includes(`"${site.id}"`) || tree === join(site.path, '.git');
  if (!isOurs && tree !== '' && (await exists(tree)))
    throw new Fault('conflict', `${seat.gitDir} belongs to the worktree ${dirname(tree)}, which Fleet did not make`, {
      path: dirname(tree),
    });
}
