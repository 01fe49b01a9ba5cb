import type { Output } from '../../../contract/call.ts';
import type { PhaseState } from '../../../domain/task/task.ts';
import { ask, type Order, type Result } from '../order.ts';
import { lookOf } from '../views/look.ts';
import { runningTable } from '../views/task-list.ts';

const AT_WORK: readonly PhaseState[] = ['running', 'verifying', 'merging'];

/** `fleet tasks`: who works on what right now. */
export async function showRunning(order: Order): Promise<Result> {
  const value = (await ask(order, 'task.list', { ...order.input, state: [...AT_WORK] })) as Output<'task.list'>;
  return { kind: 'answer', value, text: () => runningTable(value, lookOf({ ...order.io, input: order.input })) };
}
