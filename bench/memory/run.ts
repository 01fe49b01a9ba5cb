import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pico from 'picocolors';
import { accept, type Baseline, type Compared, compare, hasFallen } from './compare.ts';
import { type Figure, keyOf } from './figure.ts';
import { type Options, optionsIn } from './options.ts';
import { findings, table } from './table.ts';

/** The exit code: 1 when a goal is missed, a figure fell by more than its noise, or a benchmark broke. */
export function runBenches(args: readonly string[], folder: string): number {
  const options = optionsIn(args);
  const every = readdirSync(folder).filter((name) => name.endsWith('.bench.ts'));
  const wanted = every.filter((name) => options.words.length === 0 || options.words.some((word) => name.includes(word)));
  if (wanted.length === 0)
    throw new Error(`no benchmark is called like ${options.words.join(', ')}: there are ${every.join(', ')}`);
  const file = join(folder, 'baseline.json');
  const baseline = readBaseline(file);
  const { figures, broken } = collect(folder, wanted.toSorted());
  const compared = figures.map((figure) => compare(figure, baseline));
  const isWhole = wanted.length === every.length && broken.length === 0;
  const paint = pico.createColors(process.stdout.isTTY === true && !process.env['NO_COLOR']);
  say('', table(compared, { paint, width: process.stdout.columns ?? Number.POSITIVE_INFINITY }), '');
  const found = [...broken, ...findings(compared)];
  say(...found.map((line) => paint.red(line)));
  if (isWhole) say(...unmeasured(baseline, figures).map((key) => `in the baseline, but not measured any more: ${key}`));
  if (options.accept === 'no') return found.length === 0 ? 0 : 1;
  return accepted(options, { file, baseline, compared, broken, isWhole });
}

interface Collected {
  readonly figures: readonly Figure[];
  /** What to say of each benchmark that did not come to its end. */
  readonly broken: readonly string[];
}

function collect(folder: string, names: readonly string[]): Collected {
  const place = mkdtempSync(join(tmpdir(), 'fleet-bench-'));
  const rows = join(place, 'rows');
  writeFileSync(rows, '');
  try {
    const broken = names.flatMap((name) => {
      say('', `${name}  (load ${(loadavg()[0] ?? 0).toFixed(1)})`);
      const { status, signal } = spawnSync(process.execPath, ['--import', import.meta.resolve('tsx'), join(folder, name)], {
        cwd: dirname(folder),
        stdio: 'inherit',
        env: { ...process.env, FLEET_BENCH_ROWS: rows },
      });
      return status === 0 ? [] : [`broken: ${name} ended with ${signal ?? `code ${status}`}; see above`];
    });
    return { figures: figuresIn(readFileSync(rows, 'utf8')), broken };
  } finally {
    rmSync(place, { recursive: true });
  }
}

/** A ratio that is no number is no longer one in JSON, and meets no goal. */
const figuresIn = (text: string): Figure[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Figure)
    .map((figure) => ({ ...figure, ratio: figure.ratio ?? Number.NaN }));

function readBaseline(file: string): Baseline {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Baseline;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

function unmeasured(baseline: Baseline, figures: readonly Figure[]): string[] {
  const measured = new Set(figures.map(keyOf));
  return Object.keys(baseline).filter((key) => !measured.has(key));
}

interface Result {
  readonly file: string;
  readonly baseline: Baseline;
  readonly compared: readonly Compared[];
  readonly broken: readonly string[];
  readonly isWhole: boolean;
}

function accepted({ accept: how }: Options, { file, baseline, compared, broken, isWhole }: Result): number {
  const missed = compared.filter(({ verdict }) => verdict === 'missed').length;
  if (broken.length > 0 || (missed > 0 && how !== 'all')) {
    say(
      `bench/baseline.json is unchanged: ${broken.length > 0 ? 'a benchmark broke' : 'a goal is missed (--accept=all accepts it)'}`,
    );
    return 1;
  }
  const figures = compared.map(({ figure }) => figure);
  writeFileSync(file, `${JSON.stringify(accept(baseline, figures, { isWhole }), null, 2)}\n`);
  say(`bench/baseline.json holds ${figures.length} figures of this run, ${compared.filter(hasFallen).length} of them fallen`);
  return 0;
}

const say = (...lines: readonly string[]): void => {
  for (const line of lines) process.stdout.write(`${line}\n`);
};
