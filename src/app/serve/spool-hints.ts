import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';

/** Behind the hints of the kernel: one that is lost costs a second, not a line. */
const POLL_MS = 1_000;
const SPOOLS: readonly (string | null)[] = ['out', 'err', null];

/** Calls back whenever a run may have printed something, from before its directory is made. */
export const spoolHints =
  (runs: string) =>
  (runId: string, stirred: () => void): (() => void) => {
    let watcher: FSWatcher | undefined;
    const drop = () => {
      watcher?.close();
      watcher = undefined;
    };
    const begin = () => {
      try {
        watcher ??= watch(join(runs, runId), { persistent: false }, (_event, name) => {
          if (SPOOLS.includes(name)) stirred();
        });
        watcher.on('error', drop);
      } catch {
        // It is not there yet, or the kernel has no watch to spare: the poll remains.
      }
    };
    begin();
    const poll = setInterval(() => {
      if (!watcher) begin();
      stirred();
    }, POLL_MS).unref();
    return () => {
      clearInterval(poll);
      drop();
    };
  };
