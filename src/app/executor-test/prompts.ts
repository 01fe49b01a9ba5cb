import { parseScenario } from '../../simulate/scenario/parse-scenario.ts';
import type { ModelScenario } from '../../simulate/scenario/scenario.ts';

/** What an agent is asked in a trial: one command, so that a small program can do it as well as a large one. */
export interface TrialCommand {
  /** To be run in a shell, in the workspace. */
  readonly command: string;
  /** What follows when it is told to go on. */
  readonly later?: string;
}

export function promptFor(executor: string, wish: TrialCommand): string {
  if (executor === 'scripted') return scenarioFor(wish);
  return `This is a trial of the tools around you. Run this one command with your shell, in the current directory, and then stop:\n\n    ${wish.command}\n\nDo nothing else, and do not look around first.`;
}

/** What a person says to let it go on. */
export const goOnWith = (command: string): string =>
  `Never mind the command before. Run this one command with your shell instead, and then stop:\n\n    ${command}\n`;

/** The player of scenarios takes no prose. */
function scenarioFor({ command, later }: TrialCommand): string {
  const steps =
    later === undefined
      ? ['say I run it', 'spend 10 5', `sh ${command}`, 'commit the trial', 'done']
      : ['twoway', 'say I wait', 'untold: listen 1', 'untold: hang', `sh ${later}`, 'commit the trial', 'done'];
  return `A trial.\n\n\`\`\`scenario\n${steps.join('\n')}\n\`\`\`\n`;
}

export const SCENARIO = 'trial';

/** A simulated model cannot read: what the prompt asks for is found by the shell it uses. */
export const scenarios = (): Readonly<Record<string, ModelScenario>> => ({
  [SCENARIO]: parseScenario(
    `# does what a trial asks for\nrun eval "$(grep -E '^(  > )?    ' "$FLEET_RUN_DIR/prompt.txt" | tail -n 1 | sed 's/^  > //')"\nsay Done.`,
  ),
});
