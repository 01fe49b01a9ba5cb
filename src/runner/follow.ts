import { setMaxListeners } from 'node:events';
import { watch } from 'node:fs';
import { dirname } from 'node:path';

const POLL_MS = 1_000;

/**
 * Yields whenever one of the files may have changed: at once by a hint of the kernel, every second without one. The
 * first turn comes at once. No descriptor is held per file, and a hint that is lost costs a second, not a line.
 */
export async function* follow(paths: readonly string[], signal: AbortSignal): AsyncGenerator<void> {
  let wake = (): void => {};
  let hinted = true;
  const hint = (): void => {
    hinted = true;
    wake();
  };
  const watchers = [...new Set(paths.map((path) => dirname(path)))].flatMap((folder) => watched(folder, hint));
  // One signal may end the watch over hundreds of runs.
  setMaxListeners(0, signal);
  signal.addEventListener('abort', hint);
  try {
    while (!signal.aborted) {
      if (!hinted) await new Promise<void>((resolve) => pause(resolve));
      if (signal.aborted) return;
      hinted = false;
      yield;
    }
  } finally {
    signal.removeEventListener('abort', hint);
    for (const watcher of watchers) watcher.close();
  }

  function pause(resolve: () => void): void {
    const timer = setTimeout(resolve, POLL_MS);
    wake = () => {
      clearTimeout(timer);
      resolve();
    };
  }
}

/** None when the kernel has no watch to spare, or the folder is gone: the poll remains. */
function watched(folder: string, hint: () => void): { close(): void }[] {
  try {
    const watcher = watch(folder, { persistent: false }, hint);
    watcher.on('error', () => watcher.close());
    return [watcher];
  } catch {
    return [];
  }
}
