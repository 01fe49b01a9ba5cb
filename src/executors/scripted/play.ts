import { type Act, isPause, type Verdict, verdictOf } from './act.ts';
import { doDeed } from './deeds.ts';
import { pause } from './pauses.ts';
import type { Scenario, ScenarioStep } from './scenario.ts';
import type { Stage } from './stage.ts';
import { StepFailed } from './step-failed.ts';
import { print, say } from './voice.ts';

interface Ending {
  readonly verdict: Verdict;
  readonly summary: string;
}

/** Plays the steps of this attempt in order, then prints the verdict. A two-way agent waits for the start message first. */
export async function play({ steps }: Scenario, stage: Stage): Promise<Verdict> {
  const ownSteps = steps.filter(
    ({ attempts, told = stage.told }) => attempts.from <= stage.attempt && stage.attempt <= attempts.to && told === stage.told,
  );
  const ending = (await startFailure(stage)) ?? (await endingOf(ownSteps, stage)) ?? ownEnding(stage);
  print({ type: 'ended', ...ending });
  return ending.verdict;
}

async function startFailure({ ear }: Stage): Promise<Ending | undefined> {
  const failure = await failureOf(async () => ear?.started());
  return failure === undefined ? undefined : { verdict: 'errored', summary: failure };
}

async function endingOf(steps: readonly ScenarioStep[], stage: Stage): Promise<Ending | undefined> {
  for (const { act, line, mayFail } of steps) {
    if (act.do === 'end') return { verdict: act.verdict, summary: act.summary };
    const failure = await failureOf(() => perform(act, stage));
    if (failure !== undefined) say(failure);
    if (failure !== undefined && !mayFail) return { verdict: 'errored', summary: `line ${line}: ${failure}` };
  }
  return undefined;
}

function ownEnding({ report, lastSaid }: Stage): Ending {
  if (report === undefined) return { verdict: 'succeeded', summary: lastSaid.slice(0, 500) };
  const summary = typeof report === 'object' && report !== null && 'summary' in report ? report.summary : '';
  return { verdict: verdictOf(report), summary: String(summary) };
}

const perform = (act: Act, stage: Stage): Promise<void> => (isPause(act) ? pause(act, stage) : doDeed(act, stage));

async function failureOf(work: () => Promise<void>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof StepFailed || (error instanceof Error && 'code' in error)) return error.message;
    throw error;
  }
}
