import { type BigIntStats, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exists } from '../../platform/files.ts';
import { readRegular } from '../../platform/read-safely.ts';
import { type GitEnd, type GitOptions, git, gitFault } from './git.ts';
import { filesConfig, formatOf, formatSettings, historyConfig, type Pair } from './lent-config.ts';
import { fleetsOwn, type GitLocation, type LendingRepository } from './location.ts';
import { settingsText } from './repository-settings.ts';
import { removeScratch, scratchBeside, scratchPlace } from './scratch-place.ts';

/**
 * A git directory of Fleet's that has no configuration, hooks or replacements of a repository: it lends the repository's objects
 * and, where they are needed, its refs, by links. So there is nothing to disarm and nothing to miss.
 */
export interface ScratchGitDir extends AsyncDisposable {
  readonly path: string;
  /** Git in here, closed unless another mode is said. Not to be started at all is thrown; what it said is the caller's to judge. */
  run(args: readonly string[], more?: More): Promise<GitEnd>;
  /** A new directory that goes with it. */
  room(): Promise<string>;
}

/** One that lends refs too, and may stand in for the common directory of a checkout. */
export interface LendingGitDir extends ScratchGitDir {
  /** Git with HEAD, index and logs of the checkout itself. */
  entry(parts: Entry): GitLocation;
}

interface Entry {
  readonly workTree?: string | undefined;
  readonly index?: string | undefined;
  readonly cwd?: string | undefined;
}

type More = Partial<GitOptions> & { readonly workTree?: string | undefined; readonly cwd?: string | undefined };

/**
 * - `history`: objects and refs to be read; HEAD is that of an entry alone. Nothing the repository is set to changes an answer.
 * - `files`: the log of its refs and the attributes besides, and those settings of the repository that say how its files and
 *   its history are kept.
 */
export type Lends = 'history' | 'files';

const NOTHING = 'refs/heads/nothing';

const LINKS: Readonly<Record<Lends, readonly string[]>> = {
  history: ['objects', 'refs', 'packed-refs', 'worktrees', 'shallow'],
  files: ['objects', 'refs', 'packed-refs', 'worktrees', 'shallow', 'HEAD', 'logs', 'info'],
};

/**
 * One that lends a repository. It holds nothing of one piece of work, so all that this process does in the repository shares it: making
 * one costs as much as starting git. It is made anew when the configuration of the repository has changed.
 */
export async function lentGitDir(lender: LendingRepository, lends: Lends, env: NodeJS.ProcessEnv): Promise<LendingGitDir> {
  const { gitDir, commonDir } = lender;
  const one = await usedBy(commonDir, lends, env);
  return {
    ...dressed(one.path, env, () => leave(one)),
    entry: (parts) => fleetsOwn({ gitDir, commonDir: one.path, ...parts }),
  };
}

interface Shared {
  readonly path: string;
  readonly state: string;
  readonly madeAt: number;
  users: number;
  /** Another one has taken its place. */
  isOver: boolean;
}

const shared = new Map<string, Shared>();
const MOST = 100;
/** Some systems take files away from the temporary directory that are days old. */
const GOOD_MS = 3_600_000;

/** Counted from the first moment: whoever makes another one meanwhile takes away what nobody uses. */
async function usedBy(commonDir: string, lends: Lends, env: NodeJS.ProcessEnv): Promise<Shared> {
  const place = env['TMPDIR'] || tmpdir();
  const key = JSON.stringify([place, commonDir, lends]);
  const state = await stateOf(commonDir);
  const found = shared.get(key);
  if (found?.state === state && performance.now() - found.madeAt < GOOD_MS) {
    found.users += 1;
    if (await exists(join(found.path, 'config'))) return found;
    await leave(found);
  }
  const config = await (lends === 'history' ? historyConfig(commonDir) : filesConfig(commonDir, env));
  const path = await scratchPlace(place, 'shared');
  writeFileSync(join(path, 'config'), settingsText(config));
  // Git takes no directory for its own in which HEAD is a link, but looks through one in a common directory.
  if (lends === 'history') writeFileSync(join(path, 'HEAD'), `ref: ${NOTHING}\n`);
  for (const name of LINKS[lends]) symlinkSync(join(commonDir, name), join(path, name));
  const made: Shared = { path, state, madeAt: performance.now(), users: 1, isOver: false };
  await replace(key, made);
  return made;
}

async function leave(one: Shared): Promise<void> {
  one.users -= 1;
  if (one.isOver && one.users === 0) await removeScratch(one.path);
}

async function replace(key: string, made: Shared): Promise<void> {
  const before = shared.get(key);
  shared.delete(key);
  shared.set(key, made);
  const oldest = shared.size > MOST ? [...shared].find(([, { users }]) => users === 0) : undefined;
  if (oldest) shared.delete(oldest[0]);
  for (const past of [before, oldest?.[1]]) {
    if (!past || past === made) continue;
    past.isOver = true;
    if (past.users === 0) await removeScratch(past.path);
  }
}

async function stateOf(commonDir: string): Promise<string> {
  const found = await stat(join(commonDir, 'config'), { bigint: true }).catch(() => undefined);
  return found ? stamp(found) : 'none';
}

const stamp = ({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string => [ino, size, mtimeNs, ctimeNs].join('/');

export interface Furniture {
  readonly settings?: readonly Pair[] | undefined;
  /** The commit that is checked out. */
  readonly head?: string | undefined;
  /** Refs of the repository to be read: a push knows then what there is. */
  readonly withRefs?: boolean | undefined;
  /** How files lie on disk is taken from the checkout, beside its settings. */
  readonly withLayout?: boolean | undefined;
}

const QUIET: readonly Pair[] = [
  { key: 'core.logallrefupdates', value: 'false' },
  { key: 'checkout.workers', value: '1' },
];

/** One for a single piece of work, with HEAD, index and refs of its own; all that is made in it but objects goes with it. */
export async function ownGitDir(lender: LendingRepository, furniture: Furniture, env: NodeJS.ProcessEnv): Promise<ScratchGitDir> {
  const { gitDir, commonDir } = lender;
  const { settings = [], head, withRefs = false, withLayout = false } = furniture;
  const { hash } = await formatOf(commonDir);
  const path = await scratchPlace(env['TMPDIR'] || tmpdir(), 'own');
  writeFileSync(join(path, 'config'), settingsText([...formatSettings(hash), ...QUIET, ...settings]));
  writeFileSync(join(path, 'HEAD'), head === undefined ? `ref: ${NOTHING}\n` : `${head}\n`);
  symlinkSync(join(commonDir, 'objects'), join(path, 'objects'));
  if (withRefs) symlinkSync(join(commonDir, 'refs'), join(path, 'refs'));
  else mkdirSync(join(path, 'refs', 'heads'), { recursive: true });
  const copies: (readonly [from: string, name: string])[] = [[join(commonDir, 'shallow'), 'shallow']];
  if (withRefs) copies.push([join(commonDir, 'packed-refs'), 'packed-refs']);
  // An attribute alone runs nothing.
  if (withLayout)
    copies.push(
      [join(gitDir, 'info', 'sparse-checkout'), 'info/sparse-checkout'],
      [join(commonDir, 'info', 'attributes'), 'info/attributes'],
    );
  if (withLayout) mkdirSync(join(path, 'info'));
  for (const [from, name] of copies) await copyIfThere(from, join(path, name));
  return dressed(path, env, () => removeScratch(path));
}

const MOST_COPIED_BYTES = 256 * 1024 * 1024;

async function copyIfThere(from: string, to: string): Promise<void> {
  const read = await readRegular(from, MOST_COPIED_BYTES);
  if ('bytes' in read) writeFileSync(to, read.bytes);
}

function dressed(path: string, env: NodeJS.ProcessEnv, leave: () => Promise<void>): ScratchGitDir {
  const rooms: string[] = [];
  return {
    path,
    run: async (args, { workTree, cwd = workTree ?? path, mode = 'closed', ...more } = {}) => {
      const end = await git(fleetsOwn({ gitDir: path, workTree, cwd }), args, env, { mode, ...more });
      if (end.missing) throw gitFault(end, `run ${args[0]}`);
      return end;
    },
    room: async () => {
      const room = await scratchBeside(path);
      rooms.push(room);
      return room;
    },
    [Symbol.asyncDispose]: async () => {
      for (const room of rooms) await removeScratch(room);
      await leave();
    },
  };
}
