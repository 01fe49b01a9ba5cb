import pico from 'picocolors';
import type { PhaseState } from '../../../domain/task/task.ts';
import type { Io } from '../deps.ts';
import { plainLine } from '../terminal/plain.ts';

export type Paint = ReturnType<typeof pico.createColors>;

/** How and when a view is looked at. */
export interface ViewStyle {
  readonly paint: Paint;
  readonly width: number;
  readonly nowMs: number;
  /** The reader's own home directory, written as `~`. */
  readonly userHome: string | undefined;
  /** What was asked, for views that say how to go on. */
  readonly input: Readonly<Record<string, unknown>>;
}

export type ViewDeps = Pick<Io, 'colour' | 'columns' | 'now' | 'env'> & {
  readonly input: Readonly<Record<string, unknown>>;
};

export const viewStyleOf = ({ colour, columns, now, env, input }: ViewDeps): ViewStyle => ({
  paint: pico.createColors(colour),
  width: columns,
  nowMs: now(),
  userHome: env['HOME'],
  input,
});

/** Eight characters are enough to name one thing among many thousands, and every command takes them. */
export const shortId = (id: string): string => plainLine(id).slice(-8);

const SIGNS: Readonly<
  Record<PhaseState, { readonly sign: string; readonly colour: (paint: Paint) => (text: string) => string }>
> = {
  draft: { sign: '·', colour: (paint) => paint.dim },
  waiting: { sign: '◌', colour: (paint) => paint.blue },
  queued: { sign: '○', colour: (paint) => paint.cyan },
  running: { sign: '▶', colour: (paint) => paint.green },
  verifying: { sign: '◆', colour: (paint) => paint.magenta },
  merging: { sign: '◆', colour: (paint) => paint.magenta },
  done: { sign: '✓', colour: (paint) => paint.green },
  blocked: { sign: '!', colour: (paint) => paint.yellow },
  failed: { sign: '✗', colour: (paint) => paint.red },
  canceled: { sign: '–', colour: (paint) => paint.dim },
};

export const phaseSign = (state: PhaseState): string => SIGNS[state].sign;
export const phasePaint = (state: PhaseState, paint: Paint): ((text: string) => string) => SIGNS[state].colour(paint);

export function homely(path: string, { userHome }: Pick<ViewStyle, 'userHome'>): string {
  const shown = plainLine(path);
  if (!userHome || userHome === '/') return shown;
  if (shown === userHome) return '~';
  return shown.startsWith(`${userHome}/`) ? `~${shown.slice(userHome.length)}` : shown;
}

/** `1 task`, `3 tasks`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
