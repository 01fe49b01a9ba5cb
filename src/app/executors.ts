import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Executor } from '../domain/agent/executor.ts';
import type { Settings } from '../domain/settings.ts';
import { parseCustomExecutor } from '../executors/custom/custom.ts';
import { scripted } from '../executors/scripted/scripted.ts';
import { shell } from '../executors/shell/shell.ts';
import { BUILT_IN, type BuiltIn } from './built-in.ts';
import { type Added, type AddedExecutors, addedExecutors } from './custom-executors.ts';
import { findProgram } from './find-program.ts';
import type { HomePaths } from './home.ts';
import type { Place } from './place.ts';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Executors that can be started here: what comes with the program, and what the user added as files. Asked for before
 * every start and every claim: a few looks at names, and a wait only where a module is new.
 */
export interface ExecutorShelf {
export function executorShelf(
  paths: HomePaths,
  env: Env,
  settings: () => Settings,
): {
  /** Those that can be started now. */
  all(): Promise<ReadonlyMap<string, Executor>>;
  /** One that can be started, or one whose runs are still to be read although its program is gone. */
  named(name: string): Promise<Executor | undefined>;
  /** Those that come with Fleet and need a program of somebody else's. */
  readonly builtIn: readonly BuiltIn[];
  readonly added: AddedExecutors;
}

export function executorShelf(paths: HomePaths, env: Env, builtIn: readonly BuiltIn[] = BUILT_IN): ExecutorShelf {
  const own = [scripted({ node: process.execPath, agent: ours('scripted-agent') }), shell];
  const found = foundPrograms(builtIn, env);
  const added = addedExecutors(paths);
  const shelf = (custom: readonly Added[]): ReadonlyMap<string, Executor> =>
    new Map([
      ...custom.flatMap(({ name, executor }) => (executor ? [[name, executor] as const] : [])),
      ...[...found(), ...own].map((executor) => [executor.name, executor] as const),
    ]);
  const withoutProgram = (name: string): Executor | undefined => {
    const one = builtIn.find((candidate) => candidate.name === name);
    return one?.make({ command: one.program.command, node: process.execPath, ours });
  };
  return {
    builtIn,
    added,
    all: async () => shelf(await added.look()),
    named: async (name) => shelf(await added.look(name)).get(name) ?? withoutProgram(name),
  };
}

  const placeOf = (command: string): Place => ({ command, node: process.execPath, home: paths.path, settings: settings(), ours });
  const found = foundPrograms(env, placeOf);
  const read = new Map<string, Read>();
  const all = (): ReadonlyMap<string, Executor> => {
    const names = customNames(paths);
    for (const gone of [...read.keys()].filter((name) => !names.includes(name))) read.delete(gone);
    for (const name of names) read.set(name, readExecutor(paths, name, read.get(name)));
    const custom = [...read].flatMap(([name, { executor }]) => (executor ? [[name, executor] as const] : []));
    return new Map([...custom, ...[...found(), ...own].map((executor) => [executor.name, executor] as const)]);
  };
  return {
    problems: () => [...read.values()].flatMap(({ problem }) => problem ?? []),
    all,
    named: (name) => all().get(name) ?? withoutProgram(name, placeOf),
  };
}

function withoutProgram(name: string, placeOf: (command: string) => Place): Executor | undefined {
  const builtIn = BUILT_IN.find((one) => one.name === name);
  return builtIn?.make(placeOf(builtIn.program.command));
}

const SUFFIX = '.toml';

export const customNames = (paths: HomePaths): string[] =>
  filesIn(paths.executors)
    // Names that begin like this are ours.
    .filter((file) => file.endsWith(SUFFIX) && !file.startsWith('fleet.'))
    .map((file) => file.slice(0, -SUFFIX.length));

function filesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

export const customFile = (paths: HomePaths, name: string): string => join(paths.executors, `${name}${SUFFIX}`);

function readExecutor(paths: HomePaths, name: string, before: Read | undefined): Read {
  const file = customFile(paths, name);
  const changedAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (before?.changedAt === changedAt) return before;
  try {
    return { changedAt, executor: parseCustomExecutor(name, readFileSync(file, 'utf8')) };
  } catch (error) {
    return { changedAt, problem: error instanceof Error ? error.message : String(error) };
  }
}

/** A program that is not there is looked for again after this long: somebody may have installed it. */
const LOOK_AGAIN_MS = 5_000;

interface Found {
  readonly at: number;
  readonly place?: Place;
  readonly executor?: Executor;
}

/** Those of the built-in executors whose program is on this machine now. */
function foundPrograms(builtIns: readonly BuiltIn[], env: Env): () => Executor[] {
  const known = new Map<string, { readonly at: number; readonly command?: string; readonly executor?: Executor }>();
  const look = (builtIn: BuiltIn) => {
    const command = findProgram(builtIn.program, env);
    const executor = command === undefined ? undefined : builtIn.make({ command, node: process.execPath, ours });
    return { at: performance.now(), ...(command === undefined ? {} : { command }), ...(executor ? { executor } : {}) };
function foundPrograms(env: Env, placeOf: (command: string) => Place): () => Executor[] {
  const known = new Map<string, Found>();
  const look = ({ program, make }: BuiltIn): Found => {
    const command = findProgram(program, env);
    const place = command === undefined ? undefined : placeOf(command);
    return { at: performance.now(), ...(place ? { place, executor: make(place) } : {}) };
  };
  /** It is still there, and was made with what is set now. */
  const isFresh = ({ at, place }: Found): boolean =>
    place
      ? existsSync(place.command) && place.settings === placeOf(place.command).settings
      : performance.now() - at < LOOK_AGAIN_MS;
  return () =>
    builtIns.flatMap((builtIn) => {
      const before = known.get(builtIn.name);
      const now = before && isFresh(before) ? before : look(builtIn);
      known.set(builtIn.name, now);
      return now.executor ?? [];
    });
}

/** In the bundle it lies beside the program, one folder above this chunk. */
export function ours(name: string): string {
  const beside = fileURLToPath(new URL(`./${name}.mjs`, import.meta.url));
  return existsSync(beside) ? beside : fileURLToPath(new URL(`../${name}.mjs`, import.meta.url));
}
