import { type FSWatcher, watch } from 'node:fs';

/** Facts that somebody waits for are told at once; output may come in a flood and is told now and then. */
const FACTS = new Set(['id', 'exit', 'claim']);
const OUTPUT_MS = 100;

interface RunHints {
  follow(directories: readonly string[]): void;
  onStir(listener: () => void): () => void;
  close(): void;
}

/** Hints from the kernel about run directories. No descriptor is held per run: all watches share one. */
export function runHints(): RunHints {
  const listeners = new Set<() => void>();
  const watchers = new Map<string, FSWatcher>();
  let soon: NodeJS.Timeout | undefined;
  const tell = () => {
    clearTimeout(soon);
    soon = undefined;
    for (const listener of listeners) listener();
  };
  const heard = (name: string | null) => {
    if (name !== null && FACTS.has(name)) tell();
    else soon ??= setTimeout(tell, OUTPUT_MS).unref();
  };
  const drop = (directory: string) => {
    watchers.get(directory)?.close();
    watchers.delete(directory);
  };
  return {
    follow: (directories) => {
      const wanted = new Set(directories);
      for (const directory of [...watchers.keys()].filter((known) => !wanted.has(known))) drop(directory);
      for (const directory of directories) if (!watchers.has(directory)) watched(directory, watchers, { heard, drop });
    },
    onStir: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: () => {
      clearTimeout(soon);
      for (const directory of [...watchers.keys()]) drop(directory);
      listeners.clear();
    },
  };
}

interface Ears {
  heard(name: string | null): void;
  drop(directory: string): void;
}

/** A directory that is not there yet, or that the kernel will not watch, is looked at without hints. */
function watched(directory: string, watchers: Map<string, FSWatcher>, { heard, drop }: Ears): void {
  try {
    const watcher = watch(directory, (_event, name) => heard(name));
    watcher.on('error', () => drop(directory));
    watchers.set(directory, watcher);
  } catch {
    // The slow look remains.
  }
}
