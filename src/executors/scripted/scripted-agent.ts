/**
 * The program that plays a scenario: `scripted-agent PROMPT-FILE [--mode M] [--run ID] [--result FILE] [--resume SESSION [--fork]]`.
 * It is a small program of its own that starts fast; the executor never runs in this process.
 */
import { readFileSync } from 'node:fs';
import { MESSAGES_HEADING } from '../../domain/run/prompt.ts';
import { openConversation } from './conversation.ts';
import { findScenario } from './find-scenario.ts';
import { openInput } from './input.ts';
import { print } from './output.ts';
import { play } from './play.ts';
import { type AgentScenario, AgentScenarioError, parseScenario, type ScenarioMode } from './scenario.ts';
import type { ScenarioContext } from './scenario-context.ts';

const badScenario = 2;

const [promptFile = '', ...options] = process.argv.slice(2);
const own = options.slice(0, options.includes('--') ? options.indexOf('--') : undefined);
const option = (name: string): string | undefined => (own.includes(name) ? own[own.indexOf(name) + 1] : undefined);

const { scenario, told } = readOrExit();
const run = option('--run') ?? `run-${process.pid}`;
const conversation = openConversation({ run, promptFile, resume: option('--resume'), isFork: own.includes('--fork') });
print({ type: 'opened', session: conversation.session });
const stage: ScenarioContext = {
  run,
  attempt: Number(process.env['FLEET_ATTEMPT'] ?? 1),
  told,
  resultFile: option('--result'),
  input: scenario.mode === 'twoway' ? openInput(process.stdin, conversation.add) : undefined,
  conversation,
  lastSaid: '',
  report: undefined,
  asked: 0,
  tools: 0,
};
const verdict = await play(scenario, stage);
process.exit(verdict === 'succeeded' || verdict === 'blocked' ? 0 : 1);

function readOrExit(): { readonly scenario: AgentScenario; readonly told: boolean } {
  try {
    const prompt = readFileSync(promptFile, 'utf8');
    return { scenario: readScenario(prompt), told: prompt.split('\n').includes(MESSAGES_HEADING) };
  } catch (error) {
    if (!(error instanceof AgentScenarioError || (error instanceof Error && 'code' in error))) throw error;
    process.stderr.write(`scripted: ${error.message}\n`);
    return process.exit(badScenario);
  }
}

function readScenario(prompt: string): AgentScenario {
  const found = findScenario(prompt);
  if (found.in === 'nothing') return echo(prompt);
  const parsed = found.in === 'file' ? parseScenario(readFileSync(found.path, 'utf8'), found.mode) : parseScenario(found.text);
  const launched = (option('--mode') ?? parsed.mode) as ScenarioMode;
  if (parsed.mode === 'twoway' && launched === 'oneway') {
    throw new AgentScenarioError('the scenario is two-way and the prompt does not say so: put `twoway` on its first line');
  }
  return { ...parsed, mode: launched };
}

/** The scenario of a prompt without one: echoes the prompt and reports. */
function echo(prompt: string): AgentScenario {
  const always = { line: 1, attempts: { from: 1, to: Number.POSITIVE_INFINITY }, mayFail: false };
  const report = { status: 'done', summary: 'said the prompt back' };
  return {
    mode: 'oneway',
    steps: [
      { ...always, act: { do: 'say', text: prompt } },
      { ...always, act: { do: 'report', report } },
    ],
  };
}
