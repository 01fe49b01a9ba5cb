import type { Executor } from '../domain/agent/executor.ts';
import { executorRefOf } from '../domain/hold/account.ts';
import { shortenedReport } from '../domain/run/packet.ts';
import type { PromptInput } from '../domain/run/prompt.ts';
import type { Run } from '../domain/run/run.ts';
import type { Task } from '../domain/task/task.ts';
import type { Instant, RunId } from '../domain/values.ts';
import type { Report } from '../domain/work/report.ts';
import { pathForArguments } from '../platform/agent-path.ts';
import { cleaned } from '../store/queries/packet.ts';
import { reports } from '../store/records/findings.ts';
import { runIndex, runs } from '../store/records/runs.ts';
import { notePlaces } from './notes.ts';
import type { FleetServices } from './services.ts';

/** What a run goes on with: which conversation, and what its agent is told of what went before. */
export interface Continuation extends Pick<PromptInput, 'before' | 'forked'> {
  /** When the run began whose conversation is gone on with: what was known then need not be told again. */
  readonly since?: Instant | undefined;
  readonly resume?: string | undefined;
  readonly fork: boolean;
}

type Around = Pick<FleetServices, 'store' | 'paths' | 'output'>;

const CLAIMED_AT_ONCE = 2;

/**
 * Its own conversation once there is one; until then, and when it is tried again from the beginning, a fork has a copy of
 * the one it was forked from. A conversation belongs to the program it was led with: another cannot go on with it.
 */
export async function continuationOf(house: Around, run: Run, task: Task, executor: Executor | undefined): Promise<Continuation> {
  // Created and claimed is all its history: there was no run before.
  const own = task.seq <= CLAIMED_AT_ONCE ? undefined : await runBefore(house, run);
  // A full conversation cannot be gone on with: the next one is a new one.
  const isFull = own?.phase.state === 'ended' && own.phase.outcome === 'context_full';
  const goesOn = own !== undefined && !isFull && (task.continues !== undefined || run.attempt > 1);
  const sessionOf = (other: Run | undefined): string | undefined =>
    executor?.can.resume && other && executorRefOf(other) === executorRefOf(run) ? other.watch?.session : undefined;
  const resume = goesOn ? sessionOf(own) : undefined;
  const before = await beforeOf(house, own, run, isFull || (goesOn && resume === undefined));
  if (resume !== undefined || isFull || !task.forkedFrom)
    return { before, resume, fork: false, ...(resume === undefined ? {} : { since: own?.createdAt }) };
  const other = (await runs.get(house.store, task.forkedFrom.runId))?.body;
  const copied = sessionOf(other);
  const forked = await forkedOf(house, task.forkedFrom, other, copied !== undefined);
  return { before, resume: copied, fork: copied !== undefined, forked };
}

async function beforeOf(house: Around, own: Run | undefined, run: Run, isForgotten: boolean): Promise<Continuation['before']> {
  if (own?.phase.state !== 'ended') return undefined;
  const { outcome, detail = '' } = own.phase;
  const isOther = executorRefOf(own) !== executorRefOf(run);
  if (!isOther && !isForgotten) return { outcome, detail };
  const said = own.watch?.lastWords || own.watch?.summary;
  const report = await reportFor(house, own.id);
  return {
    outcome,
    detail,
    ...(isOther ? { by: executorRefOf(own) } : {}),
    isForgotten: true,
    ...(said ? { lastWords: said } : {}),
    ...(report && report.channel !== 'salvage' ? { report: shortenedReport(report) } : {}),
  };
}

async function reportFor(house: Around, runId: RunId): Promise<Report | undefined> {
  const found = await reports.get(house.store, runId);
  return found && cleaned(house.output.redactor)(found.body);
}

/** The newest run of an agent on the task that is not this one. */
async function runBefore({ store }: Around, run: Run): Promise<Run | undefined> {
  const hits = await store.scan({ index: runIndex.agents(run.taskId), limit: 2, reverse: true });
  return hits.map(runs.read).find(({ id }) => id !== run.id);
}

async function forkedOf(
  house: Around,
  { taskId, runId, commit }: NonNullable<Task['forkedFrom']>,
  other: Run | undefined,
  isCopy: boolean,
): Promise<NonNullable<PromptInput['forked']>> {
  const said = (await reportFor(house, runId))?.summary ?? other?.watch?.summary ?? other?.watch?.lastWords;
  return {
    taskId,
    isCopy,
    notesDirectory: pathForArguments(notePlaces(house.paths.tasks, taskId).artifacts),
    ...(commit ? { commit } : {}),
    ...(other?.phase.state === 'ended' ? { outcome: other.phase.outcome, detail: other.phase.detail ?? '' } : {}),
    ...(said ? { lastWords: said } : {}),
  };
}
