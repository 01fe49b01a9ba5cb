import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import type { Executor } from '../../domain/agent/executor.ts';
import type { Settings } from '../../domain/settings.ts';
import type { Start } from '../../engine/supervise/needs.ts';
import { NETWORK } from '../../executors/providers.ts';
import { DOOR, type Placeholder } from '../../sandbox/plan.ts';
import { isWithin, type Mount, type View } from '../../sandbox/profile.ts';
import { SETTINGS_DIRECTORIES, SETTINGS_FILES } from '../../sandbox/settings-paths.ts';
import { credentialPlace } from '../credential-place.ts';
import { named } from '../environment.ts';
import type { HomePaths } from '../home.ts';
import { notePlaces } from '../notes.ts';
import { gitMounts } from './git-mounts.ts';
import { belongings, bothWays, clearTheWay, kindOf, pathDirectories, readable, writable } from './paths-here.ts';

/** One start that is to happen in a sandbox. */
export interface Confined {
  readonly paths: HomePaths;
  readonly settings: Settings;
  readonly taskId: string;
  readonly runDirectory: string;
  /** Its workspace is one of ours, not a directory of the user's. */
  readonly isOurs: boolean;
  readonly executor: Executor | undefined;
  readonly isChore: boolean;
  readonly start: Start;
  /** Programs of Fleet itself that run in there. */
  readonly ours: readonly string[];
}

/** Directories of a run in a sandbox, on the machine. */
export const boxPlaces = (runDirectory: string) => ({
  /** What it sees as its run directory, and may write. */
  box: join(runDirectory, 'box'),
  empty: join(runDirectory, 'empty'),
  /** Looks empty to git, and holds what one program insists on writing there. */
  ignored: join(runDirectory, 'ignored'),
  door: join(runDirectory, 'door'),
  live: join(runDirectory, 'sandbox-up.json'),
  plan: join(runDirectory, 'sandbox.json'),
});

/** Outlives its runs, so that a conversation can go on. What moved out of its home lies beside it. */
export const ownHome = (paths: HomePaths, taskId: string): string => join(notePlaces(paths.tasks, taskId).directory, 'home');

/** One for each program: a task may move on to another. */
const ownMoved = (paths: HomePaths, taskId: string, executor: string): string =>
  join(notePlaces(paths.tasks, taskId).directory, 'moved-home', executor);

export const userHome = ({ env }: Start): string => resolve(env['HOME'] || homedir());

export interface Seen {
  readonly view: View;
  readonly placeholders: readonly Placeholder[];
  /** Directories of the task's own that must be there. */
  readonly own: readonly string[];
}

/** What the run is to see, or why that cannot be. */
export async function viewOf(wish: Confined): Promise<Seen | { readonly why: string }> {
  const { start, paths, settings } = wish;
  const home = userHome(start);
  const { directory } = start;
  for (const kept of [home, paths.path])
    if (isWithin(kept, directory))
      return { why: `${kept} lies in ${directory}, where the agent is to work, and could not be hidden from it` };
  const masked = await masksIn(wish);
  const [link] = masked.links;
  if (link !== undefined)
    return { why: `${link} is a link or no plain file, so what it leads to cannot be kept from being changed` };
  const hidden = await hiddenPlaces(wish, home);
  const isHidden = (path: string): boolean => hidden.some((place) => isWithin(path, place));
  const shared = await extras(settings.sandbox_write, home);
  const homes = [writable(home, ownHome(paths, wish.taskId)), ...(await movedHome(wish, { home, shared, isHidden }))];
  const isTaken = (path: string): boolean => shared.includes(path) || homes.some(({ at }) => at === path);
  const needed = (await Promise.all((await neededPaths(wish, home)).map(bothWays))).flat().filter(isHidden);
  const mounts = [
    ...homes,
    ...(
      await seenOnce(
        needed.filter((path) => !isTaken(path)),
        shared,
      )
    ).map((path) => readable(path)),
    ...shared.map((path) => writable(path)),
    ...(wish.isChore ? [] : await credentialsOf(wish, home)),
    ...ownPlaces(wish),
    writable(directory),
    ...masked.mounts,
  ];
  for (const own of homes) await clearTheWay(own, mounts);
  const network = settings.sandbox_hosts.includes('*') ? 'shared' : 'own';
  return { view: { hidden, mounts, directory, network }, placeholders: masked.placeholders, own: homes.map(({ from }) => from) };
}

interface Around {
  readonly home: string;
  readonly shared: readonly string[];
  isHidden(path: string): boolean;
}

/**
 * A variable may move what the program keeps in its home: that is the task's own then, as its home is, unless the user lets
 * it write to his.
 */
async function movedHome(
  { paths, taskId, executor, isChore, start }: Confined,
  { home, shared, isHidden }: Around,
): Promise<Mount[]> {
  const moved = isChore ? undefined : executor?.program?.moved;
  const to = moved && start.env[moved.variable];
  if (!executor || !to?.startsWith('/')) return [];
  const [path = to, real = path] = await bothWays(resolve(to));
  const at = isHidden(path) ? path : real;
  if (!isHidden(at) && (await kindOf(at)) !== 'directory') return [];
  const isWide = [home, start.directory, paths.path].some((kept) => isWithin(kept, at));
  return isWide || shared.some((one) => one === at || one === real) ? [] : [writable(at, ownMoved(paths, taskId, executor.name))];
}

/** What lies in a directory that is shown is shown with it; as a link it could not even be mounted on. */
async function seenOnce(needed: readonly string[], shared: readonly string[]): Promise<string[]> {
  const kinds = await Promise.all(needed.map(kindOf));
  const shown = needed.filter((_, n) => kinds[n] === 'directory');
  const isIn = (path: string, directories: readonly string[]) => directories.some((one) => one !== path && isWithin(path, one));
  return needed.filter((path, n) => !isIn(path, shown) && !(kinds[n] === 'link' && isIn(path, shared)));
}

/** Directories that their programs put a `.gitignore` into wherever they find them, and fail if they cannot. */
const INSISTENT = new Set(['.opencode']);

/** What is there can be read; what is not is an empty directory, or a file that takes everything and holds nothing. */
async function masksIn({ start: { directory }, isOurs, runDirectory }: Confined): Promise<Masks> {
  const names = [...SETTINGS_DIRECTORIES, ...SETTINGS_FILES];
  const places = names.map(
    (name) => ({ path: join(directory, name), of: SETTINGS_FILES.includes(name) ? 'file' : 'directory' }) as const,
  );
  const kinds = await Promise.all(places.map(({ path }) => kindOf(path)));
  const those = (...wanted: readonly string[]) => places.filter((_, n) => wanted.includes(kinds[n] ?? ''));
  const git = await gitMounts(directory, isOurs);
  // A socket is what a sandbox before this one left, when it was killed.
  const placeholders = [...those('absent', 'socket'), ...git.absent.map((path) => ({ path, of: 'directory' }) as const)];
  const { empty, ignored } = boxPlaces(runDirectory);
  const maskOf = (path: string): string => (INSISTENT.has(basename(path)) ? ignored : empty);
  return {
    mounts: [
      ...those('file', 'directory').map(({ path }) => readable(path)),
      ...git.mounts,
      ...placeholders.map(
        ({ path, of }): Mount => (of === 'file' ? { from: '/dev/null', at: path, as: 'device' } : readable(path, maskOf(path))),
      ),
    ],
    placeholders,
    links: [...those('link', 'other').map(({ path }) => path), ...git.links],
  };
}

interface Masks {
  readonly mounts: readonly Mount[];
  readonly placeholders: readonly Placeholder[];
  readonly links: readonly string[];
}

/** Homes, Fleet's own directory, and where sockets of other programs lie. */
async function hiddenPlaces({ paths, start }: Confined, home: string): Promise<string[]> {
  const all = [home, paths.path, '/home', '/root', '/tmp', '/var/tmp', '/run', start.env['TMPDIR'] ?? '/tmp'];
  const found = (await Promise.all(all.map(bothWays))).flat();
  const directories = await Promise.all(found.map(async (path) => ((await kindOf(path)) === 'directory' ? [path] : [])));
  return [...new Set(directories.flat())];
}

/** Programs, and files that say whom to trust. Of the user's home nothing else is shown. */
async function neededPaths({ start, settings, ours, executor, isChore }: Confined, home: string): Promise<string[]> {
  const programs = [start.command, process.execPath].filter((path) => path.startsWith('/'));
  const real = (await Promise.all(programs.map(bothWays))).flat();
  const isNamed = named([...NETWORK, ...ownNames(executor, isChore)]);
  const values = Object.entries(start.env).filter(([name]) => isNamed(name));
  return [
    ...real.flatMap(belongings),
    ...ours.map((path) => dirname(path)),
    ...pathDirectories(start.env).filter((path) => path !== home),
    ...values.map(([, value]) => value).filter((value) => value.startsWith('/') && value !== home),
    ...(await extras(settings.sandbox_read, home)),
    ...(settings.sandbox_hosts.includes('*') ? ['/run/systemd/resolve'] : []),
    '/run/current-system',
  ];
}

/** Variables of its program and of its providers; a command of the project has none. */
export const ownNames = (executor: Executor | undefined, isChore: boolean): readonly string[] =>
  isChore ? [] : (executor?.program?.variables ?? executor?.variables ?? []);

const extras = async (paths: readonly string[], home: string): Promise<string[]> =>
  (
    await Promise.all(paths.map((path) => bothWays(path.startsWith('~/') ? join(home, path.slice(2)) : resolve('/', path))))
  ).flat();

/** The log-in alone: a file each, which its program may renew in place. What else it keeps is its own in here. */
async function credentialsOf({ executor, start }: Confined, home: string): Promise<Mount[]> {
  const { credentials = [], moved } = executor?.program ?? {};
  const places = credentials.map((path) => credentialPlace(path, moved, { ...start.env, HOME: home }));
  const kinds = await Promise.all(places.map(kindOf));
  return places.filter((_, n) => kinds[n] === 'file').map((path) => writable(path));
}

/** Of Fleet's own directory: the notes of its task, and the files of this run. */
function ownPlaces({ paths, taskId, runDirectory, start }: Confined): Mount[] {
  const { box, door, live } = boxPlaces(runDirectory);
  const notes = notePlaces(paths.tasks, taskId);
  const laid = start.steps.flatMap((step) => (step.lay === 'file' && dirname(step.path) === runDirectory ? [step.path] : []));
  const files = [...start.files.map(({ name }) => join(runDirectory, name)), ...laid];
  return [
    ...(existsSync(notes.directory) || start.steps.length > 0 ? [readable(notes.directory), writable(notes.artifacts)] : []),
    writable(runDirectory, box),
    ...[...new Set(files)].map((path) => readable(path)),
    readable(join(paths.path, basename(paths.live)), live),
    readable(DOOR, door),
  ];
}
