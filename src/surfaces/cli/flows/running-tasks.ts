import type { OutputOf } from '../../../contract/call.ts';
import type { RunView } from '../../../contract/run.ts';
import { isFault } from '../../../domain/fault.ts';
import type { PhaseState } from '../../../domain/task/task.ts';
import { ask, type Order, type Result } from '../order.ts';
import { isLive, picture } from '../terminal/redraw.ts';
import { viewStyleOf } from '../views/style.ts';
import { type AtWork, runningTable } from '../views/task/running-table.ts';

const AT_WORK: readonly PhaseState[] = ['running', 'verifying', 'merging'];
const everyMs = 1000;
const runsAtOnce = 200;

/** `fleet tasks`: who works on what right now. */
export async function showRunning(order: Order): Promise<Result> {
  const draw = (value: AtWork) => runningTable(value, viewStyleOf({ ...order.io, input: order.input }));
  if (order.local['watch'] === true && isLive(order.io) && !order.json) return watch(order, draw);
  const value = await atWork(order);
  return { kind: 'answer', value, text: () => draw(value) };
}

/** Until Ctrl-C, which ends the program; nothing is held that would need to be put back. */
async function watch(order: Order, draw: (value: AtWork) => string): Promise<never> {
  const screen = picture(order.io);
  for (;;) {
    await screen.draw(draw(await atWork(order)));
    await order.io.pause(everyMs);
  }
}

async function atWork(order: Order): Promise<AtWork> {
  const tasks = (await ask(order, 'task.list', { ...order.input, state: [...AT_WORK] })) as OutputOf<'task.list'>;
  const wanted = tasks.items.flatMap(({ phase }) =>
    'holder' in phase && phase.holder.kind === 'run' ? [phase.holder.runId] : [],
  );
  return { ...tasks, runs: wanted.length === 0 ? [] : await runsOf(order, wanted) };
}

/** The newest runs in one question; a run that has been at it for long is asked for by itself. */
async function runsOf(order: Order, wanted: readonly string[]): Promise<RunView[]> {
  const { items } = (await ask(order, 'run.list', { limit: runsAtOnce })) as OutputOf<'run.list'>;
  const newest = new Map<string, RunView>(items.map((run) => [run.id, run]));
  const found = await Promise.all(wanted.map(async (id) => newest.get(id) ?? (await runOf(order, id))));
  return found.filter((run) => run !== undefined);
}

async function runOf(order: Order, id: string): Promise<RunView | undefined> {
  try {
    return (await ask(order, 'run.show', { id })) as RunView;
  } catch (error) {
    if (isFault(error, 'not_found')) return undefined;
    throw error;
  }
}
