import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { RunId } from '../domain/values.ts';
import type { Spools } from '../engine/prune-output.ts';
import { agentPath, belowPlace } from '../platform/agent-path.ts';
import { lookSync } from '../platform/read-safely-sync.ts';
import { removeSafely } from '../platform/write-safely.ts';
import { filesOf } from '../runner/run-place.ts';
import type { HomePaths } from './home.ts';

/** The run directories of one home; whatever else lies there is not ours to remove. */
export const spoolsOf = ({ runs }: Pick<HomePaths, 'runs'>): Spools => ({
  // Ids sort by when they were made.
  names: async () =>
    (await readdir(runs).catch(() => []))
      .filter((name) => RunId.safeParse(name).success)
      .toSorted()
      .map((name) => name as RunId),
  bytesOf: async (runId) => {
    const { out, err, in: input } = filesOf({ directory: join(runs, runId) });
    return [out, err, input].reduce((sum, file) => sum + (lookSync(belowPlace(file))?.size ?? 0), 0);
  },
  remove: (runId) => removeSafely(agentPath(runs, runId)),
});
