import { accountRefOf, executorRefOf } from '../domain/hold/account.ts';
import { isInForce, type Pause, pauseId } from '../domain/hold/pause.ts';
import { executorNow, failoverIndex } from '../domain/task/failover.ts';
import { accountLanePrefix, laneOf } from '../domain/task/lane.ts';
import type { Task } from '../domain/task/task.ts';
import { allHits, everyHit } from '../store/queries/every-hit.ts';
import { changeWrites } from '../store/records/journal.ts';
import { pauseIndex, pauses } from '../store/records/pauses.ts';
import type { Versioned as Read } from '../store/records/record.ts';
import { after } from '../store/records/record.ts';
import { taskIndex, tasks } from '../store/records/tasks.ts';
import type { Controller } from './controller.ts';
import type { EngineDeps } from './deps.ts';
import { pausesOf } from './pausing.ts';

export interface FailoverView {
  readonly moves: readonly FailoverMove[];
}

/** A queued task that need not wait for its provider. */
export interface FailoverMove {
  readonly task: Read<Task>;
  readonly to: number;
  readonly pause: Read<Pause>;
}

/** Queued tasks of one paused account that are looked at in a turn, and moves that are made in one. */
const LOOKED_AT = 2_000;
const MOVES = 50;

/**
 * Moves queued tasks on to the next executor of their list while theirs is paused, where that is wanted. One task at a
 * time, and only as long as the pause is what it was: who lifts it keeps its tasks.
 */
export const failover = (needs: EngineDeps): Controller<FailoverView, FailoverMove> => controllerOf(needs, new Map());

/** Where the next turn goes on in the queue of each pause: tasks that cannot move must not hide those behind them. */
type Cursors = Map<string, string>;

const controllerOf = (needs: EngineDeps, cursors: Cursors): Controller<FailoverView, FailoverMove> => ({
  name: 'failover',
  everyMs: 15_000,
  observe: async () => ({ moves: await movesIn(needs, cursors) }),
  decide: ({ moves }) => moves,
  act: (move) => moveOn(move, needs),
  wakesOn: (write) =>
    write.key.kind === pauses.kind ||
    (write.key.kind === tasks.kind &&
      write.op === 'put' &&
      (write.body as Task).phase.state === 'queued' &&
      (write.body as Task).executors.length > 1),
});

async function movesIn(needs: EngineDeps, cursors: Cursors): Promise<FailoverMove[]> {
  const { store } = needs;
  const now = needs.now();
  const known = (await allHits(store, pauseIndex.all)).map(
    (hit): Read<Pause> => ({ body: pauses.read(hit), version: hit.version }),
  );
  const inForce = known.filter(({ body }) => isInForce(body, now));
  const moves: FailoverMove[] = [];
  for (const pause of inForce) {
    if (moves.length >= MOVES) break;
    const prefix = accountLanePrefix(pause.body);
    const from = cursors.get(pause.body.id) ?? prefix;
    // At the end it begins again: what could not move a while ago may now.
    cursors.delete(pause.body.id);
    let looked = 0;
    for await (const hit of everyHit(store, taskIndex.ready, { from, to: after(prefix) })) {
      const task = { body: tasks.read(hit), version: hit.version };
      const to = await placeFor(task.body, needs);
      if (to !== undefined) moves.push({ task, to, pause });
      looked += 1;
      if (moves.length < MOVES && looked < LOOKED_AT) continue;
      cursors.set(pause.body.id, `${hit.sort} `);
      break;
    }
  }
  return moves;
}

/** Only an executor that can be started here, and whose own account is not paused, is a better place to wait in. */
async function placeFor(task: Task, needs: EngineDeps): Promise<number | undefined> {
  if (failoverIndex(task, () => true, needs.failover()) === undefined) return undefined;
  const now = needs.now();
  const { placement } = laneOf(task);
  const [startable, paused] = await Promise.all([needs.startable(), pausesOf(needs.store, task.executors.map(accountRefOf))]);
  const isFree = (ref: string): boolean =>
    startable({ executor: accountRefOf(ref).executor, placement }) &&
    !isInForce(paused.get(pauseId(accountRefOf(ref)))?.body, now);
  return failoverIndex(task, isFree, needs.failover());
}

async function moveOn({ task, to, pause }: FailoverMove, { store, hostName, now }: EngineDeps): Promise<boolean> {
  const at = now();
  const from = executorNow(task.body);
  const next = { ...task.body, executorAt: to, updatedAt: at };
  const { until, why } = pause.body;
  const note = {
    what: 'failover',
    from,
    to: executorNow(next),
    why: `${executorRefOf(pause.body)} is paused until ${until}: ${why}`,
  };
  await store.commit([
    ...changeWrites(tasks, task, next, { author: { by: `host ${hostName}`, at }, note }),
    { op: 'check', key: pauses.key(pause.body.id), expect: pause.version },
  ]);
  return true;
}
