import { widthOf } from '../terminal/width.ts';
import { wrap } from '../terminal/wrap.ts';
import type { HelpPage } from './page.ts';

export interface HelpEntry {
  readonly name: string;
  readonly text: string;
}

const INDENT = 2;
const GAP = 2;
/** A name longer than this stands on a line of its own. */
const widestName = 26;

/** Names on the left, what they mean on the right, wrapped under itself. */
export function entries(list: readonly HelpEntry[], { width, paint }: HelpPage): string {
  const column = Math.min(widestName, Math.max(0, ...list.map(({ name }) => widthOf(name))));
  const margin = ' '.repeat(INDENT + column + GAP);
  return list
    .map(({ name, text }) => {
      const lines = wrap(text, Math.max(24, width - margin.length));
      const isLong = widthOf(name) > column;
      const head = `${' '.repeat(INDENT)}${paint.cyan(name)}`;
      const first = isLong ? `${head}\n${margin}` : `${head}${' '.repeat(column - widthOf(name) + GAP)}`;
      return `${first}${lines.join(`\n${margin}`)}\n`;
    })
    .join('');
}

export const section = (title: string, body: string, { paint }: HelpPage): string =>
  body === '' ? '' : `\n${paint.bold(title)}\n${body}`;

export const exampleLines = (examples: readonly string[]): string => examples.map((example) => `  ${example}\n`).join('');
