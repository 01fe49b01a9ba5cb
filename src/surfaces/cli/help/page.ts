import type pico from 'picocolors';

/** How a page is set: never wider than is good to read. */
export interface Page {
  readonly width: number;
  readonly paint: ReturnType<typeof pico.createColors>;
}
