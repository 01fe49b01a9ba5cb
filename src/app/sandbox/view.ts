import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import type { Executor } from '../../domain/agent/executor.ts';
import type { Settings } from '../../domain/settings.ts';
import { MASKED } from '../../domain/work/guarded-paths.ts';
import type { RunStart } from '../../engine/supervise/deps.ts';
import { NETWORK_VARIABLES } from '../../executors/providers.ts';
import { below, pathForArguments } from '../../platform/agent-path.ts';
import { isThereSync } from '../../platform/read-safely-sync.ts';
import { filesOf } from '../../runner/run-place.ts';
import { machineHere } from '../../sandbox/machine.ts';
import { DOOR, type Placeholder } from '../../sandbox/plan.ts';
import { isWithin, type Mount, type SandboxView } from '../../sandbox/profile.ts';
import { credentialPlace } from '../credential-place.ts';
import { named } from '../environment.ts';
import { findCommand } from '../find-program.ts';
import type { HomePaths } from '../home.ts';
import { notePlaces } from '../notes.ts';
import { MAKES_A_REPOSITORY, type SandboxGround } from './ground.ts';
import { belongings, bothWays, clearTheWay, kindOf, pathDirectories, readable, writable } from './paths-here.ts';
import { plantedLink } from './plain-sources.ts';

/** One start that is to happen in a sandbox. */
export interface Confined {
  readonly paths: HomePaths;
  readonly settings: Settings;
  readonly taskId: string;
  readonly runDirectory: string;
  readonly ground: SandboxGround;
  readonly executor: Executor | undefined;
  readonly isChore: boolean;
  readonly start: RunStart;
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
  exceeded: filesOf({ directory: runDirectory }).exceeded,
});

/** That of a task outlives its runs, so that a conversation can go on. What moved out of its home lies beside it. */
export const ownHome = ({ ground, paths, taskId }: Pick<Confined, 'ground' | 'paths' | 'taskId'>): string =>
  ground.home ?? pathForArguments(below(notePlaces(paths.tasks, taskId).directory, 'home'));

/** One for each program: a task may move on to another. */
const ownMoved = (paths: HomePaths, taskId: string, executor: string): string =>
  pathForArguments(below(notePlaces(paths.tasks, taskId).directory, `moved-home/${executor}`));

export const userHome = ({ env }: RunStart): string => resolve(env['HOME'] || homedir());

export interface ViewResult {
  readonly view: SandboxView;
  readonly placeholders: readonly Placeholder[];
  /** Directories of the task's own that must be there. */
  readonly own: readonly string[];
}

/** What the run is to see, or why that cannot be. */
export async function viewOf(wish: Confined): Promise<ViewResult | { readonly why: string }> {
  const { start, paths, settings } = wish;
  const home = userHome(start);
  const { directory } = start;
  for (const kept of [home, paths.path])
    if (isWithin(kept, directory))
      return { why: `${kept} lies in ${directory}, where the agent is to work, and could not be hidden from it` };
  const worked = wish.ground.kind === 'clone' ? cloneMounts(wish.ground, wish.isChore) : await placeMounts(wish);
  if ('why' in worked) return worked;
  const [hidden, machine] = await Promise.all([hiddenPlaces(wish, home), machineHere()]);
  const isIn = (path: string, places: readonly string[]): boolean => places.some((place) => isWithin(path, place));
  const isHidden = (path: string): boolean => isIn(path, hidden) || !isIn(path, machine.directories);
  const shared = await resolved(inHome(settings.sandbox_write, home));
  const homes = [writable(home, ownHome(wish)), ...(await movedHome(wish, { home, shared, isHidden }))];
  const isTaken = (path: string): boolean => shared.includes(path) || homes.some(({ at }) => at === path);
  const needed = (await resolved(await neededPaths(wish, home))).filter(isHidden);
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
    ...worked.mounts,
  ];
  const written = [paths.workspaces, paths.tasks, paths.runs, directory, ...shared];
  const planted = await plantedLink([...namedPaths(wish, home), ...mounts.map(({ from }) => from)], written);
  if (planted !== undefined)
    return { why: `${planted} is a link, in a place where an agent could have made it: what it leads to is not shown` };
  for (const own of homes) await clearTheWay(own, mounts);
  const network = settings.sandbox_hosts.includes('*') ? 'shared' : 'own';
  const memoryBytes = settings.sandbox_tmp_mb * 1024 * 1024;
  const view = { machine, hidden, mounts, directory, network, memoryBytes } as const;
  return { view, placeholders: worked.placeholders, own: homes.map(({ from }) => from) };
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

interface Worked {
  readonly mounts: readonly Mount[];
  readonly placeholders: readonly Placeholder[];
}

/**
 * Nothing of the project is there. No program outside opens this tree, so it may hold anything. What set-up and gate run is the
 * agent's too, and they have no reason to change what git knows.
 */
const cloneMounts = ({ mounts }: Extract<SandboxGround, { kind: 'clone' }>, isChore: boolean): Worked => ({
  mounts: [
    writable(mounts.tree),
    isChore ? readable(mounts.at, mounts.agentGit) : writable(mounts.at, mounts.agentGit),
    readable(mounts.objects.at, mounts.objects.from),
  ],
  placeholders: [],
});

/**
 * Of what programs obey as soon as somebody opens the directory, what is there can be read; what is not is an empty directory,
 * or a file that takes everything and holds nothing.
 */
async function placeMounts({ start: { directory }, runDirectory }: Confined): Promise<Worked | { readonly why: string }> {
  const masked = MASKED.map(({ name, of }) => ({ path: join(directory, name), of }));
  const places = [...masked, ...MAKES_A_REPOSITORY(directory)];
  const kinds = await Promise.all(places.map(({ path }) => kindOf(path)));
  const those = (...wanted: readonly string[]) => places.filter((_, n) => wanted.includes(kinds[n] ?? ''));
  const [link] = those('link', 'other');
  if (link !== undefined)
    return { why: `${link.path} is a link or no plain file, so what it leads to cannot be kept from being changed` };
  // A socket is what a sandbox before this one left, when it was killed.
  const placeholders = those('absent', 'socket');
  const { empty, ignored } = boxPlaces(runDirectory);
  const maskOf = (path: string): string => (INSISTENT.has(basename(path)) ? ignored : empty);
  return {
    mounts: [
      writable(directory),
      ...those('file', 'directory').map(({ path }) => readable(path)),
      ...placeholders.map(
        ({ path, of }): Mount => (of === 'file' ? { from: '/dev/null', at: path, as: 'device' } : readable(path, maskOf(path))),
      ),
    ],
    placeholders,
  };
}

/** Homes, Fleet's own directory, and where sockets of other programs lie. */
async function hiddenPlaces({ paths, start }: Confined, home: string): Promise<string[]> {
  const all = [home, paths.path, '/home', '/root', '/tmp', '/var/tmp', '/run', start.env['TMPDIR'] ?? '/tmp'];
  const found = (await Promise.all(all.map(bothWays))).flat();
  const directories = await Promise.all(found.map(async (path) => ((await kindOf(path)) === 'directory' ? [path] : [])));
  return [...new Set(directories.flat())];
}

/** Programs, and files that say whom to trust. Of the user's home nothing else is shown. */
async function neededPaths(wish: Confined, home: string): Promise<string[]> {
  const { start, ours, settings } = wish;
  return [
    ...(await resolved(programsOf(start))).flatMap(belongings),
    ...ours.map((path) => dirname(path)),
    ...pathDirectories(start.env).filter((path) => path !== home),
    ...valuesOf(wish).filter((value) => value !== home),
    ...inHome(settings.sandbox_read, home),
    ...(settings.sandbox_hosts.includes('*') ? ['/run/systemd/resolve'] : []),
    '/run/current-system',
  ];
}

/** As the user, or a program of his, has written them: before any link is followed. */
const namedPaths = (wish: Confined, home: string): string[] => [
  ...programsOf(wish.start),
  ...pathDirectories(wish.start.env),
  ...valuesOf(wish),
  ...inHome([...wish.settings.sandbox_read, ...wish.settings.sandbox_write], home),
];

/** What runs in there, by path; a plain name is found as it will be. */
export const programsOf = ({ command, programs = [], env }: RunStart): string[] =>
  [findCommand(command, env) ?? command, ...programs, process.execPath].filter((path) => path.startsWith('/'));

/** Paths in variables of its program and its providers. */
function valuesOf({ start, executor, isChore }: Confined): string[] {
  const isNamed = named([...NETWORK_VARIABLES, ...ownNames(executor, isChore)]);
  return Object.entries(start.env).flatMap(([name, value]) => (isNamed(name) && value.startsWith('/') ? [value] : []));
}

/** Variables of its program and of its providers; a command of the project has none. */
export const ownNames = (executor: Executor | undefined, isChore: boolean): readonly string[] =>
  isChore ? [] : (executor?.program?.variables ?? executor?.variables ?? []);

const inHome = (paths: readonly string[], home: string): string[] =>
  paths.map((path) => (path.startsWith('~/') ? join(home, path.slice(2)) : resolve('/', path)));

const resolved = async (paths: readonly string[]): Promise<string[]> => (await Promise.all(paths.map(bothWays))).flat();

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
    ...(isThereSync(notes.directory) || start.steps.length > 0
      ? [readable(pathForArguments(notes.directory)), writable(pathForArguments(notes.artifacts))]
      : []),
    writable(runDirectory, box),
    ...[...new Set(files)].map((path) => readable(path)),
    readable(paths.agentsDoor, live),
    readable(DOOR, door),
  ];
}
