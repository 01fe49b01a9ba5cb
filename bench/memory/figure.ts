/** What the ratio of product to floor must be. */
export type Goal = { readonly atMost: number } | { readonly atLeast: number };

/** One row a benchmark emits: a ratio of product to floor, and how sure it is. */
export interface Figure {
  /** Row of the table of goals, when it has one. */
  readonly id?: string;
  readonly name: string;
  /** Absent: shown for information only, and never judged. */
  readonly goal?: Goal;
  readonly ratio: number;
  /** By how much of itself the ratio may differ from run to run with nothing changed. */
  readonly noise: number;
}

/** Under which name the baseline holds a figure. */
export const keyOf = ({ id, name }: Pick<Figure, 'id' | 'name'>): string => (id === undefined ? name : `${id} ${name}`);

export const isMet = (goal: Goal | undefined, ratio: number): boolean =>
  goal === undefined || ('atMost' in goal ? ratio <= goal.atMost : ratio >= goal.atLeast);

export const boundOf = (goal: Goal): number => ('atMost' in goal ? goal.atMost : goal.atLeast);

export const goalText = (goal: Goal | undefined): string =>
  goal === undefined ? '–' : `${'atMost' in goal ? '≤' : '≥'} ${ratioText(boundOf(goal))}`;

/** Two decimals, or three where two would hide a change. */
export const ratioText = (ratio: number): string => ratio.toFixed(ratio !== 0 && Math.abs(ratio) < 0.1 ? 3 : 2);

export const percentText = (part: number): string =>
  `${part > 0 ? '+' : part < 0 ? '−' : '±'}${Math.abs(part * 100).toFixed(0)} %`;

export function median(figures: readonly number[]): number {
  return quantile(figures, 0.5);
}

/** How far the middle half of the samples reaches from their median, as a part of it. */
export function spreadOf(samples: readonly number[]): number {
  const middle = median(samples);
  return middle === 0 ? 0 : (quantile(samples, 0.75) - quantile(samples, 0.25)) / 2 / middle;
}

function quantile(figures: readonly number[], part: number): number {
  const sorted = figures.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * part;
  const [low = Number.NaN, high = Number.NaN] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return low + (high - low) * (at - Math.floor(at));
}
