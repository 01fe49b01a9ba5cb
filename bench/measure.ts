import { loadavg } from 'node:os';

/** What the ratio of product to floor must be. */
export type Goal = { readonly atMost: number } | { readonly atLeast: number };

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
  /** How far the floor strayed from its own median. */
  readonly spread: number;
}

const PAIRS = 9;
const WARM_UP_PAIRS = 3;
const CALM = 0.3;

/**
 * Floor and product take turns, so that whatever else the machine does meets both; the median of the paired ratios
 * counts. Where the floor itself was restless the whole round is done once more, and only that one is judged.
 */
export async function measure(comparison: Comparison): Promise<void> {
  const warmUps = comparison.once ? 0 : (comparison.warmUps ?? WARM_UP_PAIRS);
  for (let warm = 0; warm < warmUps; warm += 1) await onePair(comparison);
  let round = await roundOf(comparison);
  const restless = round.spread > CALM;
  if (restless) round = await roundOf(comparison);
  const met = comparison.goal === undefined || isMet(comparison.goal, round.ratio);
  if (!met) process.exitCode = 1;
  process.stdout.write(`${row(comparison, round, met)}${restless ? ', second round' : ''}\n`);
}

async function roundOf(comparison: Comparison): Promise<Round> {
  const pairs: { floor: number; product: number }[] = [];
  const wanted = comparison.once ? 1 : (comparison.pairs ?? PAIRS);
  while (pairs.length < wanted) pairs.push(await onePair(comparison));
  const floors = pairs.map(({ floor }) => floor);
  const usual = median(floors);
  return {
    ratio: median(pairs.map(({ floor, product }) => product / floor)),
    spread: Math.max(...floors.map((floor) => Math.abs(floor / usual - 1))),
  };
}

const onePair = async ({ floor, product }: Comparison) => ({ floor: await floor(), product: await product() });

const isMet = (goal: Goal, ratio: number): boolean => ('atMost' in goal ? ratio <= goal.atMost : ratio >= goal.atLeast);

function row({ id, name, goal }: Comparison, { ratio, spread }: Round, met: boolean): string {
  const wanted = goal === undefined ? '–' : 'atMost' in goal ? `≤ ${goal.atMost.toFixed(2)}` : `≥ ${goal.atLeast.toFixed(2)}`;
  const verdict = goal === undefined ? 'for information' : met ? 'ok' : 'missed';
  return [
    String(id ?? '').padEnd(4),
    name.padEnd(58),
    `goal ${wanted}`.padEnd(11),
    `ratio ${ratio.toFixed(2)}`.padEnd(13),
    `floor ±${(spread * 100).toFixed(0)} %`.padEnd(14),
    `load ${(loadavg()[0] ?? 0).toFixed(1)}`.padEnd(11),
    verdict,
  ].join(' ');
}

export function median(figures: readonly number[]): number {
  const sorted = figures.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
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
