import type { OutputOf } from '../../../contract/call.ts';
import { answered, ask, type Order, type Result } from '../order.ts';
import { viewStyleOf } from '../views/style.ts';
import { diffStat } from '../views/task/diff.ts';

/** `fleet task diff`: for people by default; `--raw` is what `git apply` takes. */
export async function taskDiff(order: Order): Promise<Result> {
  const value = (await ask(order, 'task.diff', order.input)) as OutputOf<'task.diff'>;
  if (order.local['raw'] === true) return { kind: 'answer', value, text: () => value.text };
  if (order.local['stat'] === true)
    return { kind: 'answer', value, text: () => diffStat(value, viewStyleOf({ ...order.io, input: order.input })) };
  return answered(order, 'task.diff', value);
}
