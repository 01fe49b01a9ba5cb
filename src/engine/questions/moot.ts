import { isFinal, type Task } from '../../domain/task/task.ts';
import type { Instant } from '../../domain/values.ts';
import type { Store, Write } from '../../store/port.ts';
import { withdrawals } from '../../store/queries/questions.ts';
import { tasks } from '../../store/records/tasks.ts';

/**
 * A store in which whatever ends a task withdraws the questions about it in the same commit: nobody is ever asked for what
 * is over. Who asks changes the task too, so a question that comes in between makes the commit fail, and it is seen next time.
 */
export function withdrawing(store: Store, now: () => Instant): Store {
  return {
    limits: store.limits,
    get: (key) => store.get(key),
    scan: (query) => store.scan(query),
    count: (query) => store.count(query),
    commit: async (writes, options) => store.commit([...writes, ...(await moot(writes, { store, now }))], options),
    watch: (signal, options) => store.watch(signal, options),
    ...(store.revision ? { revision: () => store.revision?.() } : {}),
    close: () => store.close(),
  };
}

async function moot(writes: readonly Write[], { store, now }: { store: Store; now: () => Instant }): Promise<Write[]> {
  const over = writes.flatMap((write) => (isEnd(write) ? [write.body as Task] : []));
  if (over.length === 0) return [];
  const found = await Promise.all(
    over.map(({ id, phase }) =>
      withdrawals(store, id, { author: { by: 'fleet', at: now() }, why: `task ${id} is ${phase.state}` }),
    ),
  );
  const known = new Set(writes.map(({ key }) => `${key.kind} ${key.id}`));
  // What does not fit into this commit is withdrawn by the controller of questions a moment later.
  return found
    .filter((some) => !some.some(({ key }) => known.has(`${key.kind} ${key.id}`)))
    .flat()
    .slice(0, Math.max(0, store.limits.writesPerCommit - writes.length - RESERVE) & ~1);
}

/** For what others add to a commit, as the fence of an engine. */
const RESERVE = 2;

const isEnd = (write: Write): write is Write & { op: 'put'; body: object } =>
  write.op === 'put' && write.key.kind === tasks.kind && isFinal((write.body as Task).phase);
