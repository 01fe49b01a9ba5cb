import { createHash, randomUUID } from 'node:crypto';
import { copyFile, link, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Fault } from '../../domain/fault.ts';
import { LIMITS } from '../../domain/limits.ts';
import { hasCode, PRIVATE_DIRECTORY, writeFileAtomic } from '../../platform/files.ts';
import { gitIn } from '../git/in-repository.ts';
import { gitHome } from '../git-home.ts';
import { withLock } from '../locks/repository-lock.ts';
import type { Seat } from '../seat.ts';
import { readShallow } from './project-facts.ts';

/**
 * The history of a project as packs in Fleet's home, made once and then by increments. Each pack holds what one commit, its
 * tip, reaches, without what other packs hold whose tips that commit reaches. So a clone that is shown the pack of its base
 * and those it needs sees everything its base reaches, and nothing else of the project; whatever happens in the
 * project's own store afterwards.
 */
interface Pack {
  readonly name: string;
  readonly tip: string;
  /** The packs besides without which it is not whole. */
  readonly needs: readonly string[];
  /** Annotated tags in it. */
  readonly tags: readonly string[];
}

/** What a clone is to see. */
export interface Shown {
  readonly directory: string;
  readonly packs: readonly string[];
  readonly tags: ReadonlySet<string>;
}

const RECORD = 'packs.json';
const NAME = /^pack-[0-9a-f]{40,64}$/;
/** Tips that are tried as the beginning of an increment: the newest is nearly always right. */
const TRIED = 8;

/** The packs for a commit of the project; they are made where they are missing. */
export async function packsFor(
  repository: Seat,
  wish: { readonly tip: string; readonly tags: readonly string[] },
  env: NodeJS.ProcessEnv,
): Promise<Shown> {
  const directory = await placeOf(repository, env);
  const there = shownOf(directory, await recordOf(directory), wish.tip);
  if (there) return there;
  await mkdir(directory, { recursive: true, mode: PRIVATE_DIRECTORY });
  return withLock(join(directory, 'lock'), async () => {
    const record = await recordOf(directory);
    const made = shownOf(directory, record, wish.tip);
    if (made) return made;
    const next = remembered(record, await makePack({ repository, directory, record }, wish, env));
    await writeFileAtomic(join(directory, RECORD), `${JSON.stringify(next)}\n`);
    await sweep(directory, next);
    return shownOf(directory, next, wish.tip) as Shown;
  });
}

/** What is shallow reaches less, and is another history when it no longer is. */
async function placeOf({ commonDir }: Seat, env: NodeJS.ProcessEnv): Promise<string> {
  const key = createHash('sha256').update(`${commonDir}\0${(await readShallow(commonDir)) ?? ''}`);
  return join(gitHome(env), 'history', key.digest('hex').slice(0, 24));
}

async function recordOf(directory: string): Promise<readonly Pack[]> {
  const text = await readFile(join(directory, RECORD), 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return '[]';
    throw error;
  });
  return JSON.parse(text) as readonly Pack[];
}

function shownOf(directory: string, record: readonly Pack[], tip: string): Shown | undefined {
  const pack = record.find((one) => one.tip === tip);
  if (!pack) return undefined;
  const packs = [pack.name, ...pack.needs];
  return { directory, packs, tags: new Set(record.filter(({ name }) => packs.includes(name)).flatMap(({ tags }) => tags)) };
}

interface Making {
  readonly repository: Seat;
  readonly directory: string;
  readonly record: readonly Pack[];
}

async function makePack(
  { repository, directory, record }: Making,
  { tip, tags }: { readonly tip: string; readonly tags: readonly string[] },
  env: NodeJS.ProcessEnv,
): Promise<Pack> {
  const below = await nearestBelow(repository, record, tip, env);
  const had = new Set(below ? (shownOf(directory, record, below.tip)?.tags ?? []) : []);
  const fresh = tags.filter((tag) => !had.has(tag));
  const scratch = join(directory, `making-${randomUUID()}`);
  await mkdir(scratch);
  try {
    const input = [tip, ...fresh, ...(below ? [`^${below.tip}`] : [])].map((line) => `${line}\n`).join('');
    const args = ['pack-objects', '--revs', '--delta-base-offset', '-q', join(scratch, 'pack')];
    const end = await gitIn(repository, args, env, {
      mode: 'user',
      input,
      timeoutMs: 0,
      settings: { 'pack.packSizeLimit': '0' },
    });
    if (end.code !== 0) throw notWhole(repository, end.err);
    const name = `pack-${end.out.toString('utf8').trim()}`;
    if (!NAME.test(name)) throw new Fault('unavailable', `git made no pack of the history of ${repository.commonDir}`);
    for (const file of await inOrder(scratch)) await rename(join(scratch, file), join(directory, file));
    return { name, tip, needs: below ? [below.name, ...below.needs] : [], tags: fresh };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

const notWhole = ({ commonDir }: Seat, why: string): Fault =>
  new Fault(
    'unavailable',
    `the history of ${commonDir} cannot be copied for a private clone: ${why.slice(0, 500)}; a partial clone has to fetch what is missing first (git fetch --refetch)`,
    { path: commonDir },
  );

/** A pack whose tip the commit reaches. */
async function nearestBelow(
  repository: Seat,
  record: readonly Pack[],
  tip: string,
  env: NodeJS.ProcessEnv,
): Promise<Pack | undefined> {
  for (const pack of record.toReversed().slice(0, TRIED)) {
    const { code } = await gitIn(repository, ['merge-base', '--is-ancestor', pack.tip, tip], env, {
      mode: 'closed',
      timeoutMs: 0,
    });
    if (code === 0) return pack.needs.length < LIMITS.historyLayers.value ? pack : undefined;
  }
  return undefined;
}

function remembered(record: readonly Pack[], pack: Pack): readonly Pack[] {
  const rest = record.filter(({ name }) => name !== pack.name);
  if (rest.length < LIMITS.historyPacks.value) return [...rest, pack];
  return [...rest.filter(({ name }) => pack.needs.includes(name)), pack];
}

async function sweep(directory: string, record: readonly Pack[]): Promise<void> {
  const names = new Set(record.map(({ name }) => name));
  for (const file of await readdir(directory)) {
    const isPast = file.startsWith('pack-') && !names.has(file.slice(0, file.lastIndexOf('.')));
    if (isPast || file.startsWith('making-')) await rm(join(directory, file), { recursive: true, force: true });
  }
}

/** An index says that its pack is there: it comes last. */
const inOrder = async (directory: string): Promise<string[]> =>
  (await readdir(directory)).sort((a, b) => Number(a.endsWith('.idx')) - Number(b.endsWith('.idx')));

/** Puts packs into a store by a second name for each file, or as copies where that cannot be. */
export async function linkPacks(from: string, names: readonly string[], to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const file of (await inOrder(from)).filter((one) => names.includes(one.slice(0, one.lastIndexOf('.')))))
    await linkFile(join(from, file), join(to, file));
}

export async function linkFile(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return;
    if (!hasCode(error, 'EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP')) throw error;
    // By this name git itself removes what a killed process has left of it.
    const temporary = join(dirname(to), `tmp_fleet_${randomUUID()}`);
    await copyFile(from, temporary);
    await rename(temporary, to);
  }
}
