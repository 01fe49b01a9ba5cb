import { randomUUID } from 'node:crypto';
import { link, open, rename, rm, stat } from 'node:fs/promises';
import type { OutputOf } from '../../../contract/call.ts';
import { Fault } from '../../../domain/fault.ts';
import { ask, type Order, type Result } from '../order.ts';

type Page = OutputOf<'task.export'>;

/** Every task as one line of JSON, to standard output or into a file that is whole or not there. */
export async function exportTasks(order: Order): Promise<Result> {
  const { file, force } = order.local;
  if (typeof file === 'string') return intoFile(order, file, force === true);
  await (order.json ? writeValue(order) : writeLines(order, (text) => order.io.out(text)));
  return { kind: 'written' };
}

async function* pagesOf(order: Order): AsyncGenerator<Page['items']> {
  let cursor: string | undefined;
  do {
    const page = (await ask(order, 'task.export', { ...order.input, ...(cursor !== undefined && { cursor }) })) as Page;
    yield page.items;
    cursor = page.cursor;
  } while (cursor !== undefined);
}

async function writeLines(order: Order, write: (text: string) => void | Promise<void>): Promise<number> {
  let count = 0;
  for await (const items of pagesOf(order)) {
    if (items.length > 0) await write(items.map((item) => `${JSON.stringify(item)}\n`).join(''));
    count += items.length;
  }
  return count;
}

/** With --json the answer is one value, as everywhere: the pages put together. */
async function writeValue(order: Order): Promise<void> {
  let separator = '{"items":[';
  for await (const items of pagesOf(order)) {
    for (const item of items) {
      await order.io.out(separator + JSON.stringify(item));
      separator = ',';
    }
  }
  await order.io.out(separator === ',' ? ']}\n' : '{"items":[]}\n');
}

async function intoFile(order: Order, path: string, force: boolean): Promise<Result> {
  if (!force && (await isThere(path))) throw alreadyThere(path);
  const temporary = `${path}.${randomUUID()}.tmp`;
  let tasks = 0;
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      tasks = await writeLines(order, async (text) => {
        await handle.appendFile(text);
      });
      await handle.sync();
    } finally {
      await handle.close();
    }
    // A link refuses to replace what appeared in the meantime; a rename would not.
    if (force) await rename(temporary, path);
    else await link(temporary, path);
  } catch (error) {
    throw fileFault(error, path);
  } finally {
    await rm(temporary, { force: true });
  }
  const text = `${tasks} ${tasks === 1 ? 'task' : 'tasks'} in ${path}\n`;
  return { kind: 'answer', value: { file: path, tasks }, text: () => text };
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

const alreadyThere = (path: string): Fault =>
  new Fault('conflict', `${path} exists already`, { hint: '--force writes over it', file: path });

function fileFault(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !('code' in error) || error instanceof Fault) return error;
  if (error.code === 'EEXIST') return alreadyThere(path);
  return new Fault('unavailable', `cannot write ${path}: ${error.message}`, { file: path }, { cause: error });
}
