import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Executor } from '../domain/agent/executor.ts';
import { BUILT_IN_EXECUTORS } from '../domain/executors.ts';
import { Name } from '../domain/values.ts';
import { parseCustomExecutor } from '../executors/custom/custom.ts';
import { moduleExecutor } from '../executors/module/module.ts';
import { ModuleThread } from '../plugins/module-thread.ts';
import { distrustReason } from '../plugins/trusted-file.ts';
import type { HomePaths } from './home.ts';

/** An executor that the user added as a file, as it was read last. */
export interface AddedExecutor {
  readonly name: string;
  readonly file: string;
  readonly kind: 'file' | 'module';
  /** The last version that could be used; absent if none ever could. */
  readonly executor?: Executor;
  /** Why the file as it is now cannot be used. */
  readonly problem?: string;
}

const KINDS = { '.toml': 'file', '.mjs': 'module' } as const;
/** A module that has kept everybody waiting this often is not asked again until it has been changed. */
const MOST_MISSED = 3;

interface Read {
  readonly name: string;
  readonly changedAt: number;
  readonly loading: Promise<void>;
  executor?: Executor;
  thread?: ModuleThread;
  problem?: string;
  /** The file has changed again since. */
  isOutdated?: true;
}

export interface AddedExecutors {
  /** What is there now. Waits only for a module that was never loaded, and then for no longer than loading may take. */
  look(only?: string): Promise<readonly AddedExecutor[]>;
}

/** Files are read again when they have changed, and only then. A module that has become unusable is used as it was. */
export function addedExecutors(paths: HomePaths): AddedExecutors {
  const reads = new Map<string, Read>();
  return {
    look: async (only) => {
      const files = only === undefined ? customFiles(paths) : filesNamed(only, paths);
      for (const [file, { name, thread }] of reads)
        if ((only === undefined || only === name) && !files.some((one) => one.file === file)) {
          thread?.close();
          reads.delete(file);
        }
      for (const one of files) reads.set(one.file, readAgain(one, files, reads.get(one.file)));
      return Promise.all(
        files.map(async ({ name, file, kind }) => {
          const read = reads.get(file);
          if (read && read.executor === undefined) await read.loading;
          return { name, file, kind, ...standing(read) };
        }),
      );
    },
  };
}

function standing(read: Read | undefined): Pick<AddedExecutor, 'executor' | 'problem'> {
  if ((read?.thread?.missed ?? 0) >= MOST_MISSED)
    return { problem: `it gave no answer ${MOST_MISSED} times: it is not asked again until its file changes` };
  const { executor, problem } = read ?? {};
  return { ...(executor ? { executor } : {}), ...(problem === undefined ? {} : { problem }) };
}

interface CustomFile {
  readonly name: string;
  readonly file: string;
  readonly kind: AddedExecutor['kind'];
}

export function customFiles(paths: HomePaths): readonly CustomFile[] {
  return namesIn(paths.executors).flatMap((entry) => {
    const [suffix, kind] = Object.entries(KINDS).find(([end]) => entry.endsWith(end)) ?? [];
    // Names that begin like this are ours.
    if (suffix === undefined || kind === undefined || entry.startsWith('fleet.')) return [];
    return { name: entry.slice(0, -suffix.length), file: join(paths.executors, entry), kind };
  });
}

/** Asked for at every step of every run: a look at two names, however many others there are. */
const filesNamed = (name: string, paths: HomePaths): readonly CustomFile[] =>
  !Name.safeParse(name).success || name.startsWith('fleet.')
    ? []
    : Object.entries(KINDS)
        .map(([suffix, kind]) => ({ name, file: join(paths.executors, `${name}${suffix}`), kind }))
        .filter(({ file }) => existsSync(file));

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).toSorted();
  } catch {
    return [];
  }
}

function readAgain(one: CustomFile, all: readonly CustomFile[], before: Read | undefined): Read {
  const changedAt = changeOf(one.file);
  if (before?.changedAt === changedAt) return before;
  if (before) before.isOutdated = true;
  const read: Read = {
    name: one.name,
    changedAt,
    loading: load(one, all).then(
      ({ executor, thread }) => {
        if (read.isOutdated) return thread?.close();
        before?.thread?.close();
        read.executor = executor;
        delete read.problem;
        if (thread) read.thread = thread;
        else delete read.thread;
      },
      (error: unknown) => void (read.problem = error instanceof Error ? error.message : String(error)),
    ),
    ...(before?.executor ? { executor: before.executor } : {}),
    ...(before?.thread ? { thread: before.thread } : {}),
  };
  return read;
}

/** Owner and rights change without the content. */
function changeOf(file: string): number {
  const found = statSync(file, { throwIfNoEntry: false });
  return found ? Math.max(found.mtimeMs, found.ctimeMs) : 0;
}

async function load({ name, file, kind }: CustomFile, all: readonly CustomFile[]) {
  const shown = `executors/${file.slice(file.lastIndexOf('/') + 1)}`;
  if (!Name.safeParse(name).success) throw new Error(`${shown}: its name is no name of an executor`);
  if (BUILT_IN_EXECUTORS.some((own) => own === name))
    throw new Error(`${shown}: ${name} comes with Fleet: give the file another name`);
  if (kind === 'file') return { executor: parseCustomExecutor(name, readFileSync(file, 'utf8')) };
  if (all.some((other) => other.name === name && other.kind === 'file'))
    throw new Error(`${shown}: there is executors/${name}.toml as well: remove one of them`);
  const why = distrustReason(file, process.getuid?.() ?? 0);
  if (why !== undefined) throw new Error(`${shown} is not loaded: ${why}`);
  const thread = await ModuleThread.open(file).catch((error: unknown) => {
    throw new Error(`${shown}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  });
  try {
    return { executor: moduleExecutor(name, thread), thread };
  } catch (error) {
    thread.close();
    throw error;
  }
}
