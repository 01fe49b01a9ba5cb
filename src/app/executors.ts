import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Executor } from '../domain/agent/executor.ts';
import { scripted } from '../executors/scripted/scripted.ts';
import { shell } from '../executors/shell/shell.ts';
import { BUILT_IN, type BuiltIn } from './built-in.ts';
import { type Added, type AddedExecutors, addedExecutors } from './custom-executors.ts';
import { findProgram } from './find-program.ts';
import type { HomePaths } from './home.ts';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Executors that can be started here: what comes with the program, and what the user added as files. Asked for before
 * every start and every claim: a few looks at names, and a wait only where a module is new.
 */
export interface ExecutorShelf {
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

/** A program that is not there is looked for again after this long: somebody may have installed it. */
const LOOK_AGAIN_MS = 5_000;

/** Those of the built-in executors whose program is on this machine now. */
function foundPrograms(builtIns: readonly BuiltIn[], env: Env): () => Executor[] {
  const known = new Map<string, { readonly at: number; readonly command?: string; readonly executor?: Executor }>();
  const look = (builtIn: BuiltIn) => {
    const command = findProgram(builtIn.program, env);
    const executor = command === undefined ? undefined : builtIn.make({ command, node: process.execPath, ours });
    return { at: performance.now(), ...(command === undefined ? {} : { command }), ...(executor ? { executor } : {}) };
  };
  return () =>
    builtIns.flatMap((builtIn) => {
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
export function ours(name: string): string {
  const beside = fileURLToPath(new URL(`./${name}.mjs`, import.meta.url));
  return existsSync(beside) ? beside : fileURLToPath(new URL(`../${name}.mjs`, import.meta.url));
}
