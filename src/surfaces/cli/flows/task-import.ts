import { type FileHandle, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OutputOf } from '../../../contract/call.ts';
import { Fault, isFault } from '../../../domain/fault.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { inDependencyOrder, parseImportLine } from '../../../domain/task/import-line.ts';
import { answered, ask, type Order, type Result } from '../order.ts';
import { linesOf, objectOf } from './json-lines.ts';

type Imported = OutputOf<'task.import'>;

/** Reads the whole file once to be sure of it, then again to import it: a bad line anywhere means that nothing is done. */
export async function importTasks(order: Order): Promise<Result> {
  const { io } = order;
  const source = String(order.local['file']);
  const spool = source === '-' ? await mkdtemp(join(tmpdir(), 'fleet-import-')) : undefined;
  try {
    const path = spool === undefined ? source : join(spool, 'lines.jsonl');
    if (spool !== undefined) await writeFile(path, io.stdin(), { mode: 0o600 });
    const file = await openForReading(path);
    try {
      return answered(order, 'task.import', await importAll(order, file, await placesIn(file)));
    } finally {
      await file.close();
    }
  } finally {
    if (spool !== undefined) await rm(spool, { recursive: true, force: true });
  }
}

async function openForReading(path: string): Promise<FileHandle> {
  try {
    const file = await open(path, 'r');
    if ((await file.stat()).isFile()) return file;
    await file.close();
  } catch (error) {
    throw new Fault(
      'invalid',
      `cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`,
      { file: path },
      { cause: error },
    );
  }
  throw new Fault('invalid', `${path} is not a file; pipe it in and name it - instead`, { file: path });
}

/** Where a line stands in the file. Only this much of every line is held. */
interface Place {
  readonly at: number;
  readonly bytes: number;
  readonly source: string;
  readonly after: readonly string[];
}

/** Reads every line once: each must be a task. They are imported so that none comes before one it waits for. */
async function placesIn(file: FileHandle): Promise<readonly Place[]> {
  const places: Place[] = [];
  let at = 0;
  for await (const line of linesOf(fromStart(file), LIMITS.importLineBytes.value)) {
    const value = objectOf(line);
    const bytes = line.bytes.length;
    if (value) places.push({ at, bytes, ...taskIn(value, line.number) });
    at += bytes + 1;
  }
  return inDependencyOrder(places, (place) => place);
}

function taskIn(value: Record<string, unknown>, line: number): Pick<Place, 'source' | 'after'> {
  try {
    const { source, after } = parseImportLine(value);
    return { source, after };
  } catch (error) {
    throw isFault(error) ? new Fault(error.code, `line ${line}: ${error.message}`, { line }, { cause: error }) : error;
  }
}

const fromStart = (file: FileHandle) => file.createReadStream({ start: 0, autoClose: false });

async function lineAt(file: FileHandle, { at, bytes }: Place): Promise<Record<string, unknown>> {
  const { buffer } = await file.read(Buffer.alloc(bytes), 0, bytes, at);
  return JSON.parse(buffer.toString()) as Record<string, unknown>;
}

async function importAll(order: Order, file: FileHandle, places: readonly Place[]): Promise<Imported> {
  const created: Imported['created'] = [];
  const skipped: Imported['skipped'] = [];
  try {
    for (let from = 0; from < places.length; from += LIMITS.importBatch.value) {
      const batch = places.slice(from, from + LIMITS.importBatch.value);
      const answer = await importBatch(order, await Promise.all(batch.map((place) => lineAt(file, place))));
      created.push(...answer.created);
      skipped.push(...answer.skipped);
    }
  } catch (error) {
    throw created.length > 0 && isFault(error) ? cutOff(error, created.length) : error;
  }
  return { created, skipped };
}

/** Tasks with many dependencies may not fit into one commit together: then in halves. What is here already is skipped. */
async function importBatch(order: Order, lines: readonly Record<string, unknown>[]): Promise<Imported> {
  try {
    return (await ask({ ...order, key: undefined }, 'task.import', { ...order.input, lines })) as Imported;
  } catch (error) {
    if (!isFault(error, 'limit') || lines.length === 1) throw error;
    const middle = Math.ceil(lines.length / 2);
    const first = await importBatch(order, lines.slice(0, middle));
    const second = await importBatch(order, lines.slice(middle));
    return { created: [...first.created, ...second.created], skipped: [...first.skipped, ...second.skipped] };
  }
}

const cutOff = (fault: Fault, count: number): Fault =>
  new Fault(
    fault.code,
    `${fault.message} (${count} tasks were imported before that)`,
    { hint: 'run it again: what was imported is left alone', ...fault.details },
    { cause: fault },
  );
