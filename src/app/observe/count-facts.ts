import type { JournalEntry } from '../../domain/journal/entry.ts';
import type { Run } from '../../domain/run/run.ts';
import { isFinal, type Task } from '../../domain/task/task.ts';
import { msOf } from '../../domain/values.ts';
import type { Write } from '../../store/port.ts';
import { factsIn } from './journal-facts.ts';
import type { Meters } from './meters.ts';

/** Counts what one commit of this process says has happened. */
export function countFacts(meters: Meters, writes: readonly Write[]): void {
  meters.add('fleet_store_commits_total');
  for (const fact of factsIn(writes)) {
    if (fact.of === 'task') countTask(meters, fact.entry, fact.task);
    else if (fact.of === 'run') countRun(meters, fact.entry, fact.run);
    else meters.add('fleet_questions_total', { event: fact.entry.what });
  }
}

function countTask(meters: Meters, entry: JournalEntry, task: Task): void {
  const { phase } = task;
  if (entry.n === 1) meters.add('fleet_tasks_created_total');
  if (entry.what === 'repair') meters.add('fleet_task_repairs_total');
  // What was imported has ended elsewhere.
  if (entry.to === undefined || entry.to === entry.from || entry.n === 1) return;
  if (entry.from === 'merging') meters.add('fleet_landings_total', { result: landingOf(entry) });
  if (phase.state === 'blocked') meters.add('fleet_task_blocks_total', { cause: phase.block.cause });
  if (entry.what === 'settle' && (entry.to === 'waiting' || entry.to === 'queued'))
    meters.add('fleet_task_retries_total', { outcome: entry.why ?? 'unknown' });
  if (!isFinal(phase)) return;
  meters.add('fleet_tasks_ended_total', { phase: phase.state });
  meters.observe('fleet_task_duration_seconds', seconds(task.createdAt, entry.at), { phase: phase.state });
}

/** How an entry that leaves the phase `merging` calls it. */
export const landingOf = ({ what, to }: Pick<JournalEntry, 'what' | 'to'>): string =>
  what === 'landed' || what === 'repair' ? what : (to ?? 'unknown');

function countRun(meters: Meters, entry: JournalEntry, run: Run): void {
  const { executor, kind, phase, watch } = run;
  if (entry.n === 1) meters.add('fleet_runs_started_total', { executor, kind });
  if (entry.what !== 'ended' || phase.state !== 'ended') return;
  meters.add('fleet_runs_ended_total', { executor, kind, outcome: phase.outcome });
  meters.observe('fleet_run_duration_seconds', seconds(run.createdAt, phase.at), { executor, kind });
  if (kind !== 'agent' && kind !== 'judge') return;
  const usage = watch?.usage;
  if (!usage) meters.add('fleet_runs_usage_unknown_total', { executor });
  else {
    const { inputTokens: input, outputTokens: output, cachedTokens: cached } = usage;
    for (const [direction, tokens] of Object.entries({ input, output, cached }))
      meters.add('fleet_run_tokens_total', { executor, direction }, tokens);
  }
  if (usage?.costUsd === undefined) meters.add('fleet_runs_cost_unknown_total', { executor });
  else meters.add('fleet_run_cost_usd_total', { executor }, usage.costUsd);
}

/** The clock of the wall may have been set back. */
const seconds = (from: string, to: string): number => Math.max(0, msOf(to) - msOf(from)) / 1_000;
