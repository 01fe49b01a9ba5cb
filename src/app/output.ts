import { join } from 'node:path';
import { LIMITS } from '../domain/limits.ts';
import type { Output } from '../operations/scope.ts';
import { readSlice } from '../runner/tail.ts';

/** The one door out of the spools: nothing passes it unredacted. */
export const outputOf = (runsDirectory: string, redact: (text: string) => string): Output => ({
  read: async (runId, stream, { after, lines, final }) => {
    const path = join(runsDirectory, runId, stream);
    const items: { at: number; text: string; dropped?: number }[] = [];
    let cursor = { offset: after, skipping: false };
    while (items.length < lines) {
      const slice = await readSlice(path, cursor, { isFinal: final, maxLineBytes: LIMITS.outputLineBytes.value });
      const taken = slice.lines.slice(0, lines - items.length);
      const whole = taken.length === slice.lines.length;
      taken.forEach(({ text, cut }, index) => {
        const end = slice.lines[index + 1]?.at ?? slice.cursor.offset;
        items.push({ at: end, text: redact(text), ...(cut ? { dropped: slice.dropped } : {}) });
      });
      cursor = whole ? slice.cursor : { offset: items.at(-1)?.at ?? cursor.offset, skipping: false };
      if (!whole || !slice.more) break;
    }
    return { items, next: cursor.offset };
  },
});
