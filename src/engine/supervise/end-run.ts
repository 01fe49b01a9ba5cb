import type { Run } from '../../domain/run/run.ts';
import type { Write } from '../../store/port.ts';
import { changeWrites } from '../../store/records/journal.ts';
import type { Versioned as Read } from '../../store/records/record.ts';
import { runs } from '../../store/records/runs.ts';
import type { SuperviseAction } from './decide.ts';
import type { EndHow, SuperviseDeps } from './deps.ts';
import type { SuperviseMemory } from './memory.ts';

/** How long it has run since that was last written down, which it is now. */
export const sinceLast = (runId: string, needs: SuperviseDeps, { seenAt }: SuperviseMemory): number => {
  const now = needs.elapsed();
  const passed = Math.max(0, Math.round(now - (seenAt.get(runId) ?? now)));
  seenAt.set(runId, now);
  return passed;
};

export function endRun(
  run: Read<Run>,
  { outcome, why }: Extract<SuperviseAction, { type: 'end' }>,
  needs: SuperviseDeps,
  memory: SuperviseMemory,
): Write[] {
  const at = needs.now();
  const { watch } = run.body;
  const timed = watch && { ...watch, activeMs: watch.activeMs + sinceLast(run.body.id, needs, memory) };
  const next: Run = {
    ...run.body,
    ...(timed ? { watch: timed } : {}),
    updatedAt: at,
    phase: { state: 'ending', since: at, outcome, why },
  };
  return changeWrites(runs, run, next, {
    author: { by: `host ${needs.hostName}`, at },
    note: { what: 'ending', to: outcome, why },
  });
}

/** Ending a process tree takes as long as it takes: the turn goes on, and the exit file tells when it is over. */
export function terminateTree(
  run: Run,
  needs: SuperviseDeps,
  { ladders, swept, setbacks }: SuperviseMemory,
  how: EndHow = {},
): void {
  const key = `end ${run.id}`;
  if (ladders.has(run.id) || !setbacks.isDue(key)) return;
  const climbing = needs.runner
    .end(run.id, how)
    .then(
      () => {
        swept.add(run.id);
        setbacks.over(key);
      },
      (error: unknown) => void setbacks.note(key, error, { taskId: run.taskId, runId: run.id }),
    )
    .finally(() => ladders.delete(run.id));
  ladders.set(run.id, climbing);
}
