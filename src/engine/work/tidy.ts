import { workspaceIndex, workspaces } from '../../store/records/workspaces.ts';
import type { Controller } from '../controller.ts';
import { Beside } from './beside.ts';
import type { WorkNeeds } from './needs.ts';

const EVERY_MS = 30_000;
/** Deleting goes on for this long at a time, so that it is never in anybody's way. */
const DELETE_MS = 2_000;

/** Deletes what was discarded, and looks for directories of ours that no row knows of: a crash or an old backup leaves such. */
export function tidy(needs: WorkNeeds): Controller<boolean, 'trash' | 'orphans'> {
  const beside = new Beside();
  let tidiedAt = Number.NEGATIVE_INFINITY;
  return {
    name: 'tidy',
    onStir: (stir) => beside.onDone(stir),
    everyMs: EVERY_MS,
    observe: async () => needs.elapsed() - tidiedAt >= EVERY_MS,
    decide: (due) => (due ? ['orphans', 'trash'] : []),
    act: async (what) => {
      if (what === 'orphans') {
        const found = await beside.take('orphans', async () => needs.workshop.removeOrphans(() => knownPaths(needs)));
        for (const path of found?.value ?? []) needs.log('workspace.orphan', { path });
        return false;
      }
      const left = await beside.take('trash', () => needs.workshop.emptyTrash(DELETE_MS));
      if (left && left.value === 0) tidiedAt = needs.elapsed();
      return left !== undefined && left.value > 0;
    },
  };
}

async function knownPaths({ store, host }: WorkNeeds): Promise<ReadonlySet<string>> {
  const hits = await store.scan({ index: workspaceIndex.host(host), limit: store.limits.rowsPerScan });
  return new Set(hits.map((hit) => workspaces.read(hit).path));
}
