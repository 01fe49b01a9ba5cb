import pico from 'picocolors';
import type { Io } from '../deps.ts';

/** How a page is set: never wider than is good to read. */
export interface HelpPage {
  readonly width: number;
  readonly paint: ReturnType<typeof pico.createColors>;
}

const widest = 100;

export const pageFor = ({ columns, colour }: Pick<Io, 'colour' | 'columns'>): HelpPage => ({
  width: Math.min(columns, widest),
  paint: pico.createColors(colour),
});
