import { boundOf, type Figure, isMet, keyOf } from './figure.ts';

/** The last accepted ratio of each figure, by its key. */
export type Baseline = Readonly<Record<string, Accepted>>;

interface Accepted {
  readonly ratio: number;
  readonly noise: number;
}

/** One figure beside its baseline. */
export interface Compared {
  readonly figure: Figure;
  readonly before?: Accepted;
  /** Of the ratio, as a part of the baseline; absent where there is none. */
  readonly change?: number;
  /** By how much of the baseline the ratio may differ. */
  readonly allowed: number;
  readonly verdict: Verdict;
}

export type Verdict = 'missed' | 'worse' | 'better' | 'same' | 'new' | 'information';

/** Two runs of the same program on a quiet machine differ by this much in any case. */
const LEAST_NOISE = 0.1;
/** A figure far away from its goal is not worth an alarm: 3 ms instead of 2 where 50 are allowed. */
const LEAST_OF_GOAL = 0.05;

export function compare(figure: Figure, baseline: Baseline): Compared {
  const before = Object.hasOwn(baseline, keyOf(figure)) ? baseline[keyOf(figure)] : undefined;
  const allowed = before ? allowedOf(figure, before) : 0;
  return {
    figure,
    ...(before ? { before, ...(before.ratio === 0 ? {} : { change: figure.ratio / before.ratio - 1 }) } : {}),
    allowed,
    verdict: verdictOf(figure, before, allowed),
  };
}

function allowedOf(figure: Figure, before: Accepted): number {
  const noise = Math.max(LEAST_NOISE, figure.noise, before.noise);
  if (!figure.goal || before.ratio === 0) return noise;
  return Math.max(noise, (LEAST_OF_GOAL * boundOf(figure.goal)) / before.ratio);
}

function verdictOf(figure: Figure, before: Accepted | undefined, allowed: number): Verdict {
  const { goal, ratio } = figure;
  if (!goal) return 'information';
  if (!isMet(goal, ratio)) return 'missed';
  if (!before) return 'new';
  const differs = Math.abs(ratio - before.ratio) > toleranceOf(figure, before, allowed);
  if (!differs) return 'same';
  return ratio > before.ratio === 'atLeast' in goal ? 'better' : 'worse';
}

/** In the unit of the ratio. A baseline of nothing has no noise of its own: a part of the goal stands for it. */
const toleranceOf = ({ goal }: Figure, { ratio }: Accepted, allowed: number): number =>
  ratio === 0 ? LEAST_OF_GOAL * (goal ? boundOf(goal) : 0) : ratio * allowed;

/** A figure that misses its goal may have fallen besides. */
export function hasFallen({ figure, before, allowed, verdict }: Compared): boolean {
  if (verdict === 'worse') return true;
  if (verdict !== 'missed' || !before || !figure.goal) return false;
  const worseBy = 'atMost' in figure.goal ? figure.ratio - before.ratio : before.ratio - figure.ratio;
  return worseBy > toleranceOf(figure, before, allowed);
}

/** What is to be the baseline from now on; a whole run also forgets figures that nobody measures any more. */
export function accept(baseline: Baseline, measured: readonly Figure[], { isWhole }: { readonly isWhole: boolean }): Baseline {
  const now = measured.map((figure) => [keyOf(figure), { ratio: rounded(figure.ratio), noise: rounded(figure.noise) }] as const);
  const kept = isWhole ? [] : Object.entries(baseline);
  const sorted = [...new Map<string, Accepted>([...kept, ...now])].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted);
}

/** Four significant digits: more would only make the file change more. */
const rounded = (value: number): number => Number(value.toPrecision(4));
