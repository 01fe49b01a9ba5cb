import { VERDICTS } from '../executor.ts';
import { type ScriptedAct, type ScriptedVerdict, SIGNALS, type Signal } from './act.ts';
import { firstWord, wordsIn } from './words.ts';

/** The arguments of a step: the rest of its line, and the lines between `<<END` and `END`. */
export interface StepArguments {
  readonly text: string;
  readonly body?: string | undefined;
}

/** A step that cannot be parsed. The message says what it expects. */
export class InvalidStep extends Error {}

const day = 24 * 60 * 60 * 1000;
const unitBytes: Readonly<Record<string, number>> = { '': 1, B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };
const verdicts = VERDICTS satisfies readonly ScriptedVerdict[];

/** Every step by its first word. */
export const STEP_WORDS: Readonly<Record<string, (rest: StepArguments) => ScriptedAct>> = {
  say: (rest) => ({ do: 'say', text: longText(rest) }),
  think: (rest) => ({ do: 'think', text: longText(rest) }),
  edit: (rest) => ({ do: 'edit', ...fileAndText(rest) }),
  append: (rest) => ({ do: 'append', ...fileAndText(rest) }),
  run: ({ text }) => program(text),
  sh: (rest) => ({ do: 'run', command: '/bin/sh', args: ['-c', given(longText(rest), 'a shell command')] }),
  commit: (rest) => ({ do: 'commit', message: given(longText(rest), 'a message') }),
  recall: ({ text }) => ({ do: nothingAfter(text, 'recall') }),
  report: (rest) => ({ do: 'report', report: report(longText(rest)) }),
  done: (rest) => ({ do: 'report', report: { status: 'done', summary: longText(rest) } }),
  end: ({ text }) => end(text),
  ask: ({ text }) => question(text),
  permission: ({ text }) => ({ do: 'ask', kind: 'permission', text: given(text, 'what for'), options: ['allow', 'deny'] }),
  listen: ({ text }) => ({ do: 'listen', messages: number(text || '1', 'how many messages') }),
  sleep: ({ text }) => ({ do: 'sleep', ms: number(text, 'milliseconds') }),
  hang: ({ text }) => ({ do: nothingAfter(text, 'hang') }),
  linger: ({ text }) => ({ do: nothingAfter(text, 'linger') }),
  crash: ({ text }) => ({ do: 'crash', code: exitCode(text || '1') }),
  exit: ({ text }) => ({ do: 'exit', code: exitCode(text || '0') }),
  signal: ({ text }) => ({ do: 'signal', signal: signal(text) }),
  ignore: ({ text }) => ({ do: 'ignore', signal: signal(text) }),
  flood: ({ text }) => ({ do: 'flood', bytes: bytes(text) }),
  line: ({ text }) => ({ do: 'line', bytes: bytes(text) }),
  binary: ({ text }) => ({ do: 'binary', bytes: bytes(text) }),
  daemonise: ({ text }) => ({ do: 'daemonise', ms: number(text || String(day), 'milliseconds') }),
  spend: ({ text }) => spend(text),
  context: ({ text }) => context(text),
  quota: ({ text }) => quota(text),
  limited: ({ text }) => limited(text),
  mark: ({ text }) => ({ do: 'mark', file: given(firstWord(text)?.word ?? '', 'a file') }),
};

const longText = ({ text, body }: StepArguments): string => body ?? text;

function given(text: string, what: string): string {
  if (text === '') throw new InvalidStep(`it expects ${what}`);
  return text;
}

function nothingAfter<Word extends string>(text: string, word: Word): Word {
  if (text !== '') throw new InvalidStep(`it expects nothing after it, seen ${JSON.stringify(text)}`);
  return word;
}

function fileAndText({ text, body }: StepArguments): { file: string; text: string } {
  const first = firstWord(text);
  if (!first || first.word === '') throw new InvalidStep('it expects a file and a text');
  return { file: first.word, text: body === undefined ? `${first.rest}\n` : body && `${body}\n` };
}

function program(text: string): ScriptedAct {
  const [command, ...args] = wordsIn(text) ?? [];
  if (!command) throw new InvalidStep('it expects a program and its arguments, with every quote closed');
  return { do: 'run', command, args };
}

/** JSON, or a status and a summary. */
function report(text: string): unknown {
  if (!/^[[{"]/.test(text)) {
    const first = firstWord(given(text, 'JSON, or a status and a summary'));
    return { status: first?.word, summary: first?.rest };
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InvalidStep(`it expects JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function end(text: string): ScriptedAct {
  const first = firstWord(text);
  const verdict = verdicts.find((word) => word === first?.word);
  if (!verdict) throw new InvalidStep(`it expects one of ${verdicts.join(', ')}, and a summary`);
  return { do: 'end', verdict, summary: first?.rest ?? '' };
}

function question(text: string): ScriptedAct {
  const [asked = '', ...options] = text.split('|').map((part) => part.trim());
  return { do: 'ask', kind: 'question', text: given(asked, 'a question'), options };
}

function spend(text: string): ScriptedAct {
  const [input = '', output = '', ...more] = text.split(/\s+/);
  const dollars = more.find((word) => word.startsWith('$'));
  const model = more.find((word) => !word.startsWith('$'));
  if (dollars !== undefined && !/^\$\d+(\.\d+)?$/.test(dollars))
    throw new InvalidStep(`it expects dollars like $0.25, seen ${dollars}`);
  return {
    do: 'spend',
    input: number(input, 'tokens read'),
    output: number(output, 'tokens written'),
    ...(dollars === undefined ? {} : { costUsd: Number(dollars.slice(1)) }),
    ...(model === undefined ? {} : { model }),
  };
}

function context(text: string): ScriptedAct {
  const [tokens = '', limit] = text.split(/\s+/);
  return {
    do: 'context',
    tokens: number(tokens, 'how many tokens'),
    ...(limit === undefined ? {} : { limit: number(limit, 'how many there is room for') }),
  };
}

function quota(text: string): ScriptedAct {
  const [window = '', percent = '', seconds] = text.split(/\s+/);
  const used = number(percent, 'percent') / 100;
  if (used > 1) throw new InvalidStep(`it expects at most 100 percent, seen ${percent}`);
  return {
    do: 'quota',
    window: given(window, 'a window'),
    used,
    ...(seconds === undefined ? {} : { seconds: number(seconds, 'seconds') }),
  };
}

function limited(text: string): ScriptedAct {
  const first = firstWord(text);
  const isTimed = first !== undefined && /^\d/.test(first.word);
  const why = isTimed ? first.rest : text;
  return { do: 'limited', ...(isTimed ? { seconds: number(first.word, 'seconds') } : {}), ...(why === '' ? {} : { why }) };
}

function number(text: string, what: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidStep(`it expects ${what} as a whole number, seen ${JSON.stringify(text)}`);
  return Number(text);
}

function exitCode(text: string): number {
  const code = number(text, 'an exit code');
  if (code > 255) throw new InvalidStep(`it expects an exit code up to 255, seen ${code}`);
  return code;
}

function signal(text: string): Signal {
  const name = SIGNALS.find((candidate) => candidate === text.replace(/^SIG/, ''));
  if (!name) throw new InvalidStep(`it expects one of ${SIGNALS.join(', ')}, seen ${JSON.stringify(text)}`);
  return name;
}

function bytes(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,12})\s*([KMG]?B)?$/.exec(text) ?? [];
  if (count === '') throw new InvalidStep(`it expects a size such as 500, 64KB or 200MB, seen ${JSON.stringify(text)}`);
  return Number(count) * (unitBytes[unit] ?? 1);
}
