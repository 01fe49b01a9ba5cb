import type { Project } from '../../domain/project/project.ts';
import type { Task } from '../../domain/task/task.ts';
import { runs } from '../../store/records/runs.ts';
import type { CommitOrigin, WorkDeps } from './deps.ts';

/** Who stands behind the newest work of a task. */
export async function originOf(task: Task, { store }: WorkDeps): Promise<CommitOrigin> {
  const run = task.work?.runId && (await runs.get(store, task.work.runId))?.body;
  return { task, ...(run ? { run } : {}) };
}

interface Made {
  readonly task: Task;
  readonly project: Project;
  readonly tip: string;
  readonly landed: string;
}

/** Says of every commit of a task whose work it is. What a fork began with stays that of the task it came from. */
export async function recordProvenance({ task, project, tip, landed }: Made, needs: WorkDeps): Promise<void> {
  const { work, forkedFrom } = task;
  if (!work) return;
  const { commit } = forkedFrom ?? {};
  if (forkedFrom && commit && commit !== work.base) {
    const run = (await runs.get(needs.store, forkedFrom.runId))?.body;
    const other: CommitOrigin = { task: { id: forkedFrom.taskId, title: task.title }, ...(run ? { run } : {}) };
    await needs.gitWork.recordProvenance(project, { base: work.base, tip: commit, landed: commit }, other);
  }
  if (landed === commit) return;
  await needs.gitWork.recordProvenance(project, { base: commit ?? work.base, tip, landed }, await originOf(task, needs));
}
