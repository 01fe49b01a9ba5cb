import type { Hit, Store } from '../port.ts';
import { taskIndex } from '../records/tasks.ts';

export interface LaneHead {
  readonly lane: string;
  readonly head: Hit;
}

const MOST_PER_PAGE = 64;

/**
 * The first task of every lane, by jumping from lane to lane: a lane of 95,000 tasks costs as much as a lane of one.
 * '0' follows '/' in ASCII, so `<lane>0` is the first place past everything in that lane. Where lanes are short the pages
 * grow, so that a thousand lanes of one task are not a thousand questions.
 */
export async function laneHeads(store: Pick<Store, 'scan'>, most: number): Promise<readonly LaneHead[]> {
  const heads: LaneHead[] = [];
  let [from, limit] = ['', 1];
  while (heads.length < most) {
    const page = await store.scan({ index: taskIndex.ready, from, limit });
    const before = heads.length;
    for (const head of page) {
      const lane = head.sort.slice(0, head.sort.indexOf('/'));
      if (lane !== heads.at(-1)?.lane) heads.push({ lane, head });
    }
    if (page.length < limit) break;
    from = `${heads.at(-1)?.lane}0`;
    limit = heads.length - before === page.length ? Math.min(limit * 2, MOST_PER_PAGE) : 1;
  }
  return heads.slice(0, most);
}
