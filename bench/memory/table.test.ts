import pico from 'picocolors';
import { describe, expect, it } from 'vitest';
import { compare } from './compare.ts';
import type { Figure, Goal } from './figure.ts';
import { optionsIn } from './options.ts';
import { findings, table } from './table.ts';

const baseline = { 'P90 help': { ratio: 1, noise: 0 }, 'P91 reads': { ratio: 1, noise: 0 }, plain: { ratio: 4, noise: 0 } };
const named = (id: string | undefined, name: string, ratio: number, goal?: Goal): Figure => ({
  ...(id === undefined ? {} : { id }),
  ...{ name, ratio, noise: 0 },
  ...(goal ? { goal } : {}),
});
const compared = [
  named('P90', 'help', 1.5, { atMost: 1.3 }),
  named('P91', 'reads', 0.75, { atLeast: 0.5 }),
  named(undefined, 'plain', 3),
  named('P92', 'figure of today', 0.3, { atMost: 0.6 }),
].map((figure) => compare(figure, baseline));
const plain = { paint: pico.createColors(false), width: 1_000 };

describe('the table of figures', () => {
  it('shows figure, goal, baseline, change and how much of the goal is used', () => {
    expect(table(compared, plain).split('\n')).toEqual([
      '     figure           goal    baseline   now  change  used',
      'P90  help             ≤ 1.30      1.00  1.50   +50 %  ███████████▶  goal missed',
      'P91  reads            ≥ 0.50      1.00  0.75   −25 %  ████████░░░░  fell',
      '     plain            –           4.00  3.00   −25 %                for information',
      'P92  figure of today  ≤ 0.60         –  0.30       –  ██████░░░░░░  ok, new',
    ]);
  });

  it('is coloured only where it is asked for, and then says the same', () => {
    const coloured = table(compared, { ...plain, paint: pico.createColors(true) });
    expect(coloured).toContain('\u001B[31m');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are made of them
    expect(coloured.replaceAll(/\u001B\[\d+m/g, '').replaceAll(/ +$/gm, '')).toBe(table(compared, plain));
  });

  it('shortens names where the terminal is narrow', () => {
    const long = compare(named('P93', `a name of ${'many '.repeat(20)}words`, 1, { atMost: 2 }), {});
    const lines = table([long], { ...plain, width: 100 }).split('\n');
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(100);
    expect(lines[1]).toContain('…');
  });

  it('names what missed its goal and what fell, with both values', () => {
    expect(findings(compared)).toEqual([
      'goal missed: P90 help is 1.50, goal ≤ 1.30',
      'fell: P90 help was 1.00, is 1.50 (+50 %, noise 10 %)',
      'fell: P91 reads was 1.00, is 0.75 (−25 %, noise 10 %)',
    ]);
  });
});

it('knows its options, and refuses those it does not know', () => {
  expect(optionsIn([])).toEqual({ words: [], accept: 'no' });
  expect(optionsIn(['http', '--accept', 'start'])).toEqual({ words: ['http', 'start'], accept: 'met' });
  expect(optionsIn(['--accept=all'])).toEqual({ words: [], accept: 'all' });
  expect(() => optionsIn(['--acept'])).toThrow('unknown option --acept');
});
