import type { RunEvent } from '../contract/run-events.ts';
import { LIMITS } from '../domain/limits.ts';
import type { EventRange, RunEventPage } from '../operations/scope.ts';

/** The events of one page, while they are found. */
export interface EventPager {
  /** What one line means; of it, what comes after this place. */
  put(events: readonly RunEvent[], after: number, dropped?: number): void;
  isFull(): boolean;
  page(): Pick<RunEventPage, 'items' | 'dropped'>;
}

/** Holds as many as are wanted and no more text than a page may; of the last ones, the last. */
export function eventPager({ last, limit }: EventRange): EventPager {
  let items: RunEvent[] = [];
  let sizes: number[] = [];
  let [characters, dropped, first] = [0, 0, 0];
  const most = LIMITS.logPageBytes.value;
  const count = () => items.length - first;
  const add = (event: RunEvent): void => {
    const before = items.at(-1);
    if (event.type === 'unknown' && before?.type === 'unknown' && count() > 0) {
      items[items.length - 1] = { ...event, lines: before.lines + event.lines };
      return;
    }
    const size = sizeOf(event);
    items.push(event);
    sizes.push(size);
    characters += size;
  };
  const forgetFirst = (wanted: number): void => {
    while (count() > 1 && (count() > wanted || characters > most)) {
      characters -= sizes[first] ?? 0;
      first += 1;
    }
    if (first < FORGOTTEN) return;
    [items, sizes, first] = [items.slice(first), sizes.slice(first), 0];
  };
  return {
    put: (events, after, more = 0) => {
      dropped += more;
      for (const event of events) if (event.at > after) add(event);
      if (last !== undefined) forgetFirst(last);
    },
    isFull: () => last === undefined && (count() >= limit || characters >= most),
    page: () => ({ items: items.slice(first), ...(dropped > 0 ? { dropped } : {}) }),
  };
}

/** So many are cleared away together. */
const FORGOTTEN = 1_000;

/** Roughly: an answer is no larger than the lines it was made of. */
const sizeOf = (event: RunEvent): number => {
  if (event.type === 'said' || event.type === 'thought' || event.type === 'asked') return event.text.length + AROUND;
  return event.type === 'reported' ? JSON.stringify(event.report ?? null).length + AROUND : AROUND;
};
const AROUND = 200;
