import { LIMITS } from '../domain/limits.ts';
import { laneKey, laneOf } from '../domain/task/lane.ts';
import type { Task } from '../domain/task/task.ts';
import type { Hit, Store, Write } from '../store/port.ts';
import { laneHeads } from '../store/queries/lanes.ts';
import { taskIndex, tasks } from '../store/records/tasks.ts';
import type { EngineDeps } from './deps.ts';

/** The first in one lane, as it was when it was looked at. */
export interface QueueHead {
  readonly lane: string;
  readonly due: string;
  readonly id: string;
  readonly hit: Hit;
}

/** Whatever was missed is noticed after so long. */
const KEPT_MS = 15_000;

/**
 * Who stands first in each lane, earliest due first. Kept between turns: after a commit of the engine only the lanes it
 * took from or put into are looked at again, after anybody else's commit all of them.
 */
export class QueueHeads {
  readonly #store: Pick<Store, 'scan'>;
  readonly #elapsed: () => number;
  readonly #isTold: boolean;
  #heads: Map<string, QueueHead> | undefined;
  #changed = new Set<string>();
  #readAt = 0;
  /** Tasks that were written while a look is under way: it may have seen them as they were before. */
  #meanwhile: Set<string> | undefined;

  constructor({ store, elapsed, commitFeed }: Pick<EngineDeps, 'store' | 'elapsed' | 'commitFeed'>) {
    this.#store = store;
    this.#elapsed = elapsed;
    this.#isTold = commitFeed !== undefined;
    commitFeed?.subscribe({ own: (writes) => this.#wrote(writes), other: () => this.#forget() });
  }

  async look(): Promise<readonly QueueHead[]> {
    const isOld = !this.#isTold || this.#elapsed() - this.#readAt > KEPT_MS;
    const heads = isOld ? new Map<string, QueueHead>() : (this.#heads ?? new Map<string, QueueHead>());
    const isKnown = heads === this.#heads;
    // Kept from now on: whatever comes while the look is under way makes it old again.
    this.#heads = heads;
    const meanwhile = new Set<string>();
    this.#meanwhile = meanwhile;
    try {
      await (isKnown ? this.#again(heads) : this.#all(heads));
    } catch (error) {
      this.#forget();
      throw error;
    } finally {
      this.#meanwhile = undefined;
    }
    for (const { lane, id } of heads.values()) if (meanwhile.has(id)) this.#changed.add(lane);
    return [...heads.values()].toSorted((a, b) => (a.due < b.due ? -1 : 1));
  }

  async #all(heads: Map<string, QueueHead>): Promise<void> {
    this.#readAt = this.#elapsed();
    this.#changed.clear();
    for (const { lane, head } of await laneHeads(this.#store, LIMITS.lanes.value)) heads.set(lane, headOf(lane, head));
  }

  async #again(heads: Map<string, QueueHead>): Promise<void> {
    const lanes = [...this.#changed];
    this.#changed.clear();
    const first = async (lane: string) => {
      const [head] = await this.#store.scan({ index: taskIndex.ready, from: `${lane}/`, to: `${lane}0`, limit: 1 });
      if (head) heads.set(lane, headOf(lane, head));
      else heads.delete(lane);
    };
    await Promise.all(lanes.map(first));
  }

  #wrote(writes: readonly Write[]): void {
    const written = new Map(writes.filter(({ key }) => key.kind === tasks.kind).map((write) => [write.key.id, write]));
    if (written.size === 0) return;
    for (const { lane, id } of this.#heads?.values() ?? []) if (written.has(id)) this.#changed.add(lane);
    for (const [id, write] of written) {
      this.#meanwhile?.add(id);
      const task = write.op === 'put' ? (write.body as Task) : undefined;
      if (task?.phase.state === 'queued') this.#changed.add(laneKey(laneOf(task)));
    }
  }

  #forget(): void {
    this.#heads = undefined;
  }
}

const headOf = (lane: string, hit: Hit): QueueHead => ({
  lane,
  due: hit.sort.slice(lane.length + 1),
  id: hit.key.id,
  hit,
});
