import { Fault } from '../../../domain/fault.ts';
import { answered, ask, type Order, type Result } from '../order.ts';
import { directoryGone } from '../parse/assert-there.ts';
import { promptOf } from './prompt-source.ts';

/** A task belongs to the directory it was made in, unless the caller names another place. */
export async function createTask(order: Order): Promise<Result> {
  const prompt = await promptOf(order);
  if (prompt === undefined)
    throw new Fault(
      'invalid',
      'say what is to be done: fleet task create TEXT in quotes, --prompt-file FILE, or - for standard input',
    );
  const { input, io } = order;
  const isPlaced = input['project'] !== undefined || input['directory'] !== undefined;
  if (!isPlaced && io.cwdIsGone) throw directoryGone(io.cwd);
  return answered(
    order,
    'task.create',
    await ask(order, 'task.create', { ...input, prompt, ...(!isPlaced && { directory: io.cwd }) }),
  );
}

export async function editTask(order: Order): Promise<Result> {
  const prompt = await promptOf(order);
  const input = { ...order.input, ...(prompt !== undefined && { prompt }) };
  if (Object.keys(input).every((field) => field === 'id' || field === 'ifSeq')) {
    throw new Fault('invalid', 'nothing to change: name at least one field', { hint: 'see fleet task edit --help' });
  }
  return answered(order, 'task.edit', await ask(order, 'task.edit', input));
}
