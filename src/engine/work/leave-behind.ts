import type { Run, Watch } from '../../domain/run/run.ts';
import type { Task } from '../../domain/task/task.ts';
import type { RunId } from '../../domain/values.ts';
import { claimsOf, type GitFacts, reportOf, saidIn, type Told } from '../../domain/work/report.ts';
import { keptRef, type Work } from '../../domain/work/work.ts';
import { reports } from '../../store/records/findings.ts';
import { projects } from '../../store/records/projects.ts';
import { runs } from '../../store/records/runs.ts';
import { workspaces } from '../../store/records/workspaces.ts';
import type { Left } from '../supervise/needs.ts';
import type { Beside } from './beside.ts';
import type { TurnKeeper } from './keep-turns.ts';
import type { WorkNeeds } from './needs.ts';

export interface ReportNeeds extends WorkNeeds {
  readonly beside: Beside;
  readonly turns: Pick<TurnKeeper, 'over'>;
  /** What an agent has left as its result file, without secrets: an object, or why it cannot be used. */
  resultFile(runId: RunId): Promise<Told['file']>;
}

/** Before anybody says that a run is over, its work is safe and its report is collected. */
export async function leaveBehind(run: Run, task: Task, needs: ReportNeeds): Promise<Left | undefined> {
  if (run.kind !== 'agent') return {};
  const found = await needs.beside.take(`leave behind ${run.id}`, async () => {
    // What was begun at the end of a turn must not come after this, with less in it.
    await needs.turns.over(run.id);
    const [saved, file, submitted] = await Promise.all([
      keepWork(run, task, needs),
      needs.resultFile(run.id),
      reports.get(needs.store, run.id),
    ]);
    return { ...saved, file, submitted };
  });
  if (!found) return undefined;
  const { kept, git, file, submitted } = found.value;
  const told = (watch: Watch | undefined): Told => ({
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
    ...(git ? { mark: JSON.stringify(git) } : {}),
    said: (watch) => saidIn(told(watch)),
    report: (watch, outcome) => ({ report: reportOf({ ...told(watch), outcome }), over: submitted?.version ?? 'absent' }),
  };
}

/** A run that never began leaves nothing; but what made its workspace ready has to be over too. */
export async function leaveUnbegun(run: Run, { id, work }: Task, { store }: WorkNeeds): Promise<Left | undefined> {
  if (run.kind !== 'agent' || !work?.workspaceId) return {};
  const workspace = (await workspaces.get(store, work.workspaceId))?.body;
  if (workspace?.use.kind !== 'task' || workspace.use.taskId !== id || !workspace.setupRun) return {};
  const setup = (await runs.get(store, workspace.setupRun))?.body;
  return setup && setup.phase.state !== 'ended' ? undefined : {};
}

/** What we made a commit of is its work; the commit itself is not. */
const withoutOurs = ({ commits, totals, files }: GitFacts, ours: string): GitFacts => ({
  commits: commits.filter(({ id }) => id !== ours),
  totals: { ...totals, commits: Math.max(0, totals.commits - 1) },
  files,
});

interface Saved {
  readonly kept?: NonNullable<Work['kept']> | undefined;
  readonly git?: GitFacts | undefined;
}

async function keepWork(run: Run, task: Task, needs: ReportNeeds): Promise<Saved> {
  const { work } = task;
  const workspace = work?.workspaceId && (await workspaces.get(needs.store, work.workspaceId))?.body;
  const project = task.projectId && (await projects.get(needs.store, task.projectId))?.body;
  if (!work || !workspace || !project || workspace.use.kind !== 'task' || workspace.use.taskId !== task.id) return {};
  const ref = keptRef(task.id, run.id);
  const safe = await needs.workshop.keep({ workspace, project }, { ref, origin: { task, run } });
  if (safe === undefined) return {};
  const { commit } = safe;
  const git = await needs.workshop.changes(project, { base: work.base, tip: commit });
  return { kept: { commit, ref, at: needs.now() }, git: safe.isOurs ? withoutOurs(git, commit) : git };
}
