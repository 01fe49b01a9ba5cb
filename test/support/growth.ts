import { expect } from 'vitest';

const SIZE = 128 * 1_024;
/** What is done so fast takes no noticeable time at four times the length either. */
const NOTHING_MS = 20;
/** Twice as long takes twice as long; four times would be a square. What lies between is left to a busy machine. */
const MOST_GROWTH = 3;
const TRIES = 3;

/** The time of this thread that it takes, without what others take; the least of some tries. */
function costOf(work: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let n = 0; n < TRIES && least > NOTHING_MS; n += 1) {
    const before = process.cpuUsage();
    work();
    const { user } = process.cpuUsage(before);
    least = Math.min(least, user / 1_000);
  }
  return least;
}

/** Fails where a text of twice the length, made of `pump` again and again, takes more than in proportion. */
export function expectLinear(
  name: string,
  work: (text: string) => unknown,
  pump: { before?: string; pump: string; after?: string },
): void {
  const { before = '', after = '' } = pump;
  const textOf = (size: number): string => before + pump.pump.repeat(Math.ceil(size / pump.pump.length)) + after;
  const [short, long] = [textOf(SIZE), textOf(2 * SIZE)];
  const twice = costOf(() => work(long));
  if (twice <= NOTHING_MS) return;
  const once = costOf(() => work(short));
  expect(twice / Math.max(once, 1), `${name}, ${JSON.stringify(pump)}: ${once} ms, twice as long ${twice} ms`).toBeLessThan(
    MOST_GROWTH,
  );
}

const SHORT = 8 * 1_024;
/** Eight thousand steps take no such time; the square of it does. */
const SLOW_MS = 4;
const LETTERS = [' ', '\n', 'a', '0'];
/** What ends a match that would go on. */
const END = '\0';
const WORDS = 4;

/** Texts, told as how they are made, on which work takes more than in proportion to their length; made of what `source`, a pattern, speaks of. */
export function slowTexts(source: string, work: (text: string) => void): string[] {
  const words = wordsIn(source);
  const ends = ['', END, ...words.slice(0, 2), ...words.slice(2).slice(-WORDS)];
  for (const pump of new Set([...words, ...LETTERS]))
    for (const before of ends.slice(0, WORDS))
      for (const after of ends) {
        const textOf = (size: number): string => before + pump.repeat(Math.ceil(size / pump.length)) + after;
        const short = textOf(SHORT);
        if (costOf(() => work(short)) < SLOW_MS) continue;
        const [once, twice] = [2 * SHORT, 4 * SHORT].map((size) => costOf(() => work(textOf(size)))) as [number, number];
        if (twice > NOTHING_MS && twice / Math.max(once, 1) >= MOST_GROWTH)
          return [`${JSON.stringify({ before, pump, after })}: ${once} ms, twice as long ${twice} ms`];
      }
  return [];
}

/** What stands in a pattern as it is, without what it says about it. */
const wordsIn = (source: string): string[] =>
  source
    .replaceAll(/\\n/g, '\n')
    .replaceAll(/\\s/g, ' ')
    .replaceAll(/\\d/g, '0')
    .replaceAll(/\\[wS]/g, 'a')
    .replaceAll(/\(\?<?[:=!]/g, '')
    .replaceAll(/\\[xu]\{?[0-9a-f]+\}?|\\[bBpPk]/gi, '\u0001')
    .replaceAll(/\\(.)/g, '$1')
    .split(/[\u0001^$*+?|()[\]]+|\{\d*,?\d*\}/)
    .filter((word) => word !== '');
