import { isPause, type ScriptedAct, type ScriptedVerdict, verdictOf } from './act.ts';
import { doDeed } from './deeds.ts';
import { print, say } from './output.ts';
import { pause } from './pauses.ts';
import type { AgentScenario, AgentScenarioStep } from './scenario.ts';
import type { ScenarioContext } from './scenario-context.ts';
import { StepFailed } from './step-failed.ts';

interface Ending {
  readonly verdict: ScriptedVerdict;
  readonly summary: string;
}

/** Plays the steps of this attempt in order, then prints the verdict. A two-way agent waits for the start message first. */
export async function play({ steps }: AgentScenario, stage: ScenarioContext): Promise<ScriptedVerdict> {
  const ownSteps = steps.filter(
    ({ attempts, told = stage.told }) => attempts.from <= stage.attempt && stage.attempt <= attempts.to && told === stage.told,
  );
  const ending = (await startFailure(stage)) ?? (await endingOf(ownSteps, stage)) ?? ownEnding(stage);
  print({ type: 'ended', ...ending });
  return ending.verdict;
}

async function startFailure({ input }: ScenarioContext): Promise<Ending | undefined> {
  const failure = await failureOf(async () => input?.started());
  return failure === undefined ? undefined : { verdict: 'errored', summary: failure };
}

async function endingOf(steps: readonly AgentScenarioStep[], stage: ScenarioContext): Promise<Ending | undefined> {
  for (const { act, line, mayFail } of steps) {
    if (act.do === 'end') return { verdict: act.verdict, summary: act.summary };
    const failure = await failureOf(() => perform(act, stage));
    if (failure !== undefined) say(failure);
    if (failure !== undefined && !mayFail) return { verdict: 'errored', summary: `line ${line}: ${failure}` };
  }
  return undefined;
}

function ownEnding({ report, lastSaid }: ScenarioContext): Ending {
  if (report === undefined) return { verdict: 'succeeded', summary: lastSaid.slice(0, 500) };
  const summary = typeof report === 'object' && report !== null && 'summary' in report ? report.summary : '';
  return { verdict: verdictOf(report), summary: String(summary) };
}

const perform = (act: ScriptedAct, stage: ScenarioContext): Promise<void> =>
  isPause(act) ? pause(act, stage) : doDeed(act, stage);

async function failureOf(work: () => Promise<void>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof StepFailed || (error instanceof Error && 'code' in error)) return error.message;
    throw error;
  }
}
