import type { FleetServices } from '../src/app/open-services.ts';
import type { Task } from '../src/domain/task/task.ts';
import { instantOf, msOf } from '../src/domain/values.ts';
import type { Write } from '../src/store/port.ts';
import { creationWrites } from '../src/store/records/journal.ts';
import { tasks } from '../src/store/records/tasks.ts';
import { rateOf } from './measure.ts';

type Place = Pick<Task, 'projectId' | 'directory' | 'executors'>;

export const PROMPT = `The total of an order is wrong when a voucher and a discount apply to the same item.
Find where the two are added up, apply the discount first, and show it with a test that fails without the change.
Look at how refunds use the same function before you change what it returns. `.repeat(2);

/** A queued task as `task.create` leaves it: its row, and the first entry of its journal. */
export function queuedTask({ ids }: Pick<FleetServices, 'ids'>, place: Place, at: string): Write[] {
  const task: Task = {
    ...place,
    id: ids.task(at),
    seq: 1,
    title: 'Apply the discount before the voucher',
    prompt: { text: PROMPT },
    priority: 5,
    tags: ['orders', 'bug'],
    kind: 'fix',
    expectsChanges: true,
    extraArgs: [],
    maxAttempts: 3,
    dependsOn: [],
    metadata: { source: 'tracker', ticket: 4711 },
    depth: 0,
    children: 0,
    awaited: 0,
    untold: false,
    phase: { state: 'queued', since: at },
    attempts: 0,
    spentMs: 0,
    lostTimes: 0,
    repairs: 0,
    stalledTimes: 0,
    refusedTimes: 0,
    fullTimes: 0,
    turns: 0,
    uncounted: 0,
    messages: [],
    createdAt: at,
    createdBy: 'you',
    updatedAt: at,
  };
  return creationWrites(tasks, task, { by: 'you', at }, { what: 'created', to: 'queued' });
}

const AT_ONCE = 16;

/** Puts `count` tasks into the queue, oldest first; `placeOf` says where the one with this number stands. */
export async function fillQueue(house: FleetServices, count: number, placeOf: (number: number) => Place): Promise<void> {
  const first = msOf(house.now()) - count;
  const perCommit = house.store.limits.writesPerCommit / 2;
  const batches = Array.from({ length: Math.ceil(count / perCommit) }, (_, batch) => batch * perCommit);
  await rateOf(batches, AT_ONCE, (start) => {
    const numbers = Array.from({ length: Math.min(perCommit, count - start) }, (_, offset) => start + offset);
    return house.store.commit(numbers.flatMap((number) => queuedTask(house, placeOf(number), instantOf(first + number))));
  });
}
