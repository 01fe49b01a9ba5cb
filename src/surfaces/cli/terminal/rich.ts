import { truncate, widthOf } from './width.ts';

/** A piece of a line: plain text, already safe, and its colour, put on after the width is settled. */
export interface Piece {
  readonly text: string;
  paint?(text: string): string;
}

export type RichLine = readonly Piece[];

export const piece = (text: string, paint?: Piece['paint']): Piece => (paint ? { text, paint } : { text });

export const lineWidth = (line: RichLine): number => line.reduce((sum, { text }) => sum + widthOf(text), 0);

/** The line in colour, cut so that it takes at most so many cells. */
export function painted(line: RichLine, cells = Number.POSITIVE_INFINITY): string {
  return cut(line, cells)
    .map(({ text, paint }) => (paint && text !== '' ? paint(text) : text))
    .join('');
}

/** The same, filled up with spaces to exactly so many cells. */
export function filled(line: RichLine, cells: number): string {
  const shown = cut(line, cells);
  return painted(shown) + ' '.repeat(Math.max(0, cells - lineWidth(shown)));
}

/** What stands on the left, and at the end of the line what stands on the right. */
export function spread(left: RichLine, right: RichLine, cells: number): string {
  return `${filled(left, Math.max(0, cells - lineWidth(right) - 1))} ${painted(right)}`;
}

function cut(line: RichLine, cells: number): RichLine {
  if (lineWidth(line) <= cells) return line;
  const kept: Piece[] = [];
  let room = cells;
  for (const part of line) {
    const width = widthOf(part.text);
    if (width >= room) {
      // What follows does not fit either: the mark of the cut stands for it, too.
      const text = width > room ? truncate(part.text, room) : truncate(`${part.text} `, room);
      return [...kept, { ...part, text }];
    }
    kept.push(part);
    room -= width;
  }
  return kept;
}
