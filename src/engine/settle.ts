import { Fault } from '../domain/fault.ts';
import { left } from '../domain/hold/hold.ts';
import type { Outcome, Run, Watch } from '../domain/run/run.ts';
import { type Block, fenceOf, type Task } from '../domain/task/task.ts';
import { transition } from '../domain/task/transition.ts';
import { instantOf, msOf, type RunId } from '../domain/values.ts';
import type { Report } from '../domain/work/report.ts';
import type { Work } from '../domain/work/work.ts';
import type { Write } from '../store/port.ts';
import { reports } from '../store/records/findings.ts';
import { holds } from '../store/records/holds.ts';
import { changed } from '../store/records/journal.ts';
import type { Seen } from '../store/records/record.ts';
import { runs } from '../store/records/runs.ts';
import { tasks } from '../store/records/tasks.ts';
import type { Needs } from './needs.ts';

type Settle = Pick<Needs, 'store' | 'now' | 'host'>;

export interface Ending {
  readonly outcome: Outcome;
  readonly detail?: string;
  readonly exit?: number | undefined;
  readonly retryInMs: number;
  /** What was seen of the run until its end. */
  readonly watch?: Watch | undefined;
  /** Not an instruction of it was carried out: the task is as if it had not been claimed. */
  readonly neverRan?: boolean;
  /** Nothing is left to prove or to merge: success is done. */
  readonly proved?: boolean;
  /** A person must act, and this is what about. */
  readonly block?: Block | undefined;
  /** Where its work is kept. */
  readonly kept?: NonNullable<Work['kept']> | undefined;
  readonly report?: Report | undefined;
}

/**
 * Records that a run has ended and its process tree is gone: run, task and every scope it occupied, in one commit.
 * A run that was settled before, or whose task has moved on to another run, changes nothing but itself.
 */
export async function settle(runId: RunId, ending: Ending, needs: Settle): Promise<void> {
  const { store, host } = needs;
  const run = await runs.get(store, runId);
  if (!run) throw new Fault('not_found', `no run ${runId}`);
  if (run.body.phase.state === 'ended') return;
  const at = needs.now();
  const author = { by: `host ${host}`, at };
  const { outcome, detail, exit, watch } = ending;
  const phase = { state: 'ended', at, outcome, ...(detail ? { detail } : {}), ...(exit === undefined ? {} : { exit }) } as const;
  const over: Run = { ...run.body, updatedAt: at, phase, ...(watch ? { watch } : {}) };
  const writes: Write[] = [
    ...changed(runs, run, over, { author, note: { what: 'ended', to: outcome, ...(detail ? { why: detail } : {}) } }),
    ...(await leaving(run.body, needs)),
    ...settledTask(await tasks.get(store, run.body.taskId), { runId, ending, author }),
    ...(ending.report ? [reports.put(ending.report, (await reports.get(store, runId))?.version ?? 'absent')] : []),
  ];
  await store.commit(writes, { flush: true });
}

async function leaving(run: Run, { store }: Settle): Promise<Write[]> {
  const found = await Promise.all(run.holds.map((scope) => holds.get(store, scope)));
  return found.flatMap((seen) => (seen?.body.holders.includes(run.id) ? [holds.put(left(seen.body, run.id), seen.version)] : []));
}

interface Settling {
  readonly runId: RunId;
  readonly ending: Ending;
  readonly author: { readonly by: string; readonly at: string };
}

function settledTask(seen: Seen<Task> | undefined, { runId, ending, author }: Settling): Write[] {
  const phase = seen?.body.phase;
  const held = phase?.state === 'running' || phase?.state === 'verifying' || phase?.state === 'merging';
  if (!seen || !held || fenceOf(phase.holder) !== runId) return [];
  const next = nextOf(withKept(seen.body, runId, ending), { runId, ending, author });
  const spent = { ...next, spentMs: next.spentMs + (ending.watch?.activeMs ?? 0) };
  const note = { what: 'settle', from: phase.state, to: next.phase.state, why: ending.outcome, data: { run: runId } };
  return changed(tasks, seen, spent, { author, note });
}

const withKept = (task: Task, runId: RunId, { kept }: Ending): Task =>
  task.work ? { ...task, work: { ...task.work, runId, ...(kept ? { kept } : {}) } } : task;

function nextOf(task: Task, { runId, ending, author: { at } }: Settling): Task {
  if (ending.neverRan && ending.outcome === 'lost') {
    const given = transition(task, { type: 'giveBack', at, fence: runId });
    return { ...given, attempts: Math.max(0, given.attempts - 1) };
  }
  if (ending.block) return transition(task, { type: 'block', at, fence: runId, block: ending.block });
  const retryAt = instantOf(msOf(at) + ending.retryInMs);
  const settled = transition(task, { type: 'settle', at, fence: runId, outcome: ending.outcome, retryAt });
  return ending.proved && settled.phase.state === 'verifying'
    ? transition(settled, { type: 'finish', at, fence: runId })
    : settled;
}
