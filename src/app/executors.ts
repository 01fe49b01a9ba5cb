import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Executor } from '../domain/agent/executor.ts';
import { parseCustomExecutor } from '../executors/custom/custom.ts';
import { scripted } from '../executors/scripted/scripted.ts';
import { shell } from '../executors/shell/shell.ts';
import { BUILT_IN, type BuiltIn } from './built-in.ts';
import { findProgram } from './find-program.ts';
import type { HomePaths } from './home.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** A file as it was read last: read again only when it has changed. */
interface Read {
  readonly changedAt: number;
  readonly executor?: Executor;
  /** Why it cannot be used. */
  readonly problem?: string;
}

/**
 * Executors that can be started here: what comes with the program, and what the user added as files. Asked for before
 * every start and every claim, and therefore synchronous: a few looks at names cost less than one trip to another thread.
 */
export function executorShelf(
  paths: HomePaths,
  env: Env,
): {
  /** Those that can be started now. */
  all(): ReadonlyMap<string, Executor>;
  /** One that can be started, or one whose runs are still to be read although its program is gone. */
  named(name: string): Executor | undefined;
  problems(): readonly string[];
} {
  const own = [scripted({ node: process.execPath, agent: ours('scripted-agent') }), shell];
  const found = foundPrograms(env);
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
    named: (name) => all().get(name) ?? withoutProgram(name),
  };
}

function withoutProgram(name: string): Executor | undefined {
  const builtIn = BUILT_IN.find((one) => one.name === name);
  return builtIn?.make({ command: builtIn.program.command, node: process.execPath, ours });
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

/** Those of the built-in executors whose program is on this machine now. */
function foundPrograms(env: Env): () => Executor[] {
  const known = new Map<string, { readonly at: number; readonly command?: string; readonly executor?: Executor }>();
  const look = (builtIn: BuiltIn) => {
    const command = findProgram(builtIn.program, env);
    const executor = command === undefined ? undefined : builtIn.make({ command, node: process.execPath, ours });
    return { at: performance.now(), ...(command === undefined ? {} : { command }), ...(executor ? { executor } : {}) };
  };
  return () =>
    BUILT_IN.flatMap((builtIn) => {
      const before = known.get(builtIn.name);
      const isFresh =
        before?.command === undefined
          ? before !== undefined && performance.now() - before.at < LOOK_AGAIN_MS
          : existsSync(before.command);
      const now = before && isFresh ? before : look(builtIn);
      known.set(builtIn.name, now);
      return now.executor ?? [];
    });
}

/** In the bundle it lies beside the program, one folder above this chunk. */
function ours(name: string): string {
  const beside = fileURLToPath(new URL(`./${name}.mjs`, import.meta.url));
  return existsSync(beside) ? beside : fileURLToPath(new URL(`../${name}.mjs`, import.meta.url));
}
