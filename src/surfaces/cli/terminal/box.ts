import { filled, type RichLine } from './rich.ts';
import { widthOf } from './width.ts';

interface Frame {
  readonly title: string;
  /** Of the whole box, its walls included. */
  readonly width: number;
  /** Colour of the walls. */
  paint(text: string): string;
  bold(text: string): string;
}

/** Lines in a box with a title; what is too long is cut. */
export function box(lines: readonly RichLine[], { title, width, paint, bold }: Frame): string {
  const inside = Math.max(8, width - 4);
  const rule = '─'.repeat(Math.max(0, inside - widthOf(title) - 1));
  const head = `${paint('╭─')} ${bold(title)} ${paint(`${rule}╮`)}\n`;
  const body = lines.map((line) => `${paint('│')} ${filled(line, inside)} ${paint('│')}\n`).join('');
  return `${head}${body}${paint(`╰${'─'.repeat(inside + 2)}╯`)}\n`;
}
