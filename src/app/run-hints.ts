import { type FSWatcher, watch } from 'node:fs';

/** Facts that somebody waits for are told at once; output may come in a flood and is told now and then. */
const FACTS = new Set(['id', 'exit', 'claim']);
const OUTPUT_MS = 100;

interface RunHints {
  /** Directories by run; answers the runs that are watched. */
  follow(directories: ReadonlyMap<string, string>): Pick<ReadonlySet<string>, 'has'>;
  onStir(listener: (runIds: readonly string[]) => void): void;
  close(): void;
}

/** Hints from the kernel about run directories. No descriptor is held per run: all watches share one. */
export function runHints(): RunHints {
  const listeners = new Set<(runIds: readonly string[]) => void>();
  const watchers = new Map<string, FSWatcher>();
  const stirred = new Set<string>();
  let soon: NodeJS.Timeout | undefined;
  const tell = () => {
    clearTimeout(soon);
    soon = undefined;
    const runIds = [...stirred];
    stirred.clear();
    for (const listener of listeners) listener(runIds);
  };
  const heard = (runId: string, name: string | null) => {
    stirred.add(runId);
    if (name !== null && FACTS.has(name)) tell();
    else soon ??= setTimeout(tell, OUTPUT_MS).unref();
  };
  const drop = (runId: string) => {
    watchers.get(runId)?.close();
    watchers.delete(runId);
  };
  /** A directory that is not there yet, or that the kernel will not watch, is looked at without hints. */
  const begin = (runId: string, directory: string) => {
    try {
      const watcher = watch(directory, (_event, name) => heard(runId, name));
      watcher.on('error', () => drop(runId));
      watchers.set(runId, watcher);
    } catch {
      // The slow look remains.
    }
  };
  return {
    follow: (directories) => {
      for (const runId of watchers.keys()) if (!directories.has(runId)) drop(runId);
      for (const [runId, directory] of directories) if (!watchers.has(runId)) begin(runId, directory);
      return watchers;
    },
    onStir: (listener) => void listeners.add(listener),
    close: () => {
      clearTimeout(soon);
      for (const runId of watchers.keys()) drop(runId);
      listeners.clear();
    },
  };
}
