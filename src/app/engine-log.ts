import {
  appendFileSync,
  closeSync,
  createReadStream,
  fstatSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { readdir, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { Fault } from '../domain/fault.ts';
import { LIMITS } from '../domain/limits.ts';
import type { Instant } from '../domain/values.ts';
import { makeDirectory } from '../platform/files.ts';
import { writeJson } from '../surfaces/cli/answer.ts';
import type { CliProgram } from '../surfaces/cli/deps.ts';
import { programWords } from '../surfaces/cli/parse/program-words.ts';
import { plain } from '../surfaces/cli/terminal/plain.ts';
import { assertNoRun } from './connect/surrounding-run.ts';
import { type HomePaths, homePaths } from './home.ts';

const filesKept = 14;
const NAME = /^fleet-\d{4}-\d\d-\d\d\.jsonl$/;

const folderOf = ({ path }: Pick<HomePaths, 'path'>): string => join(path, 'logging');

/** Where an engine in the background writes from now on. Only the newest files are kept. */
export async function engineLogFile(paths: Pick<HomePaths, 'path'>, now: Instant): Promise<string> {
  const folder = folderOf(paths);
  await makeDirectory(folder);
  const file = join(folder, `fleet-${now.slice(0, 10)}.jsonl`);
  const names = (await readdir(folder)).filter((name) => NAME.test(name)).toSorted();
  for (const name of names.slice(0, -filesKept)) await unlink(join(folder, name)).catch(() => undefined);
  return file;
}

/**
 * To be told of every line that was written to standard error. When that is a log file of this home and it has grown too
 * long, its newest part is written anew into the same file, which may be held open by others: a file of another name
 * would go on without us.
 */
export function logLimit(paths: Pick<HomePaths, 'path'>, options: LogLimit = {}): (bytes: number) => void {
  const { file = '/proc/self/fd/2', mostBytes = LIMITS.engineLogBytes.value } = options;
  const isOurs = isLogFile(paths, file);
  let size = isOurs ? statSync(file).size : 0;
  return (bytes) => {
    if (!isOurs) return;
    size += bytes;
    if (size > mostBytes) size = shortened(file, Math.floor(mostBytes / 4));
  };
}

interface LogLimit {
  readonly file?: string;
  readonly mostBytes?: number;
}

function isLogFile(paths: Pick<HomePaths, 'path'>, file: string): boolean {
  try {
    const real = realpathSync(file);
    return dirname(real) === realpathSync(folderOf(paths)) && NAME.test(basename(real));
  } catch {
    return false; // a terminal, a pipe, or nothing
  }
}

/** Keeps whole lines from the end, and says in a line of its own what went. */
function shortened(file: string, keptBytes: number): number {
  const from = openSync(file, 'r');
  let kept: Buffer;
  let size: number;
  try {
    size = fstatSync(from).size;
    const tail = Buffer.alloc(Math.min(keptBytes, size));
    const read = readSync(from, tail, 0, tail.length, size - tail.length);
    kept = tail.subarray(tail.indexOf('\n') + 1, read);
  } finally {
    closeSync(from);
  }
  const note = `${JSON.stringify({ event: 'log.shortened', droppedBytes: size - kept.length })}\n`;
  truncateSync(file);
  appendFileSync(file, Buffer.concat([Buffer.from(note), kept]));
  return Buffer.byteLength(note) + kept.length;
}

/** The file that was written last: an engine goes on in the one it began with. */
export async function newestLogFile(paths: Pick<HomePaths, 'path'>): Promise<string | undefined> {
  const folder = folderOf(paths);
  const names = (await readdir(folder).catch(() => [])).filter((name) => NAME.test(name));
  const files = await Promise.all(
    names.map(async (name) => ({
      file: join(folder, name),
      at: (await stat(join(folder, name)).catch(() => undefined))?.mtimeMs ?? 0,
    })),
  );
  return files.toSorted((a, b) => b.at - a.at || (a.file < b.file ? 1 : -1))[0]?.file;
}

/** `fleet log [N]`: what the engine in the background wrote. */
export const showLog: CliProgram['run'] = async (args, given) => {
  const { places, json, io } = programWords('log', args, given, { switches: [], places: 1 });
  const most = places[0] === undefined ? Number.POSITIVE_INFINITY : Number(places[0]);
  if (!(most === Number.POSITIVE_INFINITY || /^[1-9]\d{0,6}$/.test(places[0] ?? '')))
    throw new Fault('invalid', `N: expected a whole number of lines from 1 to 9999999, got ${JSON.stringify(places[0])}`);
  assertNoRun(io.env, io.cwd);
  const file = await newestLogFile(homePaths(io.env, io.cwd));
  if (file === undefined)
    throw new Fault('not_found', 'there is no log yet', {
      hint: 'fleet up --background writes one; fleet up alone logs to the terminal',
    });
  const lines: AsyncIterable<string> = createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
  if (json) await writeJson(io, { file, lines: await lastLines(lines, most) });
  else if (most === Number.POSITIVE_INFINITY) for await (const line of lines) await io.out(`${plain(line)}\n`);
  else for (const line of await lastLines(lines, most)) await io.out(`${plain(line)}\n`);
  return 0;
};

async function lastLines(lines: AsyncIterable<string>, most: number): Promise<string[]> {
  let kept: string[] = [];
  for await (const line of lines) {
    kept.push(line);
    if (kept.length > 2 * most) kept = kept.slice(-most);
  }
  return Number.isFinite(most) ? kept.slice(-most) : kept;
}
