import { isFault } from '../../domain/fault.ts';
import { isMachineError } from '../../domain/machine-error.ts';
import type { WorkspaceId } from '../../domain/values.ts';
import { isClaimedOrphan, type Workspace } from '../../domain/work/workspace.ts';
import { allHits } from '../../store/queries/every-hit.ts';
import { projectIndex, projects } from '../../store/records/projects.ts';
import type { Versioned } from '../../store/records/record.ts';
import { workspaceIndex, workspaces } from '../../store/records/workspaces.ts';
import type { Controller } from '../controller.ts';
import { BackgroundWork } from './background-work.ts';
import { bounded } from './bounded.ts';
import type { MarkedDirectory, WorkDeps } from './deps.ts';
import { planAside } from './put-aside.ts';
import { Setbacks } from './setbacks.ts';
import { reasonOf } from './trouble.ts';

const EVERY_MS = 30_000;
/** Deleting goes on for this long at a time, so that it is never in anybody's way. */
const DELETE_MS = 2_000;

/** Tries of what will most likely be the same again. */
const MOST_TRIES = 3;

/** Deletes what was discarded, and looks for directories of ours that no row knows of: a crash or an old backup leaves such. */
export function removeSpareWorkspaces(needs: WorkDeps): Controller<boolean, 'trash' | 'orphans'> {
  const beside = new BackgroundWork();
  const setbacks = new Setbacks('tidy', needs);
  let [lookedAt, tidiedAt] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  return {
    name: 'tidy',
    onWake: (stir) => beside.onDone(stir),
    everyMs: EVERY_MS,
    observe: async () => needs.elapsed() - Math.min(lookedAt, tidiedAt) >= EVERY_MS,
    decide: (due) => (due ? ['orphans', 'trash'] : []),
    act: async (what) => {
      if (what === 'orphans') {
        if (needs.elapsed() - lookedAt < EVERY_MS) return false;
        if (await beside.take('orphans', () => removeOrphans(needs, setbacks))) lookedAt = needs.elapsed();
        return false;
      }
      const trash = await beside.take('trash', () => needs.gitWork.emptyTrash(DELETE_MS));
      if (!trash) return false;
      const { left, stays } = trash.value;
      for (const { name, why } of stays) setbacks.note(name, why);
      if (left === 0) tidiedAt = needs.elapsed();
      return left > 0;
    },
  };
}

/**
 * Looked for first, and only then compared with the rows: what is being made right now has its row already. An orphan gets
 * a row before it is touched, so that nobody can be given its number, and with it its path, meanwhile.
 */
async function removeOrphans(needs: WorkDeps, setbacks: Setbacks): Promise<void> {
  const marked = await needs.gitWork.markedDirectories();
  const rows = await rowsByPath(needs);
  for (const orphan of marked) {
    const row = rows.get(orphan.path);
    if ((row && !isClaimedOrphan(row.body)) || !setbacks.isDue(orphan.path)) continue;
    const mine = row ?? (await claim(orphan, needs).catch(unlessRaceLost));
    try {
      await bounded(needs.gitWork, { forMs: needs.workRules().keepSeconds * 1_000 }, () => needs.gitWork.removeOrphan(orphan));
      needs.log('workspace.orphan', { path: orphan.path });
      if (mine) await needs.store.commit([workspaces.remove(mine.body, mine.version)]);
      setbacks.over(orphan.path);
    } catch (error) {
      if (isFault(error, 'conflict')) continue;
      // One that cannot be removed is in nobody's way, and keeps no other from being removed.
      const { times } = setbacks.note(orphan.path, error);
      if (!mine || isMachineError(error) || times < MOST_TRIES) continue;
      const why = `it was found without a row, and could not be removed: ${reasonOf(error)}`;
      await needs.store.commit([planAside(mine, { why }, needs)]).catch(unlessRaceLost);
    }
  }
  const there = new Set(marked.map(({ path }) => path));
  for (const { body, version } of rows.values())
    if (isClaimedOrphan(body) && !there.has(body.path)) await needs.store.commit([workspaces.remove(body, version)]);
}

const unlessRaceLost = (error: unknown): undefined => {
  if (!isFault(error, 'conflict')) throw error;
  return undefined;
};

async function rowsByPath({ store, host }: WorkDeps): Promise<ReadonlyMap<string, Versioned<Workspace>>> {
  const hits = await allHits(store, workspaceIndex.host(host));
  return new Map(hits.map((hit) => ({ body: workspaces.read(hit), version: hit.version })).map((seen) => [seen.body.path, seen]));
}

/** Undefined where nobody can be given its path: no project is at its repository, or its number belongs to another. */
async function claim(orphan: MarkedDirectory, needs: WorkDeps): Promise<Versioned<Workspace> | undefined> {
  const { store, host } = needs;
  const n = Number(/^ws_(\d+)$/.exec(orphan.id)?.[1]);
  const known = (await allHits(store, projectIndex.all)).map(projects.read);
  const project = known.find(({ path }) => path === orphan.repository);
  if (!project || !Number.isSafeInteger(n)) return undefined;
  const there = await workspaces.get(store, orphan.id);
  if (there && there.body.path !== orphan.path) return undefined;
  const at = needs.now();
  const body: Workspace = {
    id: orphan.id as WorkspaceId,
    n,
    projectId: project.id,
    host,
    path: orphan.path,
    isolation: orphan.isolation,
    use: { kind: 'free' },
    state: 'failed',
    why: 'it was found without a row, and is being removed',
    doomed: true,
    createdAt: at,
    updatedAt: at,
  };
  await store.commit([workspaces.put(body, 'absent')]);
  const made = await workspaces.get(store, body.id);
  return made && isClaimedOrphan(made.body) ? made : undefined;
}
