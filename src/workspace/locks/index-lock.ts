import { readdirSync, renameSync, writeFileSync } from 'node:fs';
import { stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeOnceSync } from '../../platform/files.ts';
import { identityOf, isAlive, ownIdentity, type ProcessIdentity } from '../../platform/process-identity.ts';
import { isStaleLock, orphansAreGone } from '../git/stale-lock.ts';
import { readPlain } from '../read-plain.ts';

export interface Move {
  readonly branch: string;
  readonly from: string;
  readonly to: string;
  readonly why: string;
}

/** What our lock says: who holds it, and once files begin to move, which move it is, so that a successor can end it. */
interface Held extends ProcessIdentity {
  readonly fleet: 'advance';
  readonly move?: Move | undefined;
}

export interface IndexLock {
  readonly state: 'held';
  /** What a dead holder began; ref, index and files may each be before or after it. */
  readonly unfinished?: Move | undefined;
  /** To be called before anything moves, and without a move when ref, index and files agree again. */
  tell(move?: Move): Promise<void>;
  /** Leaves the lock where it is while it tells of a move, for the next one to mend what that left. */
  letGo(): Promise<void>;
}

export type Locked = IndexLock | { readonly state: 'busy'; readonly why: string };

const OTHER_GIT: Locked = { state: 'busy', why: 'another git is at work there (index.lock)' };
const OTHER_LANDING: Locked = { state: 'busy', why: 'another landing is at work there (index.lock)' };

/** Locks this process holds: one that names us but is not among them was left behind by a failure of our own. */
const holding = new Set<string>();

/**
 * Git's own lock on the index of a checkout, made by us: every other git stays outside while ref, index and files are moved.
 *
 * - It comes to be whole, so a lock that reads as ours names its holder, and a dead holder is known at once.
 * - A dead one is never removed and made anew, but replaced by its heir's, which tells of the same unfinished move: at no
 *   moment is a half-moved checkout without a lock that says so.
 */
export async function lockIndex(own: string, workTree: string): Promise<Locked> {
  const path = join(own, 'index.lock');
  const mine: Held = { fleet: 'advance', ...(await ownIdentity()) };
  if (await make(path, mine)) {
    await sweep(path);
    return held(path, mine);
  }
  const found = await look(path);
  if (found === undefined) return OTHER_GIT;
  if (found.held === undefined) {
    return (await isStaleLock(path, [own, workTree], 'theirs')) && (await inherit(path, found.key, mine))
      ? held(path, mine)
      : OTHER_GIT;
  }
  if ((await isHolding(found.held, path)) || !(await orphansAreGone(found.held))) return OTHER_LANDING;
  if (!(await inherit(path, found.key, { ...mine, move: found.held.move }))) return OTHER_LANDING;
  await sweep(path);
  return held(path, mine, found.held.move);
}

/** Who made the lock on an index, if it is one of ours. */
export const holderOf = async (own: string): Promise<ProcessIdentity | undefined> => (await look(join(own, 'index.lock')))?.held;

function held(path: string, mine: Held, unfinished?: Move): IndexLock {
  holding.add(path);
  let told = unfinished;
  return {
    state: 'held',
    unfinished,
    tell: async (move) => {
      await replace(path, { ...mine, move });
      told = move;
    },
    letGo: async () => {
      holding.delete(path);
      if (told === undefined) await unlink(path).catch(() => undefined);
    },
  };
}

const isHolding = async (one: Held, path: string): Promise<boolean> =>
  one.pid === process.pid ? holding.has(path) : isAlive(one);

let made = 0;

/** Names its maker, so that what a dead one left is known. */
const temporaryOf = (path: string, { pid, started }: Held): string => {
  made += 1;
  return `${path}.fleet-${pid}-${started}-${made}`;
};

const make = async (path: string, mine: Held): Promise<boolean> =>
  makeOnceSync(path, JSON.stringify(mine), temporaryOf(path, mine));

async function replace(path: string, mine: Held): Promise<void> {
  const temporary = temporaryOf(path, mine);
  writeFileSync(temporary, JSON.stringify(mine), { mode: 0o600 });
  renameSync(temporary, path);
}

interface Found {
  readonly held: Held | undefined;
  /** Names this very file, whatever takes its path later. */
  readonly key: string;
}

async function look(path: string): Promise<Found | undefined> {
  const [text, seen] = await Promise.all([readPlain(path), stat(path, { bigint: true })]).catch(() => []);
  return text === undefined || seen === undefined ? undefined : { held: readHeld(text), key: `${seen.ino}-${seen.mtimeNs}` };
}

function readHeld(text: string): Held | undefined {
  try {
    const value = JSON.parse(text) as Partial<Held>;
    return value.fleet === 'advance' && typeof value.pid === 'number' ? (value as Held) : undefined;
  } catch {
    return undefined;
  }
}

/** A dead lock has one heir: who makes the file named after it. If that one dies too, the heir of the heir, and so on. */
async function inherit(path: string, dead: string, mine: Held): Promise<boolean> {
  const claims: string[] = [];
  for (let key = dead; ; ) {
    const claim = `${path}.heir-${key}`;
    claims.push(claim);
    if (await make(claim, mine)) break;
    const other = await look(claim);
    if (other?.held === undefined || (await isAlive(other.held))) return false;
    key = other.key;
  }
  // Whoever came too late for the last heir made a claim that stands for nothing.
  const isSame = (await look(path))?.key === dead;
  if (isSame) await replace(path, mine);
  for (const claim of claims) await unlink(claim).catch(() => undefined);
  return isSame;
}

/** Files of ours whose makers died before they could remove them. */
async function sweep(path: string): Promise<void> {
  const directory = dirname(path);
  for (const name of readdirSync(directory)) {
    const [, pid, started] = /^index(?:\.lock)?(?:\.heir-[\d-]+)?\.fleet-(\d+)-(\w+)(?:-\d+)?$/.exec(name) ?? [];
    const isHeir = name.startsWith(`${basename(path)}.heir-`) && pid === undefined;
    if (isHeir) {
      const claim = await look(join(directory, name));
      if (claim?.held === undefined || (await isAlive(claim.held))) continue;
    } else if (pid === undefined || (await identityOf(Number(pid)))?.started === started) continue;
    await unlink(join(directory, name)).catch(() => undefined);
  }
}
