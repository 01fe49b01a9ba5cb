import { endedSilently, outcomeOf, type RunEndFacts, type RunEnding } from './outcome.ts';
import type { Outcome, Run } from './run.ts';

/** The result an agent claims for its own work, through any channel of reports. */
export interface ClaimedResult {
  readonly status: 'succeeded' | 'blocked' | 'failed';
  readonly summary: string;
}

/** What an agent has left besides the exit of its program. */
export interface AgentClaims {
  readonly report?: ClaimedResult | undefined;
  /** Whether a question of this run is open. */
  readonly asks: boolean;
}

export interface Conclusion extends RunEnding {
  /** The program exited with 0, and neither it nor a report says how the work went. */
  readonly quiet: boolean;
}

/**
 * How a run ended, from all sources. The end of a program says only that it stopped, so an open question and a report of its
 * agent decide first. A report of success never outweighs a failure of the program, and no claim of an agent outweighs a limit
 * that Fleet or a provider has set.
 */
export function conclude(run: Run, facts: RunEndFacts, { report, asks }: AgentClaims): Conclusion {
  const program = outcomeOf(run, facts);
  const quiet = endedSilently(run, facts);
  const end = endOf(program, facts, quiet);
  if (asks && STOPS_FOR_ANSWER.has(end)) return concluded('blocked', report?.summary || ASKED);
  if (report?.status === 'blocked' && YIELDS_TO_REPORT.has(end)) return concluded('blocked', report.summary || BLOCKED);
  if (report?.status === 'failed' && YIELDS_TO_REPORT.has(end)) return concluded('failed', report.summary || FAILED);
  if (report?.status === 'succeeded' && end === 'quiet') return concluded('succeeded', report.summary);
  return { ...program, quiet };
}

const ASKED = 'it has asked something and stopped';
const BLOCKED = 'it reports that it is blocked';
const FAILED = 'it reports that it failed';

const concluded = (outcome: Outcome, detail: string): Conclusion => ({ outcome, detail: detail.slice(0, DETAIL), quiet: false });

const DETAIL = 4_000;

/** `left`: the program exited by itself with an error. `killed`: a signal ended it. */
type End = 'well' | 'quiet' | 'left' | 'killed' | Exclude<Outcome, 'succeeded' | 'no_changes' | 'crashed'>;

/** An exit code above 128 means a signal, by the convention of shells. */
function endOf({ outcome }: RunEnding, { exit = 0 }: RunEndFacts, quiet: boolean): End {
  if (quiet) return 'quiet';
  if (outcome === 'succeeded' || outcome === 'no_changes') return 'well';
  if (outcome === 'crashed') return exit > 128 ? 'killed' : 'left';
  return outcome;
}

/** A killed agent is missing: it did not stop to wait for an answer, so its end is an accident and worth another attempt. */
const STOPS_FOR_ANSWER: ReadonlySet<End> = new Set<End>(['well', 'quiet', 'left', 'blocked', 'failed', 'refused', 'stalled']);
const YIELDS_TO_REPORT: ReadonlySet<End> = new Set<End>(['well', 'quiet', 'left', 'killed', 'refused', 'stalled']);
