import type { Run, Watch } from '../../domain/run/run.ts';
import type { Task } from '../../domain/task/task.ts';
import type { RunId } from '../../domain/values.ts';
import { claimedResult, claimsOf, type ReportSources, reportOf } from '../../domain/work/report.ts';
import { reports } from '../../store/records/findings.ts';
import { runs } from '../../store/records/runs.ts';
import { workspaces } from '../../store/records/workspaces.ts';
import type { RunRemains } from '../supervise/deps.ts';
import type { WorkDeps } from './deps.ts';
import type { WorkSaver } from './save-work.ts';
import { reasonOf } from './trouble.ts';

export interface ReportDeps extends WorkDeps {
  readonly keeper: Pick<WorkSaver, 'take'>;
  /** What an agent has left as its result file, without secrets: an object, or why it cannot be used. */
  resultFile(runId: RunId): Promise<ReportSources['file']>;
}

/** Before anybody says that a run is over, its work is safe and its report is collected. */
export async function preserveWork(run: Run, task: Task, needs: ReportDeps): Promise<RunRemains | undefined> {
  if (run.kind !== 'agent') return {};
  const saved = await needs.keeper.take(run, task);
  if (!saved) return undefined;
  const [file, submitted] = await Promise.all([
    needs.resultFile(run.id).catch((error: unknown) => ({ problem: `it cannot be read: ${reasonOf(error)}` })),
    reports.get(needs.store, run.id),
  ]);
  const { kept, git, unkept, remark } = saved;
  const told = (watch: Watch | undefined): ReportSources => ({
    runId: run.id,
    taskId: task.id,
    at: needs.now(),
    submitted: submitted && claimsOf(submitted.body),
    file,
    answer: watch?.report,
    summary: watch?.summary ?? watch?.lastWords,
    git,
  });
  return {
    ...(kept ? { kept } : {}),
    ...(unkept ? { unkept } : {}),
    ...(remark === undefined ? {} : { remark }),
    ...(git ? { mark: JSON.stringify(git) } : {}),
    said: (watch) => claimedResult(told(watch)),
    report: (watch, outcome) => ({ report: reportOf({ ...told(watch), outcome }), over: submitted?.version ?? 'absent' }),
  };
}

/** A run that never began leaves nothing; but what made its workspace ready has to be over too. */
export async function preserveUnstarted(run: Run, { id, work }: Task, { store }: WorkDeps): Promise<RunRemains | undefined> {
  if (run.kind !== 'agent' || !work?.workspaceId) return {};
  const workspace = (await workspaces.get(store, work.workspaceId))?.body;
  if (workspace?.use.kind !== 'task' || workspace.use.taskId !== id || !workspace.setupRun) return {};
  const setup = (await runs.get(store, workspace.setupRun))?.body;
  return setup && setup.phase.state !== 'ended' ? undefined : {};
}
