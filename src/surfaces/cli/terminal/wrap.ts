import { splitAt, widthOf } from './width.ts';

/** Breaks plain text into lines of at most `cells`; its own line breaks and indentation stay. */
export function wrap(text: string, cells: number): string[] {
  return text.split('\n').flatMap((line) => (widthOf(line) <= cells ? [line.trimEnd()] : wrapLine(line, cells)));
}

function wrapLine(line: string, cells: number): string[] {
  const indent = /^ */.exec(line)?.[0].slice(0, Math.floor(cells / 2)) ?? '';
  const room = Math.max(1, cells - indent.length);
  const lines: string[] = [];
  let current = '';
  for (const word of line.trim().split(/ +/)) {
    if (current !== '' && widthOf(current) + 1 + widthOf(word) <= room) {
      current += ` ${word}`;
      continue;
    }
    if (current !== '') lines.push(current);
    current = word;
    while (widthOf(current) > room) {
      const [head, tail] = splitAt(current, room);
      if (tail === '') break;
      lines.push(head);
      current = tail;
    }
  }
  return [...lines, current].map((part) => indent + part);
}

export const indented = (lines: readonly string[], by = '  '): string =>
  lines.map((line) => (line === '' ? '' : by + line)).join('\n');
