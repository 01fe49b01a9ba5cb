import type { OutputOf } from '../../../contract/call.ts';
import { isFinal } from '../../../domain/task/phases.ts';
import { ask, type Order } from '../order.ts';
import { patiently } from './patience.ts';

export type LinePage = OutputOf<'run.log'>;
export type EventLogPage = OutputOf<'run.events'>;
export type LogPage = LinePage | EventLogPage;

export const isEvents = (page: LogPage): page is EventLogPage => 'more' in page;

/** Everything there was has been read. */
export const isCaughtUp = (page: LogPage): boolean => (isEvents(page) ? !page.more : page.items.length === 0);

const itemsAtOnce = 2000;
const everyMs = 250;
const runsAtOnce = 200;

/** A run from one point to its end; without `--follow`, to where it is now. */
export async function* runPages(order: Order, id: string, from: number): AsyncGenerator<LogPage> {
  const wish = wishOf(order);
  const isDecoded = wish === 'events' || (wish === 'readable' && !(await isPlainText(order, id)));
  yield* pagesOf(order, from, (place) => (isDecoded ? eventPage(order, id, place) : linePage(order, 'run.log', id, place)));
}

/**
 * On a terminal a person reads, and what an agent prints for programs is decoded. Everywhere else, and of errors, its lines are
 * what was asked for.
 */
function wishOf({ command, local, input, json, io }: Order): 'events' | 'lines' | 'readable' {
  if (local['events'] === true || command.operation === 'run.events') return 'events';
  return io.isTty && !json && local['raw'] !== true && input['stream'] !== 'err' ? 'readable' : 'lines';
}

const isPlainText = async (order: Order, id: string): Promise<boolean> =>
  (await eventPage(order, id, { after: 0, limit: 1 })).isText;

interface Place {
  readonly after: number;
  readonly last?: number | undefined;
  readonly limit: number;
}

async function* pagesOf(order: Order, from: number, read: (place: Place) => Promise<LogPage>): AsyncGenerator<LogPage> {
  const most = lastOf(order);
  let after = from;
  let last = most;
  for (;;) {
    const page = await read({ after, last, limit: itemsAtOnce });
    yield page;
    after = page.next;
    // What is looked at in several calls has its last events in the last of them, or before.
    last = isEvents(page) && page.more ? last : undefined;
    if (page.ended) return;
    if (!isCaughtUp(page)) continue;
    if (order.local['follow'] !== true) return;
    await order.io.pause(everyMs);
  }
}

/** A task's newest run; when followed, one run after the other until the task goes on no more. */
export async function* taskPages(order: Order): AsyncGenerator<LogPage> {
  const id = String(order.input['id']);
  let from = Number(order.input['after'] ?? 0);
  let { runId } = await linePage(order, 'task.log', id, { after: from, last: lastOf(order), limit: 1 });
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
async function nextRun(order: Order, task: string, after: string | undefined): Promise<LinePage['runId']> {
  for (;;) {
    // Asked before the runs: a run that begins in between is still seen.
    const { phase } = await patiently(order, async () => (await ask(order, 'task.show', { id: task })) as OutputOf<'task.show'>);
    const list = await patiently(
      order,
      async () => (await ask(order, 'run.list', { task, limit: runsAtOnce })) as OutputOf<'run.list'>,
    );
    // The ids of runs sort by when they were made; the list is newest first.
    const found = list.items.findLast(({ id }) => after === undefined || id > after);
    if (found) return found.id;
    if (isFinal(phase) || phase.state === 'blocked') return undefined;
    await order.io.pause(everyMs);
  }
}

function linePage(order: Order, name: 'run.log' | 'task.log', id: string, place: Place): Promise<LinePage> {
  const { stream } = order.input;
  const input = { ...inputOf(id, place), ...(stream !== undefined && { stream }) };
  return patiently(order, async () => (await ask(order, name, input)) as LinePage);
}

const eventPage = (order: Order, id: string, place: Place): Promise<EventLogPage> =>
  patiently(order, async () => (await ask(order, 'run.events', inputOf(id, place))) as EventLogPage);

const inputOf = (id: string, { last, ...rest }: Place) => ({ id, ...rest, ...(last !== undefined && { last }) });
