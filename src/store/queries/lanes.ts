import type { Hit, Store } from '../port.ts';
import { taskIndex } from '../records/tasks.ts';

export interface LaneHead {
  readonly lane: string;
  readonly head: Hit;
}

/**
 * The first task of every lane, by jumping from lane to lane: a lane of 95,000 tasks costs as much as a lane of one.
 * '0' follows '/' in ASCII, so `<lane>0` is the first place past everything in that lane.
 */
export async function laneHeads(store: Pick<Store, 'scan'>, most: number): Promise<readonly LaneHead[]> {
  const heads: LaneHead[] = [];
  let from = '';
  while (heads.length < most) {
    const [head] = await store.scan({ index: taskIndex.ready, from, limit: 1 });
    if (!head) break;
    const lane = head.sort.slice(0, head.sort.indexOf('/'));
    heads.push({ lane, head });
    from = `${lane}0`;
  }
  return heads;
}
