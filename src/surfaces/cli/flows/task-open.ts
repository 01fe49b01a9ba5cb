import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OutputOf } from '../../../contract/call.ts';
import { Fault } from '../../../domain/fault.ts';
import { answered, ask, type Order, type Result } from '../order.ts';

/** `fleet task open`: the agent's own program takes the terminal over. `--json` tells what would be started. */
export async function openTask(order: Order): Promise<Result> {
  const { io, inTerminal } = order;
  assertHere(order);
  const files = await realpath(await mkdtemp(join(io.env['TMPDIR'] || tmpdir(), 'fleet-open-')));
  const clear = () => rm(files, { recursive: true, force: true });
  try {
    const value = (await ask(order, 'task.open', { ...order.input, files })) as OutputOf<'task.open'>;
    if (order.json || !inTerminal) {
      await clear();
      return answered(order, 'task.open', value);
    }
    for (const { name, text } of value.files) await writeFile(join(files, name), text, { flag: 'wx', mode: 0o600 });
    const start = async () => {
      try {
        return await inTerminal(value, io.env);
      } finally {
        await clear();
      }
    };
    return { kind: 'handed-over', start };
  } catch (error) {
    await clear();
    throw error;
  }
}

function assertHere({ io, json }: Order): void {
  const url = io.env['FLEET_URL'];
  if (url !== undefined && url !== '')
    throw new Fault('invalid', `FLEET_URL is ${url}: the agent and its files are on the machine of that fleet`, {
      hint: 'run fleet task open there, in a terminal',
    });
  if (!json && !(io.isTty && io.isTyped))
    throw new Fault('invalid', 'standard input and output are no terminal: a person sits down here', {
      hint: '--json tells what would be started',
    });
}
