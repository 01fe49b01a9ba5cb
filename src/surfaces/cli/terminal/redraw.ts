import type { Io } from '../deps.ts';

export interface LivePicture {
  /** Draws over what was drawn before. */
  draw(text: string): Promise<void>;
}

/** Whether a picture can be drawn over: a person looks, at something that knows how. */
export const isLive = ({ isTty, env }: Pick<Io, 'isTty' | 'env'>): boolean => isTty && env['TERM'] !== 'dumb';

/** A few lines that are drawn again in place, without flicker: no line is wiped before it is written. */
export function picture({ out, rows }: Pick<Io, 'out' | 'rows'>): LivePicture {
  let drawn = 0;
  return {
    draw: async (text) => {
      const lines = cropped(text.replace(/\n$/, '').split('\n'), rows - 1);
      const back = drawn > 0 ? `\u001b[${drawn}A\r` : '';
      drawn = lines.length;
      await out(`${back}${lines.map((line) => `${line}\u001b[K\n`).join('')}\u001b[J`);
    },
  };
}

/** What has scrolled away cannot be drawn over. */
const cropped = (lines: readonly string[], most: number): readonly string[] =>
  lines.length <= most ? lines : [...lines.slice(0, Math.max(0, most - 1)), `… ${lines.length - most + 1} more`];
