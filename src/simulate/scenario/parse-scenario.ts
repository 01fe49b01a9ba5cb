import { type Draft, draftTurns } from './draft.ts';
import type { ModelScenario } from './scenario.ts';
import { BadModelStep, oneOf, STEP_WORDS, type StepText } from './step-words.ts';

/** A scenario that cannot be parsed. The message names the line, what was seen and what was expected. */
export class ModelScenarioError extends Error {}

interface Cursor {
  readonly lines: readonly string[];
  at: number;
}

/** One step per line; blank lines and lines that start with `#` are skipped. */
export function parseScenario(text: string): ModelScenario {
  const cursor: Cursor = { lines: text.split(/\r?\n/), at: 0 };
  const draft = draftTurns();
  let steps = 0;
  while (cursor.at < cursor.lines.length) {
    const source = (cursor.lines[cursor.at] ?? '').trim();
    cursor.at += 1;
    if (source === '' || source.startsWith('#')) continue;
    const line = cursor.at;
    steps += 1;
    named(line, () => readStep(source, line, cursor, draft));
  }
  const turns = named(cursor.lines.length, () => draft.end());
  if (steps === 0) throw new ModelScenarioError('line 1: seen no step, expected at least one');
  return { about: aboutIn(cursor.lines), turns };
}

function readStep(source: string, line: number, cursor: Cursor, draft: Draft): void {
  const [, word = '', text = ''] = /^(\S+)\s*(.*)$/.exec(source) ?? [];
  const read = STEP_WORDS[oneOf(word, Object.keys(STEP_WORDS))];
  if (read) draft.add(read(withBody(text, cursor)), line);
}

function named<T>(line: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof BadModelStep)) throw error;
    throw new ModelScenarioError(`line ${line}: ${error.message}`);
  }
}

/** A step that ends in `<<END` goes on to the line `END`. */
function withBody(text: string, cursor: Cursor): StepText {
  const [, before = '', mark] = /^(.*)<<(\w+)$/.exec(text) ?? [];
  if (mark === undefined) return { text };
  const end = cursor.lines.findIndex((line, index) => index >= cursor.at && line.trim() === mark);
  if (end === -1) throw new BadModelStep(`<<${mark}`, `a line ${JSON.stringify(mark)} that ends its text`);
  const body = cursor.lines.slice(cursor.at, end).join('\n');
  cursor.at = end + 1;
  return { text: before.trimEnd(), body };
}

function aboutIn(lines: readonly string[]): string {
  const end = lines.findIndex((line) => !line.startsWith('#'));
  return lines
    .slice(0, end === -1 ? undefined : end)
    .map((line) => line.replace(/^#+\s*/, ''))
    .join(' ')
    .trim();
}
