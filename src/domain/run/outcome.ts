import type { FullDisk } from '../hold/disk-room.ts';
import type { Outcome, Run } from './run.ts';

/** What is known of the process when a run is over. */
export interface RunEndFacts {
  /** The exit code; undefined if the end was not observed. */
  readonly exit?: number | undefined;
  readonly reason?: string | undefined;
  /** The program could not be started, and another attempt would fail alike. */
  readonly isRefused?: boolean | undefined;
  /** Which resource limit the run exceeded, if it was ended for that. */
  readonly exceeded?: string | undefined;
}

export interface RunEnding {
  readonly outcome: Outcome;
  readonly detail: string;
}

/** How the program of a run went: from Fleet's decision to end it, its own verdict, and the end of its process. */
export function outcomeOf(run: Run, facts: RunEndFacts): RunEnding {
  if (run.phase.state === 'ending') return { outcome: run.phase.outcome, detail: run.phase.why };
  if (facts.exit === undefined)
    return { outcome: 'lost', detail: facts.reason ?? 'its process was gone and had left no exit code' };
  if (facts.exceeded !== undefined) return { outcome: 'over_budget', detail: facts.exceeded };
  if (facts.isRefused)
    return { outcome: 'refused', detail: `its program cannot be started: ${facts.reason ?? `exit code ${facts.exit}`}` };
  const { verdict, summary = '', inputEnded = false, failed } = run.watch ?? {};
  if (failed !== undefined && verdict === undefined) return { outcome: 'crashed', detail: failed };
  if (verdict === 'limited') return { outcome: 'rate_limited', detail: summary || 'its provider refused more work' };
  // After input was closed, the exit code of a program that has reported success says nothing about its work.
  if (verdict === 'succeeded' && (facts.exit === 0 || inputEnded)) return { outcome: 'succeeded', detail: summary };
  if (verdict !== undefined && verdict !== 'succeeded' && verdict !== 'errored') return { outcome: verdict, detail: summary };
  if (verdict === 'errored' && summary !== '') return { outcome: 'crashed', detail: summary };
  return { outcome: 'crashed', detail: crashDetail(facts, run.watch?.lastWords) };
}

/** An exit code above 128 means a signal, by the convention of shells. */
function crashDetail({ exit = 0, reason }: RunEndFacts, lastWords = ''): string {
  const how =
    reason ??
    (exit === 0
      ? 'it ended without a report'
      : exit > 128
        ? `it was ended by signal ${exit - 128}`
        : `it ended with exit code ${exit}`);
  return lastWords ? `${how}; last words: ${lastWords.slice(0, 200)}` : how;
}

/** Whether a run exited cleanly without a verdict: the agent is asked once more, and the second time a person must look. */
export const endedSilently = (run: Run, facts: RunEndFacts): boolean =>
  facts.exit === 0 && run.watch?.verdict === undefined && run.watch?.failed === undefined && run.phase.state !== 'ending';

const ACCIDENTS: ReadonlySet<Outcome> = new Set<Outcome>(['crashed', 'lost']);

/** Adds the likely cause to an accident of a run during which the disk was full. */
export const withFullDisk = (end: RunEnding, { createdAt }: Pick<Run, 'createdAt'>, full: FullDisk | undefined): RunEnding =>
  full && full.at >= createdAt && ACCIDENTS.has(end.outcome)
    ? { ...end, detail: `disk_full: the disk of ${full.path} was full while it ran; ${end.detail}` }
    : end;
