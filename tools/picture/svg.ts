import type { Take } from './film.ts';
import type { Cell } from './screen.ts';

const CELL = { width: 8.4, height: 17 };
const MARGIN = 18;
const BAR = 34;

const STYLE = `text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#d7dce2}
.bold{font-weight:700;fill:#fff}.dim{fill:#7d8590}.italic{font-style:italic}
.red{fill:#ff7b72}.green{fill:#56d364}.yellow{fill:#e3b341}.blue{fill:#79b8ff}.magenta{fill:#d2a8ff}.cyan{fill:#56d4dd}`;

interface Size {
  readonly columns: number;
  readonly rows: number;
  readonly title: string;
}

/**
 * A terminal as a picture that moves by itself and stays at its last moment. What cannot show movement shows that moment.
 */
export function svgOf(takes: readonly Take[], { columns, rows, title }: Size): string {
  const width = Math.round(columns * CELL.width + 2 * MARGIN);
  const height = Math.round(rows * CELL.height + BAR + MARGIN);
  const dots = ['#ff5f57', '#febc2e', '#28c840']
    .map((colour, index) => `<circle cx="${20 + index * 18}" cy="17" r="5.5" fill="${colour}"/>`)
    .join('');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">`,
    `<style>${STYLE}</style>`,
    `<rect width="${width}" height="${height}" rx="10" fill="#0d1117"/><rect width="${width}" height="${BAR}" rx="10" fill="#161b22"/>`,
    dots,
    `<text x="${width / 2}" y="22" text-anchor="middle" class="dim">${escaped(title)}</text>`,
    ...takes.map(lineOf),
    '</svg>',
    '',
  ].join('\n');
}

const lineOf = ({ row, cells, fromMs, toMs }: Take): string => {
  const y = BAR + row * CELL.height + CELL.height * 0.75;
  const hidden = toMs === undefined ? '' : ' visibility="hidden"';
  return `<text y="${y.toFixed(1)}"${hidden}>${timing(fromMs, toMs)}${pieces(cells).map(pieceOf).join('')}</text>`;
};

const at = (ms: number): string => `${(ms / 1000).toFixed(2)}s`;

function timing(fromMs: number, toMs: number | undefined): string {
  if (toMs !== undefined)
    return `<set attributeName="visibility" to="visible" begin="${at(fromMs)}" dur="${at(toMs - fromMs)}"/>`;
  return fromMs === 0 ? '' : `<set attributeName="visibility" to="hidden" begin="0s" dur="${at(fromMs)}"/>`;
}

interface Piece {
  readonly at: number;
  readonly text: string;
  readonly style: string;
}

/** Neighbours that look alike are one piece; what stands apart begins one of its own, so that every piece knows its place. */
function pieces(cells: readonly Cell[]): Piece[] {
  const found: { at: number; text: string; style: string }[] = [];
  let gap = '';
  cells.forEach(({ text, style }, index) => {
    if (text === ' ') {
      gap += ' ';
      return;
    }
    const last = found.at(-1);
    if (last && last.style === style && gap.length < 2) last.text += gap + text;
    else found.push({ at: index, text, style });
    gap = '';
  });
  return found;
}

const long = 4;

/** Whatever the font of the reader, the columns stand under each other. */
function pieceOf({ at: column, text, style }: Piece): string {
  const cells = [...text].length;
  const x = (MARGIN + column * CELL.width).toFixed(1);
  const size = cells < long ? '' : ` textLength="${(cells * CELL.width).toFixed(1)}" lengthAdjust="spacingAndGlyphs"`;
  return `<tspan x="${x}"${size}${style === '' ? '' : ` class="${style}"`}>${escaped(text)}</tspan>`;
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
