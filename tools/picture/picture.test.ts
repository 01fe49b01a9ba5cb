import { describe, expect, it } from 'vitest';
import { picture } from '../../src/surfaces/cli/terminal/redraw.ts';
import { takesOf } from './film.ts';
import { type Cell, Screen } from './screen.ts';
import { svgOf } from './svg.ts';

const text = (rows: readonly (readonly Cell[])[]) => rows.map((row) => row.map((cell) => cell.text).join(''));

describe('a terminal for pictures', () => {
  it('shows what our own redrawing leaves on a screen', async () => {
    const screen = new Screen();
    const { draw } = picture({ out: (drawn) => screen.write(drawn), rows: 20 });
    await draw('one\nlonger than before\nthree\n');
    expect(text(screen.rows())).toEqual(['one', 'longer than before', 'three']);
    await draw('one\nshort\n');
    expect(text(screen.rows())).toEqual(['one', 'short']);
  });

  it('knows the colours, and where they end', () => {
    const screen = new Screen();
    screen.write('\u001b[1m\u001b[36mab\u001b[39m\u001b[22mc\u001b[2md\u001b[22m');
    expect(screen.rows()[0]?.map(({ style }) => style)).toEqual(['bold cyan', 'bold cyan', '', 'dim']);
    expect(() => screen.write('\u001b[2X')).toThrow('does not know');
  });
});

describe('a film', () => {
  const shot = (atMs: number, ...lines: string[]) => {
    const screen = new Screen();
    screen.write(lines.join('\n'));
    return { atMs, rows: screen.rows() };
  };
  const takes = takesOf([shot(0, 'same', 'a'), shot(200, 'same', 'b'), shot(400, 'same', 'b', '<end>')]);

  it('holds each line once for as long as it stayed', () => {
    expect(takes.map(({ row, cells, fromMs, toMs }) => [row, text([cells])[0], fromMs, toMs])).toEqual([
      [0, 'same', 0, undefined],
      [1, 'a', 0, 200],
      [1, 'b', 200, undefined],
      [2, '<end>', 400, undefined],
    ]);
  });

  it('becomes a picture that shows its end where nothing can move', () => {
    const svg = svgOf(takes, { columns: 10, rows: 4, title: 'a "title"' });
    expect(svg).toContain('aria-label="a &quot;title&quot;"');
    expect(svg).toContain('&lt;end></tspan></text>');
    const lines = svg.split('\n');
    expect(lines.find((line) => line.includes('>a</tspan>'))).toContain('visibility="hidden"');
    expect(lines.find((line) => line.includes('>b</tspan>'))).toContain(
      '<set attributeName="visibility" to="hidden" begin="0s" dur="0.20s"/>',
    );
  });
});
