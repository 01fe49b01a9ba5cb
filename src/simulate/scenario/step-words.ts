import { nearest } from '../../platform/nearest.ts';
import { type AnswerUsage, STOP_REASONS, type StopReason } from '../answer.ts';
import { ACCIDENTS, type FaultKind, REFUSALS } from '../provider-faults.ts';
import type { AnswerPlan, FaultPlan, PartPlan, ScenarioDeed } from './scenario.ts';

/** The arguments of a step: the rest of its line, and the lines between `<<END` and `END`. */
export interface StepText {
  readonly text: string;
  readonly body?: string | undefined;
}

/** The effect of one line on the scenario. */
export type ModelScenarioStep =
  | { readonly adds: 'part'; readonly part: PartPlan }
  | { readonly adds: 'fault'; readonly fault: FaultPlan }
  | { readonly adds: 'trait'; readonly trait: Partial<Pick<AnswerPlan, 'usage' | 'paceMs' | 'isGated' | 'quota'>> }
  | { readonly adds: 'stop'; readonly stop: StopReason }
  | { readonly adds: 'mark'; readonly mark: 'turn' | 'repeat' | 'together' | 'end' | 'empty' };

/** A step that cannot be parsed: what was seen and what was expected. */
export class BadModelStep extends Error {
  constructor(seen: string, expected: string) {
    super(`seen ${seen === '' ? 'nothing' : JSON.stringify(seen)}, expected ${expected}`);
  }
}

const HOUR = 3_600;
const MANY = Number.MAX_SAFE_INTEGER;

/** Every step by its first word. */
export const STEP_WORDS: Readonly<Record<string, (rest: StepText) => ModelScenarioStep>> = {
  say: (rest) => part({ do: 'say', text: given(longText(rest), 'a text') }),
  think: (rest) => part({ do: 'think', text: given(longText(rest), 'a text') }),
  write: (rest) => part(write(rest)),
  edit: (rest) => part(edit(rest)),
  read: ({ text }) => part({ do: 'read', file: alone(fileIn(text)) }),
  run: (rest) => part({ do: 'run', command: given(longText(rest), 'a command') }),
  call: (rest) => part(call(rest)),
  try: (rest) => part({ ...call(afterCall(rest)), ifOffered: true }),
  fault: ({ text }) => ({ adds: 'fault', fault: fault(text) }),
  usage: ({ text }) => ({ adds: 'trait', trait: { usage: usage(text) } }),
  quota: ({ text }) => ({ adds: 'trait', trait: { quota: quota(text) } }),
  slow: ({ text }) => ({ adds: 'trait', trait: { paceMs: number(text, 'milliseconds between two pieces') } }),
  gate: ({ text }) => ({ adds: 'trait', trait: { isGated: nothingAfter(text, true) } }),
  stop: ({ text }) => ({ adds: 'stop', stop: oneOf(text, STOP_REASONS) }),
  empty: ({ text }) => ({ adds: 'mark', mark: nothingAfter(text, 'empty') }),
  turn: ({ text }) => ({ adds: 'mark', mark: nothingAfter(text, 'turn') }),
  repeat: ({ text }) => ({ adds: 'mark', mark: nothingAfter(text, 'repeat') }),
  together: ({ text }) => ({ adds: 'mark', mark: nothingAfter(text, 'together') }),
  end: ({ text }) => ({ adds: 'mark', mark: nothingAfter(text, 'end') }),
};

const part = (plan: PartPlan): ModelScenarioStep => ({ adds: 'part', part: plan });
const longText = ({ text, body }: StepText): string => body ?? text;

function given(text: string, what: string): string {
  if (text === '') throw new BadModelStep('', what);
  return text;
}

function nothingAfter<T>(text: string, value: T): T {
  if (text !== '') throw new BadModelStep(text, 'nothing after it');
  return value;
}

/** Splits a file name, in double quotes if it has spaces, from the rest. */
function fileIn(text: string): { readonly file: string; readonly rest: string } {
  const [, quoted, plain, rest = ''] = /^(?:"([^"]+)"|([^\s"]\S*))(?:\s+(.*))?$/s.exec(text) ?? [];
  const file = quoted ?? plain;
  if (file === undefined) throw new BadModelStep(text, 'the name of a file');
  return { file, rest };
}

const alone = ({ file, rest }: ReturnType<typeof fileIn>): string => nothingAfter(rest, file);

function write({ text, body }: StepText): ScenarioDeed {
  const { file, rest } = fileIn(text);
  if (body !== undefined) return { do: 'write', file: nothingAfter(rest, file), text: body === '' ? '' : `${body}\n` };
  return { do: 'write', file, text: `${rest}\n` };
}

const EDIT = 'a file and `OLD => NEW`, or lines with `=>` alone between old and new';

function edit({ text, body }: StepText): ScenarioDeed {
  const { file, rest } = fileIn(text);
  const [, from, to] = (body === undefined ? /^(.+?) => (.*)$/.exec(rest) : /^(.+?)\n=>(?:\n(.*))?$/s.exec(body)) ?? [];
  if (from === undefined) throw new BadModelStep(body ?? rest, EDIT);
  return { do: 'edit', file, from, to: to ?? '' };
}

/** `try call`: the call is skipped if the agent has no such tool. */
function afterCall({ text, body }: StepText): StepText {
  const [, rest] = /^call(?:\s+(.*))?$/s.exec(text) ?? [];
  if (rest === undefined) throw new BadModelStep(text, '`call`, a tool and its arguments');
  return { text: rest, body };
}

function call({ text, body }: StepText): Extract<ScenarioDeed, { do: 'call' }> {
  const [, tool = '', rest = ''] = /^(\S*)\s*(.*)$/s.exec(text) ?? [];
  const source = body ?? rest;
  return { do: 'call', tool: given(tool, 'the name of a tool'), arguments: source === '' ? {} : json(source) };
}

function json(source: string): Readonly<Record<string, unknown>> {
  const expected = 'arguments as a JSON object';
  try {
    const value = JSON.parse(source) as unknown;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (error) {
    throw new BadModelStep(source, `${expected} (${error instanceof Error ? error.message : String(error)})`);
  }
  throw new BadModelStep(source, expected);
}

/** `fault rate_limit 2x 30s`: the kind, how often, and the seconds until a retry may succeed. */
function fault(text: string): FaultPlan {
  const [name = '', ...words] = text.split(/\s+/);
  const kind = oneOf<FaultKind>(name, [...REFUSALS, ...ACCIDENTS]);
  let times = 1;
  let seconds = kind === 'quota_spent' ? HOUR : 1;
  for (const word of words) {
    const [, count, unit] = /^(\d{1,9})([xs])$/.exec(word) ?? [];
    if (word === 'always') times = MANY;
    else if (unit === 'x') times = Number(count);
    else if (unit === 's') seconds = Number(count);
    else throw new BadModelStep(word, 'how often (`2x`, `always`) or seconds (`30s`)');
  }
  return { kind, times, seconds };
}

function usage(text: string): AnswerUsage {
  const [input, output, cached, more] = text.split(/\s+/);
  if (more !== undefined) throw new BadModelStep(more, 'nothing after tokens read, written and cached');
  const read = number(input ?? '', 'tokens read');
  const fromCache = cached === undefined ? 0 : number(cached, 'tokens from the cache');
  if (fromCache > read) throw new BadModelStep(String(fromCache), `at most the ${read} tokens read`);
  return { input: read, output: number(output ?? '', 'tokens written'), cached: fromCache };
}

function quota(text: string): { percent: number; seconds: number } {
  const [, percent, seconds] = /^(\d{1,3})%\s+(\d{1,9})s$/.exec(text) ?? [];
  if (percent === undefined) throw new BadModelStep(text, 'how much is used and when it begins anew, such as `95% 3600s`');
  return { percent: Number(percent), seconds: Number(seconds) };
}

function number(text: string, what: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new BadModelStep(text, `${what} as a whole number`);
  return Number(text);
}

export function oneOf<T extends string>(word: string, words: readonly T[]): T {
  const found = words.find((candidate) => candidate === word);
  if (found !== undefined) return found;
  const meant = nearest(word, words);
  throw new BadModelStep(word, `one of ${words.join(', ')}${meant === undefined ? '' : `; did you mean ${meant}?`}`);
}
