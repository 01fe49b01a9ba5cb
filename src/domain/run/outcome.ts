import type { FullDisk } from '../hold/disk-room.ts';
import type { Outcome, Run } from './run.ts';

/** What is known when a run is over. */
export interface Facts {
  /** Its exit code; undefined when nobody saw it end. */
  readonly exit?: number | undefined;
  readonly reason?: string | undefined;
  /** The program could not be started, and would not be another time. */
  readonly isRefused?: boolean | undefined;
  /** What it took too much of the machine, and was ended for. */
  readonly exceeded?: string | undefined;
}

export interface Ending {
  readonly outcome: Outcome;
  readonly detail: string;
}

/** How the program of a run went, from facts alone: what we had decided, what it said itself, and how its process ended. */
export function outcomeOf(run: Run, facts: Facts): Ending {
  if (run.phase.state === 'ending') return { outcome: run.phase.outcome, detail: run.phase.why };
  if (facts.exit === undefined)
    return { outcome: 'lost', detail: facts.reason ?? 'its process was gone and had left no exit code' };
  if (facts.exceeded !== undefined) return { outcome: 'over_budget', detail: facts.exceeded };
  if (facts.isRefused)
    return { outcome: 'refused', detail: `its program cannot be started: ${facts.reason ?? `exit code ${facts.exit}`}` };
  const { verdict, summary = '', inputEnded = false, failed } = run.watch ?? {};
  if (failed !== undefined && verdict === undefined) return { outcome: 'crashed', detail: failed };
  if (verdict === 'limited') return { outcome: 'rate_limited', detail: summary || 'its provider refused more work' };
  // How a program that only waited to be told to go then went says nothing of its work.
  if (verdict === 'succeeded' && (facts.exit === 0 || inputEnded)) return { outcome: 'succeeded', detail: summary };
  if (verdict !== undefined && verdict !== 'succeeded' && verdict !== 'errored') return { outcome: verdict, detail: summary };
  if (verdict === 'errored' && summary !== '') return { outcome: 'crashed', detail: summary };
  return { outcome: 'crashed', detail: crashed(facts, run.watch?.lastWords) };
}

/** An exit code above 128 is a signal, by the custom of shells. */
function crashed({ exit = 0, reason }: Facts, lastWords = ''): string {
  const how =
    reason ??
    (exit === 0
      ? 'it ended without a report'
      : exit > 128
        ? `it was ended by signal ${exit - 128}`
        : `it ended with exit code ${exit}`);
  return lastWords ? `${how}; last words: ${lastWords.slice(0, 200)}` : how;
}

/** A clean exit without a report is asked about once more; the second time a person must look. */
export const saidNothing = (run: Run, facts: Facts): boolean =>
  facts.exit === 0 && run.watch?.verdict === undefined && run.watch?.failed === undefined && run.phase.state !== 'ending';

const ACCIDENTS: ReadonlySet<Outcome> = new Set<Outcome>(['crashed', 'lost']);

/** A run that ended by accident on a disk that was full since it was claimed says so first: that is the likely cause. */
export const withFullDisk = (end: Ending, { createdAt }: Pick<Run, 'createdAt'>, full: FullDisk | undefined): Ending =>
  full && full.at >= createdAt && ACCIDENTS.has(end.outcome)
    ? { ...end, detail: `disk_full: the disk of ${full.path} was full while it ran; ${end.detail}` }
    : end;
