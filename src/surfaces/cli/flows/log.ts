import { LIMITS } from '../../../domain/limits.ts';
import type { Order, Result } from '../order.ts';
import { eventTeller } from '../views/run/events.ts';
import { logLines, rawLines } from '../views/run/log.ts';
import { viewStyleOf } from '../views/style.ts';
import { isCaughtUp, isEvents, type LogPage, runPages, taskPages } from './log-pages.ts';

/** `fleet run log` and `fleet run events`: what a run printed, every line once, and nothing else on standard output. */
export async function runLog(order: Order): Promise<Result> {
  await print(order, runPages(order, String(order.input['id']), Number(order.input['after'] ?? 0)));
  return { kind: 'written' };
}

/** `fleet task log`: the same of a task's newest run and, when followed, of the runs after it. */
export async function taskLog(order: Order): Promise<Result> {
  const pages = await print(order, taskPages(order));
  if (pages === 0 && !order.json) await order.io.err('fleet: it has not run yet\n');
  return { kind: 'written' };
}

async function print(order: Order, pages: AsyncIterable<LogPage>): Promise<number> {
  const shown = order.local['tail'] === undefined ? pages : lastOf(order, pages, Number(order.local['tail']));
  return order.json ? printJson(order, shown) : printLines(order, shown);
}

async function printLines({ io, local, input }: Order, pages: AsyncIterable<LogPage>): Promise<number> {
  const lines = local['raw'] === true ? rawLines : logLines;
  const told = eventTeller(viewStyleOf({ ...io, input }));
  let count = 0;
  for await (const page of pages) {
    count += 1;
    if (page.items.length > 0) await io.out(isEvents(page) ? told(page.items) : lines(page));
    if (page.removedAt !== undefined)
      await io.err(`fleet: its output was removed on ${page.removedAt.slice(0, 10)} by retention\n`);
    const dropped = isEvents(page) ? (page.dropped ?? 0) : page.items.reduce((sum, line) => sum + (line.dropped ?? 0), 0);
    if (dropped > 0) await io.err(`fleet: ${dropped} bytes of very long lines are left out\n`);
  }
  return count;
}

/** One value, as everywhere, and written as it comes: a log may be longer than memory. */
async function printJson({ io }: Order, pages: AsyncIterable<LogPage>): Promise<number> {
  let count = 0;
  let separator = '';
  let last: Omit<LogPage, 'items'> = { next: 0, ended: false };
  await io.out('{"items":[');
  for await (const { items, ...rest } of pages) {
    count += 1;
    last = rest;
    for (const item of items) {
      await io.out(separator + JSON.stringify(item));
      separator = ',';
    }
  }
  await io.out(`],${JSON.stringify(last).slice(1)}\n`);
  return count;
}

/** Only the last lines of what is there already, of very long ones fewer; everything that comes later. */
async function* lastOf({ io }: Order, pages: AsyncIterable<LogPage>, most: number): AsyncGenerator<LogPage> {
  let last: LogPage | undefined;
  const kept = lastItems(most);
  let isOld = true;
  const shown = async (page: LogPage): Promise<LogPage> => {
    const missing = kept.missing();
    if (missing > 0) await io.err(`fleet: the first ${missing} of these lines are left out: together they are too long\n`);
    // All pages of one run have items of one kind.
    return { ...page, items: kept.items() } as LogPage;
  };
  for await (const page of pages) {
    if (!isOld) {
      yield page;
      continue;
    }
    last = page;
    kept.add(page.items);
    isOld = !isCaughtUp(page);
    if (!isOld) yield await shown(page);
  }
  if (isOld && last) yield await shown(last);
}

type Item = LogPage['items'][number];

const lengthOf = (item: Item): number => ('text' in item ? item.text : JSON.stringify(item)).length;

/** Holds no more lines or events than are wanted, and no more text than fits. */
function lastItems(most: number) {
  let lines: Item[] = [];
  let [seen, first, characters] = [0, 0, 0];
  const isTooMuch = () => lines.length - first > most || characters > LIMITS.logTailBytes.value;
  return {
    add: (more: readonly Item[]): void => {
      for (const line of more) {
        seen += 1;
        lines.push(line);
        characters += lengthOf(line);
        while (lines.length - first > 1 && isTooMuch()) {
          const gone = lines[first];
          characters -= gone ? lengthOf(gone) : 0;
          first += 1;
        }
      }
      lines = lines.slice(first);
      first = 0;
    },
    items: (): Item[] => lines,
    /** How many more were wanted and were there. */
    missing: (): number => Math.min(most, seen) - lines.length,
  };
}
