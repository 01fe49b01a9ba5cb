import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
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

/** Executors that can be started here: what comes with the program, and what the user added as files. */
export function executorShelf(paths: HomePaths): {
  all(): Promise<ReadonlyMap<string, Executor>>;
  problems(): readonly string[];
} {
  const builtIn = scripted({ node: process.execPath, agent: scriptedAgent() });
  const read = new Map<string, Read>();
  return {
    problems: () => [...read.values()].flatMap(({ problem }) => problem ?? []),
    all: async () => {
      const names = await customNames(paths);
      for (const gone of [...read.keys()].filter((name) => !names.includes(name))) read.delete(gone);
      await Promise.all(names.map(async (name) => void read.set(name, await readExecutor(paths, name, read.get(name)))));
      const custom = [...read].flatMap(([name, { executor }]) => (executor ? [[name, executor] as const] : []));
      return new Map([...custom, [builtIn.name, builtIn], [shell.name, shell]]);
    },
  };
}

const SUFFIX = '.toml';

export async function customNames(paths: HomePaths): Promise<string[]> {
  const files = await readdir(paths.executors).catch(() => []);
  return files.filter((file) => file.endsWith(SUFFIX)).map((file) => file.slice(0, -SUFFIX.length));
}

export const customFile = (paths: HomePaths, name: string): string => join(paths.executors, `${name}${SUFFIX}`);

async function readExecutor(paths: HomePaths, name: string, before: Read | undefined): Promise<Read> {
  const file = customFile(paths, name);
  const changedAt = (await stat(file).catch(() => undefined))?.mtimeMs ?? 0;
  if (before?.changedAt === changedAt) return before;
  try {
    return { changedAt, executor: parseCustomExecutor(name, await readFile(file, 'utf8')) };
  } catch (error) {
    return { changedAt, problem: error instanceof Error ? error.message : String(error) };
  }
}

/** In the bundle it lies beside the program, one folder above this chunk. */
function scriptedAgent(): string {
  const beside = fileURLToPath(new URL('./scripted-agent.mjs', import.meta.url));
  return existsSync(beside) ? beside : fileURLToPath(new URL('../scripted-agent.mjs', import.meta.url));
}
