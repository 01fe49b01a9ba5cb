import type { Task } from '../../domain/task/task.ts';
import type { Write } from '../../store/port.ts';
import { cleanups } from '../../store/records/cleanups.ts';
import type { Scope } from '../scope.ts';

/** Has the engine take away what is left of a task: asked twice, it is done once. */
export async function cleanupOf({ id, projectId, work }: Task, isDeleted: boolean, { reads, now }: Scope): Promise<Write> {
  const before = await cleanups.get(reads, id);
  const branch = work?.branch ?? before?.body.branch;
  const body = { id, ...(projectId ? { projectId } : {}), ...(branch ? { branch } : {}), isDeleted, at: now };
  return cleanups.put(body, before?.version ?? 'absent');
}
