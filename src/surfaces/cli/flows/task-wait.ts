import type { OutputOf } from '../../../contract/call.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { answered, ask, type Order, type Result } from '../order.ts';
import { isLive, picture } from '../terminal/redraw.ts';
import { counted, viewStyleOf } from '../views/style.ts';
import { notDone, taskWait } from '../views/task/wait.ts';
import { patiently } from './patience.ts';

type Waited = OutputOf<'task.wait'>;

const firstPauseMs = 100;
const longestPauseMs = 1000;

/** How long it must look as if nothing could go on: a program that is being replaced is away for a moment. */
const sureMs = 1000;

/** Waits until nothing more happens by itself: every task is done, or somebody is needed. */
export async function waitForTasks(order: Order): Promise<Result> {
  const timeoutMs = typeof order.local['timeout'] === 'number' ? order.local['timeout'] * 1000 : Number.POSITIVE_INFINITY;
  const show = progress(order);
  let value = await look(order);
  if (goesOn(value)) await wake(order);
  await show(value);
  const { elapsed, pause } = order.io;
  const began = elapsed();
  let movedAt = began;
  let pauseMs = firstPauseMs;
  while (value.pending > 0 && elapsed() - began < timeoutMs) {
    if (goesOn(value)) movedAt = elapsed();
    else if (elapsed() - movedAt >= sureMs) break;
    await pause(Math.min(pauseMs, Math.max(1, timeoutMs - (elapsed() - began))));
    pauseMs = Math.min(longestPauseMs, pauseMs * 1.5);
    value = await patiently(order, () => look(order));
    await show(value);
  }
  return ending(order, value);
}

/** A draft that nobody hands over, or a task that nobody here can do: waiting for those alone would never end. */
const goesOn = ({ pending, stuck }: Waited): boolean => pending > stuck;

async function wake(order: Order): Promise<void> {
  const said = await order.ensureEngine?.();
  if (said !== undefined && !order.json) await order.io.err(`${said}\n`);
}

function progress(order: Order): (value: Waited) => Promise<void> {
  if (order.json || !isLive(order.io)) return async () => undefined;
  const screen = picture(order.io);
  return (value) => screen.draw(taskWait(value, viewStyleOf({ ...order.io, input: order.input })));
}

const look = async (order: Order): Promise<Waited> => (await ask(order, 'task.wait', order.input)) as Waited;

async function ending(order: Order, value: Waited): Promise<Result> {
  const undone = value.items.filter(({ phase }) => phase.state !== 'done');
  const isLate = goesOn(value);
  if (!order.json && undone.length > 0)
    await order.io.err(isLate ? lateText(value, order) : notDone(undone, viewStyleOf({ ...order.io, input: order.input })));
  const code = isLate ? EXIT_CODES.limit : undone.length > 0 ? EXIT_CODES.conflict : EXIT_CODES.ok;
  // What was drawn last is the answer.
  if (!order.json && isLive(order.io)) return { kind: 'written', code };
  return { ...answered(order, 'task.wait', value), code };
}

function lateText({ items, pending }: Waited, { local }: Order): string {
  const of = items.length === 1 ? 'it has' : `${pending} of ${counted(items.length, 'task')} have`;
  return `fleet: ${of} not come to an end after ${String(local['timeout'])} s\n       the work goes on; fleet tasks shows it\n`;
}
