import { truncate, widthOf } from './width.ts';
import { wrap } from './wrap.ts';

export interface Column<Row> {
  readonly title: string;
  /** Plain text of one cell: already safe, without colour. */
  cell(row: Row): string;
  /** Colour, put on after the width is settled. */
  paint?(text: string, row: Row): string;
  readonly align?: 'right';
  /** May be cut down to this many cells when the terminal is narrow. */
  readonly least?: number;
  /** Leaves first when even cutting is not enough; the highest number first. */
  readonly expendable?: number;
}

interface Layout {
  /** Infinity: nothing is cut. */
  readonly width: number;
  heading(text: string): string;
}

const GAP = 2;

/** Aligned columns under their titles; without a line for titles when no column has one. */
export function columns<Row>(rows: readonly Row[], wanted: readonly Column<Row>[], { width, heading }: Layout): string {
  const shown = fit(wanted, rows, width);
  const sizes = shrink(shown, rows, width);
  const lay = (texts: readonly string[], paint: (text: string, index: number) => string) =>
    texts
      .map((text, index) => {
        const size = sizes[index] ?? 0;
        const cut = truncate(text, size);
        const isLast = index === texts.length - 1;
        const painted = paint(cut, index);
        const space = ' '.repeat(Math.max(0, size - widthOf(cut)));
        if (shown[index]?.align === 'right') return space + painted;
        return isLast ? painted : painted + space;
      })
      .join(' '.repeat(GAP))
      .trimEnd();
  const head = lay(
    shown.map(({ title }) => title),
    (text) => (text === '' ? '' : heading(text)),
  );
  const body = rows.map((row) =>
    lay(
      shown.map((column) => column.cell(row)),
      (text, index) => shown[index]?.paint?.(text, row) ?? text,
    ),
  );
  return `${(shown.some(({ title }) => title !== '') ? [head, ...body] : body).join('\n')}\n`;
}

const natural = <Row>(column: Column<Row>, rows: readonly Row[]): number =>
  Math.max(widthOf(column.title), ...rows.map((row) => widthOf(column.cell(row))));

const least = <Row>(column: Column<Row>, rows: readonly Row[]): number =>
  Math.min(column.least ?? Infinity, natural(column, rows));

const total = (sizes: readonly number[]): number =>
  sizes.reduce((sum, size) => sum + size, 0) + GAP * Math.max(0, sizes.length - 1);

function fit<Row>(wanted: readonly Column<Row>[], rows: readonly Row[], width: number): readonly Column<Row>[] {
  if (total(wanted.map((column) => least(column, rows))) <= width) return wanted;
  const leaver = wanted
    .filter(({ expendable }) => expendable !== undefined)
    .toSorted((a, b) => (b.expendable ?? 0) - (a.expendable ?? 0))[0];
  return leaver
    ? fit(
        wanted.filter((column) => column !== leaver),
        rows,
        width,
      )
    : wanted;
}

/** The widest column that may be cut gives way first, so that columns end up evenly narrow. */
function shrink<Row>(shown: readonly Column<Row>[], rows: readonly Row[], width: number): number[] {
  const sizes = shown.map((column) => natural(column, rows));
  const floors = shown.map((column) => least(column, rows));
  let over = total(sizes) - width;
  while (over > 0) {
    const widest = sizes.reduce(
      (best, size, index) => (size > (floors[index] ?? 0) && size > (sizes[best] ?? 0) ? index : best),
      firstAbove(sizes, floors),
    );
    if (widest === -1) break;
    sizes[widest] = (sizes[widest] ?? 0) - 1;
    over -= 1;
  }
  return sizes;
}

const firstAbove = (sizes: readonly number[], floors: readonly number[]): number =>
  sizes.findIndex((size, index) => size > (floors[index] ?? 0));

interface PairLayout {
  readonly width: number;
  readonly indent: string;
  paint(name: string): string;
}

/** `name   text` lines with the names in one width; a long text goes on under itself. */
export function pairs(rows: readonly (readonly [string, string])[], { width, indent, paint }: PairLayout): string {
  const size = Math.max(0, ...rows.map(([name]) => widthOf(name)));
  const margin = indent + ' '.repeat(size + GAP);
  return rows
    .map(([name, text]) => {
      const lines = wrap(text, Math.max(24, width - margin.length));
      return `${indent}${paint(name)}${' '.repeat(size - widthOf(name) + GAP)}${lines.join(`\n${margin}`)}\n`;
    })
    .join('');
}
