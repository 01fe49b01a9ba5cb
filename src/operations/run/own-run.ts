import { Fault } from '../../domain/fault.ts';
import type { Run } from '../../domain/run/run.ts';
import type { Task } from '../../domain/task/task.ts';
import type { Versioned } from '../../store/records/record.ts';
import { runs } from '../../store/records/runs.ts';
import { tasks } from '../../store/records/tasks.ts';
import type { Scope } from '../scope.ts';

export interface OwnRun {
  readonly run: Versioned<Run>;
  readonly task: Versioned<Task>;
}

/** The run that calls and the task it serves, as whoever let it in knows them; nothing the caller says changes that. */
export async function ownRun({ caller, reads }: Scope): Promise<OwnRun> {
  if (!caller.run) throw new Fault('forbidden', `${caller.name} is ${caller.role} and no run of an agent`);
  const { runId, taskId } = caller.run;
  const [run, task] = await Promise.all([runs.get(reads, runId), tasks.get(reads, taskId)]);
  if (!run || !task || run.body.taskId !== taskId) throw new Fault('not_found', `no run ${runId}`, { run: runId });
  if (run.body.phase.state === 'ended') throw new Fault('conflict', `run ${runId} has ended`, { run: runId });
  return { run, task };
}

/** A run speaks of its own task only; to name another is refused even where it could see it. */
export function assertOwn(named: string | undefined, id: string): void {
  if (named === undefined) return;
  const wanted = named.toLowerCase();
  if (wanted !== id && !(wanted.length >= 4 && id.endsWith(wanted)))
    throw new Fault('not_found', `no task ${JSON.stringify(named)}: a run asks for its own task only`, { task: named });
}
