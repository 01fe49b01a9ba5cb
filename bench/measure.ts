import { appendFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { type Figure, type Goal, goalText, median, ratioText, spreadOf } from './memory/figure.ts';

export { median } from './memory/figure.ts';

export interface Comparison {
  /** Row of the table of goals, when it has one. */
  readonly id?: `P${number}`;
  readonly name: string;
  /** Absent: shown for information only. */
  readonly goal?: Goal;
  readonly pairs?: number;
  readonly warmUps?: number;
  /** Both sides are already gathered from many samples: there is one pair. */
  readonly once?: boolean;
  /** One sample of each side, in the same unit, over enough work to be worth a clock. */
  readonly floor: () => number | Promise<number>;
  readonly product: () => number | Promise<number>;
}

interface Round {
  readonly ratio: number;
  /** How far the paired ratios strayed from each other. */
  readonly noise: number;
  /** How far the floor strayed from its own median. */
  readonly spread: number;
}

const PAIRS = 9;
const WARM_UP_PAIRS = 3;
const CALM = 0.3;
/** Of a figure that has one sample only and cannot say it itself. */
const NOISE_OF_ONE = 0.25;

/**
 * Floor and product take turns, so that whatever else the machine does meets both; the median of the paired ratios
 * counts. Where the floor itself was restless the whole round is done once more, and only that one counts. It is judged
 * by whoever collects the rows (`npm run bench`), not here.
 */
export async function measure(comparison: Comparison): Promise<void> {
  const warmUps = comparison.once ? 0 : (comparison.warmUps ?? WARM_UP_PAIRS);
  for (let warm = 0; warm < warmUps; warm += 1) await onePair(comparison);
  let round = await roundOf(comparison);
  if (round.spread > CALM) round = await roundOf(comparison);
  emit(figureOf(comparison, round), round);
}

async function roundOf(comparison: Comparison): Promise<Round> {
  const pairs: { floor: number; product: number }[] = [];
  const wanted = comparison.once ? 1 : (comparison.pairs ?? PAIRS);
  while (pairs.length < wanted) pairs.push(await onePair(comparison));
  const floors = pairs.map(({ floor }) => floor);
  const ratios = pairs.map(({ floor, product }) => product / floor);
  const usual = median(floors);
  return {
    ratio: median(ratios),
    noise: wanted === 1 ? NOISE_OF_ONE : spreadOf(ratios),
    spread: Math.max(...floors.map((floor) => Math.abs(floor / usual - 1))),
  };
}

const onePair = async ({ floor, product }: Comparison) => ({ floor: await floor(), product: await product() });

/** A floor that was restless twice says that the machine was, and then the ratio is worth as little as the floor. */
const figureOf = ({ id, name, goal }: Comparison, { ratio, noise, spread }: Round): Figure => ({
  ...(id === undefined ? {} : { id }),
  name,
  ...(goal === undefined ? {} : { goal }),
  ratio,
  noise: spread > CALM ? Math.max(noise, spread) : noise,
});

/** A line to read while it goes on, and the row for whoever collects them. */
function emit(figure: Figure, { spread }: Round): void {
  const { id = '', name, goal, ratio, noise } = figure;
  const sure = `±${(noise * 100).toFixed(0)} %, floor ±${(spread * 100).toFixed(0)} %, load ${(loadavg()[0] ?? 0).toFixed(1)}`;
  process.stdout.write(`  ${id.padEnd(4)} ${name}: ${ratioText(ratio)} (goal ${goalText(goal)}, ${sure})\n`);
  const rows = process.env['FLEET_BENCH_ROWS'];
  if (rows) appendFileSync(rows, `${JSON.stringify(figure)}\n`);
}

/** Milliseconds the work takes. */
export async function timed(work: () => unknown): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/** Items per second, when `callers` at once each take the next item as soon as they have done one. */
export async function rateOf<Item>(items: readonly Item[], callers: number, work: (item: Item) => unknown): Promise<number> {
  const queue = items.values();
  const caller = async () => {
    for (const item of queue) await work(item);
  };
  const ms = await timed(() => Promise.all(Array.from({ length: callers }, caller)));
  return (items.length / ms) * 1_000;
}
