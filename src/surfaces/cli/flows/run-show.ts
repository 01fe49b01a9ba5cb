import type { OutputOf } from '../../../contract/call.ts';
import { isFault } from '../../../domain/fault.ts';
import { ask, type Order, type Result } from '../order.ts';
import { runPage } from '../views/run/page.ts';
import { viewStyleOf } from '../views/style.ts';

/** `fleet run show`: what is known of a run, with what its directory tells of how it was started and ended. */
export async function showRun(order: Order): Promise<Result> {
  const run = (await ask(order, 'run.show', order.input)) as OutputOf<'run.show'>;
  const facts = await factsOf(order, run.id);
  return {
    kind: 'answer',
    value: { ...run, ...(facts ? { facts } : {}) },
    text: () => runPage(run, viewStyleOf({ ...order.io, input: order.input }), facts),
  };
}

/** Where it is not known which secrets they hold, the run itself is shown all the same. */
async function factsOf(order: Order, id: string): Promise<OutputOf<'run.facts'> | undefined> {
  try {
    return (await ask(order, 'run.facts', { id })) as OutputOf<'run.facts'>;
  } catch (error) {
    if (!isFault(error, 'forbidden')) throw error;
    return undefined;
  }
}
