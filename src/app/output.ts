import { join } from 'node:path';
import { LIMITS } from '../domain/limits.ts';
import type { RunOutput } from '../operations/scope.ts';
import { lastLinesAt } from '../runner/last-lines.ts';
import { type OpenSpool, readSlice, type SpoolPosition, type SpoolSlice } from '../runner/tail.ts';
import type { RunSecrets } from './run-secrets.ts';

interface Item {
  readonly at: number;
  readonly text: string;
  readonly dropped?: number;
}

/** The one door out of the spools: nothing passes it unredacted. */
export const outputOf = (runsDirectory: string, secrets: Pick<RunSecrets, 'redactorFor'>): Pick<RunOutput, 'read'> => ({
  read: async (runId, stream, { after: wanted, last, lines, final, isEnd = false }) => {
    const path = join(runsDirectory, runId, stream);
    const after = last === undefined ? wanted : Math.max(wanted, await lastLinesAt(path, last));
    const redact = await secrets.redactorFor(runId);
    const items: Item[] = [];
    let cursor: SpoolPosition = { offset: after, skipping: !isEnd && (await isInside(path, after)) };
    const room = roomFor(lines);
    let open: OpenSpool | undefined;
    while (room.isLeft()) {
      const slice = await readSlice(path, cursor, { isFinal: final, maxLineBytes: LIMITS.outputLineBytes.value, redact, open });
      const last = items.at(-1);
      if (cursor.skipping && last) items[items.length - 1] = { ...last, dropped: (last.dropped ?? 0) + slice.dropped };
      const taken = room.take(itemsIn(slice));
      items.push(...taken);
      if (taken.length < slice.lines.length) return { items, next: items.at(-1)?.at ?? after };
      ({ cursor, open } = slice);
      if (!slice.more) break;
    }
    return pastLongLine(path, { items, after }, cursor, final);
  },
});

/** A page holds so many lines, and no more text than a page may; but one line always. */
function roomFor(lines: number): { isLeft(): boolean; take(items: readonly Item[]): readonly Item[] } {
  let [count, characters] = [0, 0];
  const isLeft = () => count < lines && characters < LIMITS.logPageBytes.value;
  const fits = ({ text }: Item): boolean => {
    if (!isLeft() || (count > 0 && characters + text.length > LIMITS.logPageBytes.value)) return false;
    count += 1;
    characters += text.length;
    return true;
  };
  return {
    isLeft,
    take: (items) => {
      const end = items.findIndex((item) => !fits(item));
      return end === -1 ? items : items.slice(0, end);
    },
  };
}

const itemsIn = (slice: SpoolSlice): Item[] =>
  slice.lines.map(({ text, cut }, index) => ({
    at: slice.lines[index + 1]?.at ?? slice.cursor.offset,
    text,
    ...(cut ? { dropped: slice.dropped } : {}),
  }));

/** A page never ends inside a line that was cut: whoever reads on would take the rest of it for a line of its own. */
async function pastLongLine(
  path: string,
  { items, after }: { readonly items: Item[]; readonly after: number },
  cursor: SpoolPosition,
  final: boolean,
): Promise<{ items: Item[]; next: number }> {
  let now = cursor;
  while (now.skipping) {
    const slice = await readSlice(path, now, { isFinal: final, maxLineBytes: LIMITS.outputLineBytes.value });
    const [first] = slice.lines;
    if (first) return { items, next: first.at };
    if (slice.cursor.offset === now.offset) return { items: items.slice(0, -1), next: items.at(-2)?.at ?? after };
    now = slice.cursor;
  }
  return { items, next: now.offset };
}

/** A page may begin inside a line of which only the beginning was shown. */
async function isInside(path: string, offset: number): Promise<boolean> {
  if (offset === 0) return false;
  const { lines } = await readSlice(path, { offset: offset - 1, skipping: false }, { sliceBytes: 1, maxLineBytes: 0 });
  return lines.length > 0 && (lines[0]?.cut ?? false);
}
