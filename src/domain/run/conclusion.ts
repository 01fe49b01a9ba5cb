import { type Ending, type Facts, outcomeOf, saidNothing } from './outcome.ts';
import type { Outcome, Run } from './run.ts';

/** What an agent says of its own work, through whichever channel it reports. */
export interface Said {
  readonly status: 'succeeded' | 'blocked' | 'failed';
  readonly summary: string;
}

/** What an agent has left behind besides the exit of its program. */
export interface Words {
  readonly report?: Said | undefined;
  /** A question of this run waits for an answer. */
  readonly asks: boolean;
}

export interface Conclusion extends Ending {
  /** It ended well, and neither the program nor a report says how it went. */
  readonly quiet: boolean;
}

/**
 * How a run ended, all things heard. The end of a program says only that it stopped: a question that is open and a report
 * of its agent say more, and go before it. A report of success never makes good what went wrong with the program, and
 * limits that Fleet or a provider has set are facts that no word of an agent changes.
 */
export function conclude(run: Run, facts: Facts, { report, asks }: Words): Conclusion {
  const program = outcomeOf(run, facts);
  const quiet = saidNothing(run, facts);
  const end = endOf(program, facts, quiet);
  if (asks && STOPS_FOR_ANSWER.has(end)) return heard('blocked', report?.summary || ASKED);
  if (report?.status === 'blocked' && YIELDS_TO_REPORT.has(end)) return heard('blocked', report.summary || BLOCKED);
  if (report?.status === 'failed' && YIELDS_TO_REPORT.has(end)) return heard('failed', report.summary || FAILED);
  if (report?.status === 'succeeded' && end === 'quiet') return heard('succeeded', report.summary);
  return { ...program, quiet };
}

const ASKED = 'it has asked something and stopped';
const BLOCKED = 'it reports that it is blocked';
const FAILED = 'it reports that it failed';

const heard = (outcome: Outcome, detail: string): Conclusion => ({ outcome, detail: detail.slice(0, DETAIL), quiet: false });

const DETAIL = 4_000;

/** `left`: the program ended by itself with an error. `killed`: something else ended it. */
type End = 'well' | 'quiet' | 'left' | 'killed' | Exclude<Outcome, 'succeeded' | 'no_changes' | 'crashed'>;

/** An exit code above 128 is a signal, by the custom of shells. */
function endOf({ outcome }: Ending, { exit = 0 }: Facts, quiet: boolean): End {
  if (quiet) return 'quiet';
  if (outcome === 'succeeded' || outcome === 'no_changes') return 'well';
  if (outcome === 'crashed') return exit > 128 ? 'killed' : 'left';
  return outcome;
}

/** Who was killed did not stop for want of an answer: that is an accident, and worth another attempt. */
const STOPS_FOR_ANSWER: ReadonlySet<End> = new Set<End>(['well', 'quiet', 'left', 'blocked', 'failed', 'refused', 'stalled']);
const YIELDS_TO_REPORT: ReadonlySet<End> = new Set<End>(['well', 'quiet', 'left', 'killed', 'refused', 'stalled']);
