import { link, readFile, rename, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, temporaryName } from '../platform/files.ts';
import { identityOf, isAlive, type ProcessIdentity } from '../platform/process-identity.ts';
import { isAbandoned } from './abandoned-lock.ts';

export interface Move {
  readonly branch: string;
  readonly from: string;
  readonly to: string;
  readonly why: string;
}

/** What our lock says: who holds it, and which move was begun, so that a successor can end it. */
interface Held extends ProcessIdentity {
  readonly fleet: 'advance';
  readonly move: Move;
}

export type Locked =
  | { readonly state: 'held'; readonly unfinished?: Move | undefined; release(): Promise<void> }
  | { readonly state: 'busy'; readonly why: string };

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
export async function lockIndex(own: string, workTree: string, move: Move): Promise<Locked> {
  const path = join(own, 'index.lock');
  const mine: Held = { fleet: 'advance', ...((await identityOf(process.pid)) ?? NOBODY), move };
  const held = (unfinished?: Move): Locked => {
    holding.add(path);
    return { state: 'held', unfinished, release: () => release(path) };
  };
  if (await make(path, mine)) return held();
  const found = await look(path);
  if (found === undefined) return OTHER_GIT;
  if (found.held === undefined) {
    if (!(await isAbandoned(path, [own, workTree], performance.timeOrigin + performance.now()))) return OTHER_GIT;
    return (await inherit(path, mine)) ? held() : OTHER_GIT;
  }
  if (await isHolding(found.held, path)) return OTHER_LANDING;
  return (await inherit(path, { ...mine, move: found.held.move })) ? held(found.held.move) : OTHER_LANDING;
}

const NOBODY = { boot: 'unknown', pid: 0, started: 'unknown' };

async function release(path: string): Promise<void> {
  holding.delete(path);
  await unlink(path).catch(() => undefined);
}

const isHolding = async (held: Held, path: string): Promise<boolean> =>
  held.pid === process.pid ? holding.has(path) : isAlive(held);

async function make(path: string, held: Held): Promise<boolean> {
  const temporary = temporaryName(path);
  await writeFile(temporary, JSON.stringify(held), { mode: 0o600 });
  try {
    await link(temporary, path);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await unlink(temporary);
  }
}

interface Found {
  readonly held: Held | undefined;
  /** Names this very file, whatever takes its path later. */
  readonly key: string;
}

async function look(path: string): Promise<Found | undefined> {
  const [text, seen] = await Promise.all([readFile(path, 'utf8'), stat(path, { bigint: true })]).catch(() => []);
  return text === undefined || seen === undefined ? undefined : { held: readHeld(text), key: `${seen.ino}-${seen.mtimeNs}` };
}

function readHeld(text: string): Held | undefined {
  try {
    const value = JSON.parse(text) as Partial<Held>;
    return value.fleet === 'advance' && typeof value.pid === 'number' && value.move !== undefined ? (value as Held) : undefined;
  } catch {
    return undefined;
  }
}

/** A dead lock has one heir: who makes the file named after it. If that one dies too, the heir of the heir, and so on. */
async function inherit(path: string, mine: Held): Promise<boolean> {
  const lock = await look(path);
  if (lock === undefined) return false;
  const claims: string[] = [];
  for (let key = lock.key; ; ) {
    const claim = `${path}.${key}`;
    claims.push(claim);
    if (await make(claim, mine)) break;
    const other = await look(claim);
    if (other?.held === undefined || (await isHolding(other.held, claim))) return false;
    key = other.key;
  }
  const isSame = (await look(path))?.key === lock.key;
  if (isSame) {
    const temporary = temporaryName(path);
    await writeFile(temporary, JSON.stringify(mine), { mode: 0o600 });
    await rename(temporary, path);
  }
  for (const claim of claims) await unlink(claim).catch(() => undefined);
  return isSame;
}
