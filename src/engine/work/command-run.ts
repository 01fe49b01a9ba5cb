import type { Run } from '../../domain/run/run.ts';
import type { RunId, TaskId, WorkspaceId } from '../../domain/values.ts';
import type { Write } from '../../store/port.ts';
import { creationWrites } from '../../store/records/journal.ts';
import { runs } from '../../store/records/runs.ts';
import type { WorkDeps } from './deps.ts';

/** Executor of commands a project has set. */
export const SHELL = 'fleet.shell';

export interface CommandRunOptions {
  readonly kind: 'setup' | 'gate';
  readonly taskId: TaskId;
  readonly command: string;
  readonly directory: string;
  readonly workspaceId?: WorkspaceId | undefined;
  readonly timeoutSeconds: number;
  readonly holds?: readonly string[];
}

/** A command of the project as a run like any other: it survives us, is watched over, and leaves nothing behind. */
export function commandRun(
  wish: CommandRunOptions,
  needs: WorkDeps,
): { readonly runId: RunId; readonly writes: readonly Write[] } {
  const at = needs.now();
  const runId = needs.ids.run();
  const run: Run = {
    id: runId,
    seq: 1,
    taskId: wish.taskId,
    kind: wish.kind,
    attempt: 1,
    executor: SHELL,
    host: needs.host,
    holds: [...(wish.holds ?? [])],
    directory: wish.directory,
    chore: {
      command: wish.command,
      directory: wish.directory,
      ...(wish.workspaceId ? { workspaceId: wish.workspaceId } : {}),
      timeoutSeconds: wish.timeoutSeconds,
    },
    phase: { state: 'claimed', since: at },
    createdAt: at,
    updatedAt: at,
  };
  return { runId, writes: creationWrites(runs, run, { by: `host ${needs.hostName}`, at }, { what: 'claimed' }) };
}
