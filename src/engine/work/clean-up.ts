import { LIMITS } from '../../domain/limits.ts';
import { isMachineError } from '../../domain/machine-error.ts';
import { isFinal } from '../../domain/task/task.ts';
import { landingRef, startRef } from '../../domain/work/work.ts';
import { allHits } from '../../store/queries/every-hit.ts';
import { type Cleanup, cleanupIndex, cleanups } from '../../store/records/cleanups.ts';
import { projects } from '../../store/records/projects.ts';
import type { Versioned } from '../../store/records/record.ts';
import { tasks } from '../../store/records/tasks.ts';
import { workspaceIndex, workspaces } from '../../store/records/workspaces.ts';
import type { Controller } from '../controller.ts';
import { BackgroundWork } from './background-work.ts';
import { bounded } from './bounded.ts';
import type { WorkDeps } from './deps.ts';
import { Setbacks } from './setbacks.ts';
import { reasonOf } from './trouble.ts';
import { wakesWork } from './wakes-work.ts';

const EVERY_MS = 15_000;
/** Tries of what will most likely be the same again; then a branch or notes that nobody needs stay where they are. */
const MOST_TRIES = 10;

/** Takes away the branch of a task that was cleaned up, and the notes of one that was deleted, once its workspace is back. */
export function cleanUp(needs: WorkDeps): Controller<readonly Versioned<Cleanup>[], Versioned<Cleanup>> {
  const beside = new BackgroundWork();
  const setbacks = new Setbacks('clean up', needs);
  return {
    name: 'clean up',
    onWake: (stir) => beside.onDone(stir),
    wakesOn: wakesWork,
    everyMs: EVERY_MS,
    observe: () => observe(needs),
    decide: (due) => due,
    act: async (seen) => {
      const { id } = seen.body;
      if (!setbacks.isDue(id)) return false;
      try {
        if (
          !(await beside.take(`${id} ${seen.version}`, () =>
            bounded(needs.gitWork, { forMs: needs.workRules().keepSeconds * 1_000 }, () => takeAway(seen.body, needs)),
          ))
        )
          return false;
      } catch (error) {
        const { times, forMs } = setbacks.note(id, error, { taskId: id });
        if (isMachineError(error) || times < MOST_TRIES) return false;
        needs.log('cleanup.given-up', { taskId: id, branch: seen.body.branch, forMs, error: reasonOf(error) });
      }
      setbacks.over(id);
      await needs.store.commit([cleanups.remove(seen.body, seen.version)]);
      return true;
    },
    dueInMs: () => setbacks.dueInMs(),
  };
}

/** While it has a workspace, that is to be kept and cleared first. */
async function observe({ store, host }: WorkDeps): Promise<readonly Versioned<Cleanup>[]> {
  const hits = await store.scan({ index: cleanupIndex.all, limit: LIMITS.writesPerCommit.value });
  if (hits.length === 0) return [];
  const rows = await allHits(store, workspaceIndex.host(host));
  const used = rows.map(workspaces.read).filter(({ state }) => state !== 'aside');
  const inUse = new Set(used.map(({ use }) => (use.kind === 'task' ? use.taskId : undefined)));
  return hits.map((hit) => ({ body: cleanups.read(hit), version: hit.version })).filter(({ body }) => !inUse.has(body.id));
}

async function takeAway({ id, projectId, branch, isDeleted }: Cleanup, needs: WorkDeps): Promise<void> {
  const task = (await tasks.get(needs.store, id))?.body;
  // Somebody wants it tried again: its branch is in use once more.
  if (task && !isFinal(task.phase)) return;
  const project = projectId && (await projects.get(needs.store, projectId))?.body;
  if (project && project.kind !== 'directory') {
    for (const ref of [landingRef(id), startRef(id)]) await needs.gitWork.dropRef(project, ref);
    if (branch !== undefined && !(await needs.gitWork.dropKeptBranch(project, branch, id)))
      needs.log('branch.stays', { task: id, branch, why: 'it is checked out, or holds commits that are kept nowhere else' });
  }
  if (isDeleted && !task) await needs.dropNotes(id);
}
