import pico from 'picocolors';
import type { Io } from '../surroundings.ts';

/** How a page is set: never wider than is good to read. */
export interface Page {
  readonly width: number;
  readonly paint: ReturnType<typeof pico.createColors>;
}

const widest = 100;

export const pageFor = ({ columns, colour }: Pick<Io, 'colour' | 'columns'>): Page => ({
  width: Math.min(columns, widest),
  paint: pico.createColors(colour),
});
