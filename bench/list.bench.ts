/** A page of a long list costs as much as a page of a short one. */
import type { FleetServices } from '../src/app/open-services.ts';
import { everyHit } from '../src/store/queries/every-hit.ts';
import { taskIndex } from '../src/store/records/tasks.ts';
import { measure, median, timed } from './measure.ts';
import { fillQueue } from './queue.ts';
import { temporaryHouse } from './temporary-home.ts';

const PAGE = 50;
const PAGES_PER_SAMPLE = 20;

async function houseWith(count: number) {
  const made = await temporaryHouse();
  await fillQueue(made.house, count, () => ({ projectId: made.project.id, executors: [] }));
  return { ...made, cursors: await cursorsOf(made.house, count) };
}

/** Cursors all over the list, none so near its end that the page would be short. */
async function cursorsOf({ store }: FleetServices, count: number): Promise<readonly string[]> {
  const step = Math.floor((count - PAGE) / PAGES_PER_SAMPLE);
  const cursors: string[] = [];
  let number = 0;
  for await (const { sort } of everyHit(store, taskIndex.all)) {
    if (number >= PAGE && (number - PAGE) % step === 0) cursors.push(sort);
    number += 1;
  }
  return cursors.slice(0, PAGES_PER_SAMPLE);
}

async function pageMs({ call }: FleetServices, cursors: readonly (string | undefined)[]): Promise<number> {
  const times: number[] = [];
  for (const cursor of cursors) {
    times.push(
      await timed(async () => {
        const { items } = await call('task.list', { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
        if (items.length !== PAGE) throw new Error(`a page holds ${items.length} tasks, expected ${PAGE}`);
      }),
    );
  }
  return median(times);
}

await using short = await houseWith(1_000);
await using long = await houseWith(100_000);
const firstPages = Array.from({ length: PAGES_PER_SAMPLE }, () => undefined);

await measure({
  id: 'P17',
  name: 'task.list, first page of 50: 100,000 tasks v 1,000',
  goal: { atMost: 2 },
  floor: () => pageMs(short.house, firstPages),
  product: () => pageMs(long.house, firstPages),
});
await measure({
  id: 'P17',
  name: 'task.list, pages in the middle: 100,000 tasks v 1,000',
  goal: { atMost: 2 },
  floor: () => pageMs(short.house, short.cursors),
  product: () => pageMs(long.house, long.cursors),
});
