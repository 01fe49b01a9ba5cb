import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Executor } from '../domain/agent/executor.ts';
import { parseCustomExecutor } from '../executors/custom/custom.ts';
import { scripted } from '../executors/scripted/scripted.ts';
import { shell } from '../executors/shell/shell.ts';
import type { HomePaths } from './home.ts';

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
export function executorShelf(paths: HomePaths): {
  all(): ReadonlyMap<string, Executor>;
  problems(): readonly string[];
} {
  const builtIn = scripted({ node: process.execPath, agent: scriptedAgent() });
  const read = new Map<string, Read>();
  return {
    problems: () => [...read.values()].flatMap(({ problem }) => problem ?? []),
    all: () => {
      const names = customNames(paths);
      for (const gone of [...read.keys()].filter((name) => !names.includes(name))) read.delete(gone);
      for (const name of names) read.set(name, readExecutor(paths, name, read.get(name)));
      const custom = [...read].flatMap(([name, { executor }]) => (executor ? [[name, executor] as const] : []));
      return new Map([...custom, [builtIn.name, builtIn], [shell.name, shell]]);
    },
  };
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

/** In the bundle it lies beside the program, one folder above this chunk. */
function scriptedAgent(): string {
  const beside = fileURLToPath(new URL('./scripted-agent.mjs', import.meta.url));
  return existsSync(beside) ? beside : fileURLToPath(new URL('../scripted-agent.mjs', import.meta.url));
}
