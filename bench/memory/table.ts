import type { Compared, Verdict } from './compare.ts';
import { hasFallen } from './compare.ts';
import { boundOf, goalText, keyOf, percentText, ratioText } from './figure.ts';

/** How a word is shown; without colour, as it is. */
export type Paint = Readonly<Record<'red' | 'yellow' | 'green' | 'dim' | 'bold', (text: string) => string>>;

export interface Page {
  readonly paint: Paint;
  /** In columns; what does not fit is taken from the names. */
  readonly width: number;
}

const CELLS = 12;
const SHORTEST_NAME = 20;
const HEAD = ['', 'figure', 'goal', 'baseline', 'now', 'change', 'used', ''] as const;
const NAME = 1;

/** One line for each figure. The bar shows how much of its goal it uses up: full is the limit. */
export function table(compared: readonly Compared[], { paint, width }: Page): string {
  const cells = [HEAD, ...compared.map(cellsOf)];
  const widths = HEAD.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const others = widths.reduce((sum, one) => sum + one + 2, 0) - (widths[NAME] ?? 0);
  widths[NAME] = Math.min(widths[NAME] ?? 0, Math.max(SHORTEST_NAME, width - others));
  const lines = cells.map((row) => row.map((cell, column) => fitted(cell, widths[column] ?? 0, isNumber(column))));
  return lines
    .map((line, n) => painted(line, n === 0 ? undefined : compared[n - 1], paint))
    .map((line) => line.trimEnd())
    .join('\n');
}

const isNumber = (column: number): boolean => column >= 3 && column <= 5;

function cellsOf(one: Compared): readonly string[] {
  const { figure, before, change, verdict } = one;
  return [
    figure.id ?? '',
    figure.name.trim(),
    goalText(figure.goal),
    before ? ratioText(before.ratio) : '–',
    ratioText(figure.ratio),
    change === undefined ? '–' : percentText(change),
    bar(one),
    WORDS[verdict],
  ];
}

const WORDS: Readonly<Record<Verdict, string>> = {
  missed: 'goal missed',
  worse: 'fell',
  better: 'better',
  same: 'ok',
  new: 'ok, new',
  information: 'for information',
};

const COLOURS: Readonly<Record<Verdict, keyof Paint>> = {
  missed: 'red',
  worse: 'yellow',
  better: 'green',
  same: 'green',
  new: 'green',
  information: 'dim',
};

function bar({ figure: { goal, ratio } }: Compared): string {
  if (!goal) return '';
  const bound = boundOf(goal);
  const used = 'atMost' in goal ? share(ratio, bound) : share(bound, ratio);
  if (used > 1) return `${'█'.repeat(CELLS - 1)}▶`;
  const full = Math.round(used * CELLS);
  return `${'█'.repeat(full)}${'░'.repeat(CELLS - full)}`;
}

/** Nothing of nothing is nothing. */
const share = (part: number, whole: number): number => (part === 0 ? 0 : part / whole);

function fitted(text: string, width: number, toTheRight: boolean): string {
  const short = text.length > width ? `${text.slice(0, width - 1)}…` : text;
  return toTheRight ? short.padStart(width) : short.padEnd(width);
}

function painted(line: readonly string[], one: Compared | undefined, paint: Paint): string {
  if (!one) return paint.bold(line.join('  '));
  const colour = paint[COLOURS[one.verdict]];
  const last = line.length - 2;
  return line.map((cell, column) => (column >= last && cell.trim() !== '' ? colour(cell) : cell)).join('  ');
}

/** What went wrong, by name; nothing when nothing did. */
export function findings(compared: readonly Compared[]): readonly string[] {
  const missed = compared.filter(({ verdict }) => verdict === 'missed');
  const fallen = compared.filter(hasFallen);
  return [
    ...missed.map(({ figure }) => `goal missed: ${keyOf(figure)} is ${ratioText(figure.ratio)}, goal ${goalText(figure.goal)}`),
    ...fallen.map(
      ({ figure, before, change, allowed }) =>
        `fell: ${keyOf(figure)} was ${ratioText(before?.ratio ?? 0)}, is ${ratioText(figure.ratio)}` +
        (change === undefined ? '' : ` (${percentText(change)}, noise ${(allowed * 100).toFixed(0)} %)`),
    ),
  ];
}
