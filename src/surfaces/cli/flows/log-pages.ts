import type { Output } from '../../../contract/call.ts';
import { isFinal } from '../../../domain/task/phases.ts';
import { ask, type Order } from '../order.ts';
import { patiently } from './patience.ts';

export type LogPage = Output<'run.log'>;

const linesAtOnce = 2000;
const everyMs = 250;
const runsAtOnce = 200;

/** A run from one point to its end; without `--follow`, to where it is now. An empty page: nothing more for now. */
export async function* runPages(order: Order, id: string, from: number): AsyncGenerator<LogPage> {
  let after = from;
  let last = lastOf(order);
  for (;;) {
    const page = await logPage(order, 'run.log', id, { after, last, limit: linesAtOnce });
    yield page;
    after = page.next;
    last = undefined;
    if (page.ended) return;
    if (page.items.length > 0) continue;
    if (order.local['follow'] !== true) return;
    await order.io.pause(everyMs);
  }
}

/** A task's newest run; when followed, one run after the other until the task goes on no more. */
export async function* taskPages(order: Order): AsyncGenerator<LogPage> {
  const id = String(order.input['id']);
  let from = Number(order.input['after'] ?? 0);
  let { runId } = await logPage(order, 'task.log', id, { after: from, last: lastOf(order), limit: 1 });
  const follow = order.local['follow'] === true;
  for (;;) {
    if (runId !== undefined) yield* runPages(order, runId, from);
    if (!follow) return;
    const next = await nextRun(order, id, runId);
    if (next === undefined) return;
    runId = next;
    from = 0;
  }
}

/** Where only the last lines are wanted, there is no need to read the others. */
const lastOf = ({ local }: Order): number | undefined => (local['tail'] === undefined ? undefined : Number(local['tail']));

/** Waits for the run after this one; undefined when the task has come to an end. */
async function nextRun(order: Order, task: string, after: string | undefined): Promise<LogPage['runId']> {
  for (;;) {
    // Asked before the runs: a run that begins in between is still seen.
    const { phase } = await patiently(order, async () => (await ask(order, 'task.show', { id: task })) as Output<'task.show'>);
    const list = await patiently(
      order,
      async () => (await ask(order, 'run.list', { task, limit: runsAtOnce })) as Output<'run.list'>,
    );
    // The ids of runs sort by when they were made; the list is newest first.
    const found = list.items.findLast(({ id }) => after === undefined || id > after);
    if (found) return found.id;
    if (isFinal(phase) || phase.state === 'blocked') return undefined;
    await order.io.pause(everyMs);
  }
}

function logPage(
  order: Order,
  name: 'run.log' | 'task.log',
  id: string,
  place: { after: number; last?: number | undefined; limit: number },
): Promise<LogPage> {
  const { stream } = order.input;
  const { last, ...rest } = place;
  const input = { id, ...rest, ...(last !== undefined && { last }), ...(stream !== undefined && { stream }) };
  return patiently(order, async () => (await ask(order, name, input)) as LogPage);
}
