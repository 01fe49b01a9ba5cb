import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Executor } from '../domain/agent/executor.ts';
import type { Settings } from '../domain/settings.ts';
import { acp } from '../executors/acp/acp.ts';
import { scripted } from '../executors/scripted/scripted.ts';
import { shell } from '../executors/shell/shell.ts';
import { BUILT_IN, type BuiltIn } from './built-in.ts';
import { type AddedExecutor, type AddedExecutors, addedExecutors } from './custom-executors.ts';
import { commandOf, findCommand, findProgram, pathMark } from './find-program.ts';
import type { HomePaths } from './home.ts';
import type { LaunchPlaces } from './launch-places.ts';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Executors that can be started here: what comes with the program, and what the user added as files. Asked for before
 * every start and every claim: a few looks at names, and a wait only where a module is new.
 */
export interface ExecutorRegistry {
  /** Those that can be started now. */
  all(): Promise<ReadonlyMap<string, Executor>>;
  /** One that can be started now: a look at this one alone. */
  startable(name: string): Promise<Executor | undefined>;
  /** One that can be started, or one whose runs are still to be read although it is gone or switched off. */
  named(name: string): Promise<Executor | undefined>;
  /** Where the program of one that comes with Fleet is now; undefined when it is not here. */
  programOf(builtIn: BuiltIn): string | undefined;
  /** One of them, whether or not its program is here. */
  made(builtIn: BuiltIn): Executor;
  /** Those that come with Fleet and need a program of somebody else's. */
  readonly builtIn: readonly BuiltIn[];
  readonly added: AddedExecutors;
}

interface Around {
  settings(): Settings;
  readonly builtIn?: readonly BuiltIn[];
}

export function executorRegistry(paths: HomePaths, env: Env, { settings, builtIn = BUILT_IN }: Around): ExecutorRegistry {
  const playing = scripted({ node: process.execPath, agent: ours('scripted-agent') });
  const always = [shell, acp];
  const own = () => (settings().scripted ? [playing, ...always] : always);
  const placeOf = (command: string): LaunchPlaces => ({
    command,
    node: process.execPath,
    home: paths.path,
    settings: settings(),
    ours,
  });
  const found = foundPrograms(env, placeOf);
  const added = addedExecutors(paths);
  const isThere = commandLook(env);
  const isStartable = ({ executor }: AddedExecutor): boolean => executor !== undefined && isThere(commandOf(executor));
  const shelf = (custom: readonly AddedExecutor[]): ReadonlyMap<string, Executor> =>
    new Map([
      ...custom.flatMap(({ name, executor }) => (executor ? [[name, executor] as const] : [])),
      ...[...builtIn.flatMap((one) => found(one).executor ?? []), ...own()].map((executor) => [executor.name, executor] as const),
    ]);
  const made = ({ program, make }: BuiltIn): Executor => make(placeOf(program.command));
  return {
    made,
    builtIn,
    added,
    programOf: (one) => found(one).place?.command,
    all: async () => shelf((await added.look()).filter(isStartable)),
    startable: async (name) => {
      const mine = builtIn.filter((one) => one.name === name).map((one) => found(one).executor);
      const [executor] = [...own().filter((one) => one.name === name), ...mine];
      return executor ?? (await added.look(name)).find(isStartable)?.executor;
    },
    named: async (name) => {
      const one = builtIn.find((candidate) => candidate.name === name);
      // Also one that was switched off meanwhile: what its runs have said can still be read.
      const ready = [playing, ...always].find((executor) => executor.name === name) ?? (one && found(one).executor);
      if (ready) return ready;
      const [custom] = (await added.look(name)).filter(({ executor }) => executor);
      return custom?.executor ?? (one && made(one));
    },
  };
}

/** Whether a command can be started here, as far as can be known. */
function commandLook(env: Env): (command: string | undefined) => boolean {
  const known = new Map<string, Look & { readonly path?: string }>();
  const look = (command: string) => {
    const path = findCommand(command, env);
    const seen = { ...lookNow(env), ...(path === undefined ? {} : { path }) };
    if (known.size >= MOST_REMEMBERED) known.clear();
    known.set(command, seen);
    return seen;
  };
  return (command) => {
    // One that lies beside the work is looked for where the work is.
    if (command === undefined || (command.includes('/') && !isAbsolute(command))) return true;
    const before = known.get(command);
    const isFresh = before?.path === undefined ? before && isRecent(before, env) : existsSync(before.path);
    return (isFresh ? before : look(command))?.path !== undefined;
  };
}

const MOST_REMEMBERED = 1_000;

/**
 * A program that is not there is looked for again when a directory of the path has changed, and after this long anyway: a file
 * may have become executable, or a link may lead somewhere now.
 */
const LOOK_AGAIN_MS = 2_000;

interface Look {
  readonly at: number;
  readonly mark: string;
}

const lookNow = (env: Env): Look => ({ at: performance.now(), mark: pathMark(env) });

const isRecent = ({ at, mark }: Look, env: Env): boolean => performance.now() - at < LOOK_AGAIN_MS && mark === pathMark(env);

interface Found extends Look {
  readonly place?: LaunchPlaces;
  readonly executor?: Executor;
}

/** A built-in executor, if its program is on this machine now. */
function foundPrograms(env: Env, placeOf: (command: string) => LaunchPlaces): (builtIn: BuiltIn) => Found {
  const known = new Map<string, Found>();
  const look = ({ program, make }: BuiltIn): Found => {
    const command = findProgram(program, env);
    const place = command === undefined ? undefined : placeOf(command);
    return { ...lookNow(env), ...(place ? { place, executor: make(place) } : {}) };
  };
  /** It is still there, and was made with what is set now. */
  const isFresh = (before: Found): boolean =>
    before.place
      ? existsSync(before.place.command) && before.place.settings === placeOf(before.place.command).settings
      : isRecent(before, env);
  return (builtIn) => {
    const before = known.get(builtIn.name);
    const now = before && isFresh(before) ? before : look(builtIn);
    known.set(builtIn.name, now);
    return now;
  };
}

/** In the bundle it lies beside the program, one folder above this chunk. */
export function ours(name: string): string {
  const beside = fileURLToPath(new URL(`./${name}.mjs`, import.meta.url));
  return existsSync(beside) ? beside : fileURLToPath(new URL(`../${name}.mjs`, import.meta.url));
}
