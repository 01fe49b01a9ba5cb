import type { Run } from '../../domain/run/run.ts';
import type { Task } from '../../domain/task/task.ts';
import type { Write } from '../../store/port.ts';
import { runs } from '../../store/records/runs.ts';
import { tasks } from '../../store/records/tasks.ts';
import { workspaces } from '../../store/records/workspaces.ts';

const IDLE: ReadonlySet<string> = new Set(['draft', 'waiting', 'queued', 'running']);

/** A commit of the engine itself after which finished work, or a workspace, may have come a step further. */
export function wakesWork({ op, key, ...write }: Write): boolean {
  if (key.kind === workspaces.kind) return true;
  if (op !== 'put') return key.kind === tasks.kind && op === 'delete';
  if (key.kind === runs.kind) return (write as { body: Run }).body.phase.state === 'ended';
  return key.kind === tasks.kind && !IDLE.has((write as { body: Task }).body.phase.state);
}
