import { diskWaitText } from '../../domain/hold/disk-room.ts';
import type { TaskId } from '../../domain/values.ts';
import type { WorkNeeds } from './needs.ts';
import { sayTrouble } from './trouble.ts';

/** Whether what this task needs next must wait for room on a disk; the task says so meanwhile. */
export async function lacksRoom(taskId: TaskId | undefined, needs: WorkNeeds): Promise<boolean> {
  const short = await needs.diskShort();
  if (short && taskId) await sayTrouble(taskId, new Error(diskWaitText(short)), needs);
  return short !== undefined;
}
