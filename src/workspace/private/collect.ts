import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Fault } from '../../domain/fault.ts';
import { LIMITS } from '../../domain/limits.ts';
import { IN_PIECES, sanitizedGitEnv } from '../git/environment.ts';
import { signalHere } from '../locks/within.ts';
import { ownIndex, type Site, sidecarDir, type WorkspaceManifest } from '../site.ts';
import { removeTree } from '../tree/remove-tree.ts';
import { BOUNDS, type IntakeBounds } from './bounds.ts';
import type { CollectorClaims, CollectorRequest } from './collector-wire.ts';
import { type Means, startCollector } from './confine.ts';
import { admit, indexPack, type Proved, proveClaims, type Quarantine } from './intake.ts';
import { abandoned, ownedName } from './owned-names.ts';
import { type PrivatePlaces, privatePlaces } from './places.ts';
import { objectFormat, readShallow } from './project-facts.ts';
import { readRef, SNAP, WORK, writeRef } from './refs.ts';
import { shownIn } from './show.ts';

/** What was taken in from a private clone: it is all in Fleet's own store, and everything in it was looked at. */
export interface CollectResult extends CollectorClaims, Proved {
  /** The commit the snapshot stands on. */
  readonly parent?: string | undefined;
  /** Why the agent's commits were not taken: then these are its files alone. */
  readonly unread?: string | undefined;
}

const MOST_WORDS = 2_000;

interface Asking {
  readonly site: Site;
  readonly mark: Pick<WorkspaceManifest, 'branch' | 'commit'>;
  readonly env: NodeJS.ProcessEnv;
  readonly means: Means;
  /** See `Wish`. */
  readonly flat: boolean;
}

/**
 * Files and commits of a private clone, by a collector. Where its git directory cannot be read the files alone are taken; where
 * they cannot be either, that is said, and nothing has changed.
 */
export async function collect(asking: Asking): Promise<CollectResult> {
  await sweep(asking.site);
  try {
    return await attempt(asking, 'full');
  } catch (error) {
    const why = reasonOf(error);
    // Nobody waits for it any more.
    if (signalHere()?.aborted) throw error;
    try {
      return { ...(await attempt(asking, 'files')), unread: why };
    } catch (again) {
      const { path } = asking.site;
      const what = `what is in ${path} cannot be taken: ${reasonOf(again)}`;
      throw new Fault('unavailable', what, { path, commits: why }, { cause: again });
    }
  }
}

/** What a killed process has left half-done: nothing of it was taken in, or all of it. */
async function sweep({ path }: Pick<Site, 'path'>): Promise<void> {
  const place = sidecarDir(path);
  const found = await Promise.all((await readdir(place)).map(abandoned));
  for (const one of found) if (one && one.kind !== 'agent-git') await removeTree(join(place, one.name)).catch(() => undefined);
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

async function attempt(asking: Asking, mode: CollectorRequest['mode']): Promise<CollectResult> {
  const { site, env, means } = asking;
  const places = privatePlaces(site);
  const scratch = join(sidecarDir(site.path), await ownedName('scratch'));
  const bounds = { ...BOUNDS, ...means.bounds };
  const quarantine: Quarantine = { places, objects: join(sidecarDir(site.path), await ownedName('in')), env, bounds };
  const late = new AbortController();
  const stop = (): void => late.abort();
  const timer = setTimeout(stop, means.patienceMs ?? LIMITS.takenMs.value);
  const around = signalHere();
  around?.throwIfAborted();
  around?.addEventListener('abort', stop);
  try {
    await Promise.all([mkdir(scratch), mkdir(join(quarantine.objects, 'pack'), { recursive: true })]);
    const wish = await wishOf(asking, { mode, scratch, places, bounds });
    const said = await handedIn(asking, { wish, quarantine, late: late.signal });
    const parent = mode === 'full' ? said.head : wish.parent;
    const { base, known } = wish;
    const proved = await proveClaims(quarantine, said, { base, known, parent }, late.signal);
    await admit(quarantine);
    await writeRef(site, SNAP, said.snap);
    return { ...said, ...proved, parent };
  } catch (error) {
    if (late.signal.aborted) throw new Fault('unavailable', `looking at ${site.path} took too long`, {}, { cause: error });
    throw error;
  } finally {
    clearTimeout(timer);
    around?.removeEventListener('abort', stop);
    for (const part of [scratch, quarantine.objects]) await removeTree(part);
  }
}

interface Setting {
  readonly mode: CollectorRequest['mode'];
  readonly scratch: string;
  readonly places: PrivatePlaces;
  readonly bounds: IntakeBounds;
}

async function wishOf(
  { site, mark, env, means, flat }: Asking,
  { mode, scratch, places, bounds }: Setting,
): Promise<CollectorRequest> {
  const base = mark.commit;
  if (base === undefined) throw new Fault('conflict', `${site.path} has nothing checked out yet`, { path: site.path });
  const store = { commonDir: places.store };
  const [shown, work, snap, format, shallow] = await Promise.all([
    shownIn(site),
    readRef(site, WORK),
    readRef(site, SNAP),
    objectFormat(store),
    readShallow(places.store),
  ]);
  const { lookMs = LIMITS.clonesGitMs.value, patienceMs = LIMITS.takenMs.value } = means;
  return {
    mode,
    tree: places.tree,
    git: places.dotGit,
    history: places.history,
    index: ownIndex(site),
    base,
    parent: work ?? base,
    known: [...new Set([base, work, snap, ...Object.values(shown)].filter((id) => id !== undefined))],
    branch: mark.branch,
    format,
    shallow,
    scratch,
    flat,
    env: sanitizedGitEnv('closed', env, { 'core.excludesFile': places.excludes, ...IN_PIECES }),
    limits: {
      fileBytes: bounds.fileBytes,
      allBytes: bounds.allBytes,
      refs: bounds.refs,
      left: LIMITS.leftNames.value,
      nameBytes: LIMITS.nameBytes.value,
      lookMs,
      gitMs: patienceMs,
    },
  };
}

interface Handing {
  readonly wish: CollectorRequest;
  readonly quarantine: Quarantine;
  readonly late: AbortSignal;
}

/** Runs a collector: its pack goes to a quarantine, and what it says is read as far as it makes sense. */
async function handedIn({ site, means }: Asking, { wish, quarantine, late }: Handing): Promise<CollectorClaims> {
  const child = await startCollector(site, wish, means);
  const end = (): void => killAll(child);
  late.addEventListener('abort', end);
  if (late.aborted) end();
  try {
    const [answer, words] = [
      gathered(child.stdio[3] as Readable, quarantine.bounds.saidBytes, end),
      gathered(child.stderr, MOST_WORDS),
    ];
    const closed = once(child, 'close') as Promise<[number | null, string | null]>;
    const pack = indexPack(quarantine, child.stdout as Readable, late);
    const [ended, taken] = await Promise.allSettled([closed, pack]);
    const [code, signal] = ended.status === 'fulfilled' ? ended.value : [null, null];
    if (code !== 0) throw new Fault('conflict', (await words).trim() || `the collector ended with ${signal ?? code}`);
    if (taken.status === 'rejected') throw new Fault('conflict', reasonOf(taken.reason));
    return readSaid(await answer, quarantine.bounds);
  } finally {
    late.removeEventListener('abort', end);
    end();
  }
}

/** The beginning of a stream; `onFull` is told when there is more. */
async function gathered(stream: Readable | null, most: number, onFull: () => void = () => undefined): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  if (stream) {
    stream.on('data', (chunk: Buffer) => {
      if (size < most) chunks.push(chunk.subarray(0, most - size));
      size += chunk.length;
      if (size > most) onFull();
    });
    stream.on('error', () => undefined);
    await once(stream, 'close');
  }
  return Buffer.concat(chunks).toString('utf8');
}

function killAll(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  for (const pid of [-child.pid, child.pid])
    try {
      process.kill(pid, 'SIGKILL');
      return;
    } catch {
      // It leads no group of its own, or has ended already.
    }
}

/** What was said, in the shape and size that is expected, or not at all: it ends up in rows and in front of people. */
function readSaid(text: string, { refs }: IntakeBounds): CollectorClaims {
  const said = parsed(text) as Partial<CollectorClaims> | undefined;
  const isText = (value: unknown): value is string =>
    typeof value === 'string' && Buffer.byteLength(value) <= LIMITS.nameBytes.value;
  const isTextOrNone = (value: unknown): boolean => value === undefined || isText(value);
  const isPair = (value: unknown): boolean => Array.isArray(value) && value.length === 2 && value.every(isText);
  const isList = (value: unknown, most: number, isOne: (one: unknown) => boolean): boolean =>
    Array.isArray(value) && value.length <= most && value.every(isOne);
  const isSound =
    isText(said?.snap) &&
    [said.head, said.headRef, said.branch, said.underWay].every(isTextOrNone) &&
    isList(said.also, refs, isPair) &&
    isList(said.left, LIMITS.leftNames.value + 1, isText) &&
    typeof said.conflicts === 'boolean' &&
    Number.isSafeInteger(said.refsLeft) &&
    (said.refsLeft ?? -1) >= 0;
  if (!isSound) throw new Fault('conflict', 'the collector said nothing that makes sense');
  return said as CollectorClaims;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
