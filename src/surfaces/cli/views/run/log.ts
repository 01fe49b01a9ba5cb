import type { OutputOf } from '../../../../contract/call.ts';
import { plain } from '../../terminal/plain.ts';

type Line = OutputOf<'run.log'>['items'][number];

/** What an agent printed, line by line, and nothing that a terminal would obey. */
export const logLines = ({ items }: Pick<OutputOf<'run.log'>, 'items'>): string =>
  items.map((line) => `${plain(lineText(line))}\n`).join('');

/** Just as it was printed. */
export const rawLines = ({ items }: Pick<OutputOf<'run.log'>, 'items'>): string => items.map(({ text }) => `${text}\n`).join('');

/** The end of a line as Windows writes it is no line of its own. */
const lineText = ({ text }: Line): string => text.replace(/\r$/, '');
