import { nearest } from '../../platform/nearest.ts';
import { needsInput, type ScriptedAct } from './act.ts';
import { InvalidStep, STEP_WORDS, type StepArguments } from './step-words.ts';

export type ScenarioMode = 'oneway' | 'twoway';

export interface AgentScenarioStep {
  readonly line: number;
  readonly act: ScriptedAct;
  /** The attempts at the task in which the step is played. */
  readonly attempts: { readonly from: number; readonly to: number };
  /** `true`: played only if the prompt has new messages. `false`: only if it has none. */
  readonly told?: boolean | undefined;
  /** Whether a failure of the step is ignored. */
  readonly mayFail: boolean;
}

export interface AgentScenario {
  readonly mode: ScenarioMode;
  readonly steps: readonly AgentScenarioStep[];
}

/** A scenario that cannot be parsed; the message names the line. */
export class AgentScenarioError extends Error {}

interface Cursor {
  readonly lines: readonly string[];
  at: number;
}

/** One step per line; blank lines and lines that start with `#` are skipped; the first line may say `oneway` or `twoway`. */
export function parseScenario(text: string, defaultMode: ScenarioMode = 'oneway'): AgentScenario {
  const cursor: Cursor = { lines: text.split(/\r?\n/), at: 0 };
  const steps: AgentScenarioStep[] = [];
  let mode: ScenarioMode | undefined;
  while (cursor.at < cursor.lines.length) {
    const line = (cursor.lines[cursor.at] ?? '').trim();
    cursor.at += 1;
    if (isBlankOrComment(line)) continue;
    if (isMode(line) && mode === undefined && steps.length === 0) mode = line;
    else steps.push(parseStep(line, cursor));
  }
  mode ??= defaultMode;
  const needing = mode === 'twoway' ? undefined : steps.find(({ act }) => needsInput(act));
  if (needing) throw new AgentScenarioError(`line ${needing.line}: it waits for input; put \`twoway\` on the first line`);
  return { mode, steps };
}

/** Whether a line on its own is a header or begins with the word of a step. */
export function looksLikeStep(line: string): boolean {
  const { word } = unprefixed(line.trim());
  return isMode(line.trim()) || Object.hasOwn(STEP_WORDS, word);
}

export const isBlankOrComment = (line: string): boolean => line.trim() === '' || line.trimStart().startsWith('#');
export const isMode = (line: string): line is ScenarioMode => line === 'oneway' || line === 'twoway';

function parseStep(source: string, cursor: Cursor): AgentScenarioStep {
  const line = cursor.at;
  const { word, text, ...when } = unprefixed(source);
  const read = Object.hasOwn(STEP_WORDS, word) ? STEP_WORDS[word] : undefined;
  if (!read) throw new AgentScenarioError(`line ${line}: no step is called ${JSON.stringify(word)}${meant(word)}`);
  try {
    return { line, act: read(withBody(text, cursor)), ...when };
  } catch (error) {
    if (!(error instanceof InvalidStep)) throw error;
    throw new AgentScenarioError(`line ${line}: \`${word}\`: ${error.message}`);
  }
}

/** `attempt 2: STEP` and `attempt 2+: STEP` choose the attempts, `told: STEP` and `untold: STEP` who was told, `try STEP` lets it fail. */
function unprefixed(source: string): Omit<AgentScenarioStep, 'act' | 'line'> & { readonly word: string; readonly text: string } {
  const [, number, open, counted = source] = /^attempt\s+(\d+)(\+?)\s*:\s*(.*)$/.exec(source) ?? [];
  const [, not, rest = counted] = /^(un)?told\s*:\s*(.*)$/.exec(counted) ?? [];
  const from = number === undefined ? 1 : Number(number);
  const to = number !== undefined && open === '' ? from : Number.POSITIVE_INFINITY;
  const [, tried, word = '', text = ''] = /^(try\s+)?(\S+)\s*(.*)$/.exec(rest) ?? [];
  const told = rest === counted ? {} : { told: not === undefined };
  return { word, text, attempts: { from, to }, ...told, mayFail: tried !== undefined };
}

/** A step that ends in `<<END` goes on to the line `END`. */
function withBody(text: string, cursor: Cursor): StepArguments {
  const [, before = '', mark] = /^(.*)<<(\w+)$/.exec(text) ?? [];
  if (mark === undefined) return { text };
  const end = cursor.lines.findIndex((line, index) => index >= cursor.at && line.trim() === mark);
  if (end === -1) throw new InvalidStep(`its text is open: no line ${JSON.stringify(mark)} follows`);
  const body = cursor.lines.slice(cursor.at, end).join('\n');
  cursor.at = end + 1;
  return { text: before.trimEnd(), body };
}

function meant(word: string): string {
  const candidate = nearest(word, Object.keys(STEP_WORDS));
  return candidate === undefined ? '' : `; did you mean ${candidate}?`;
}
