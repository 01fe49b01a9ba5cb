import { diskWaitText } from '../../domain/hold/disk-room.ts';
import type { TaskId } from '../../domain/values.ts';
import type { WorkDeps } from './deps.ts';
import { recordTrouble } from './trouble.ts';

/** Whether what this task needs next must wait for room on a disk; the task says so meanwhile. */
export async function lacksDiskRoom(taskId: TaskId | undefined, needs: WorkDeps): Promise<boolean> {
  const short = await needs.diskShort();
  if (short && taskId) await recordTrouble(taskId, new Error(diskWaitText(short)), needs);
  return short !== undefined;
}
