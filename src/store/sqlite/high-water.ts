import { closeSync, openSync, readdirSync, readFileSync, statSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Fault } from '../../domain/fault.ts';
import { PRIVATE_FILE } from '../../platform/files.ts';
import { bootIdSync } from '../../platform/proc.ts';

/** The last commit that was confirmed, as it was noted beside the database. */
export interface HighWater {
  readonly counter: number;
  /** The last one that was to survive a loss of power too. */
  readonly flushed: number;
  /** Since which boot it was noted: of what was not flushed, a loss of power may have taken some. */
  readonly boot: string;
  readonly at: string;
}

export const highWaterFile = (file: string): string => `${file}-last`;

/** Always as long: once the file is there, noting needs no space on a full disk. */
const BYTES = 160;

/**
 * Notes the number of each transaction after it was confirmed: one short write to memory of the kernel, never flushed. A
 * database that later ends before that number has lost what was accepted: its write-ahead log, or all of it, was removed.
 * Not noting is never a reason to refuse a commit.
 */
export class HighWaterMark {
  readonly #path: string;
  readonly #boot = bootIdSync();
  #flushed: number;
  #fd: number | undefined;

  /** `counter`: where the database stands. A mark that is there already stays. */
  constructor(file: string, counter: number) {
    this.#path = highWaterFile(file);
    const before = readHighWater(file);
    this.#flushed = before?.flushed ?? 0;
    if (before === undefined) this.note(counter, false);
  }

  note(counter: number, isFlushed: boolean): void {
    if (isFlushed) this.#flushed = counter;
    const text = JSON.stringify({ counter, flushed: this.#flushed, boot: this.#boot });
    try {
      this.#fd ??= openSync(this.#path, statSync(this.#path, { throwIfNoEntry: false }) ? 'r+' : 'w', PRIVATE_FILE);
      writeSync(this.#fd, text.padEnd(BYTES), 0);
    } catch {
      // Then a loss may go unnoticed; nothing is lost by that itself.
    }
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }
}

export function readHighWater(file: string): HighWater | undefined {
  try {
    const path = highWaterFile(file);
    const { counter, flushed, boot } = JSON.parse(readFileSync(path, 'utf8')) as Partial<HighWater>;
    const at = statSync(path).mtime.toISOString();
    return { counter: Number(counter) || 0, flushed: Number(flushed) || 0, boot: String(boot), at };
  } catch {
    return undefined;
  }
}

/** What is known to be lost of a database whose last commit is `counter`; undefined: it holds nothing at all. */
export function lossOf(file: string, high: HighWater | undefined, counter: number | undefined): Fault | undefined {
  if (high === undefined) return undefined;
  if (counter === undefined)
    return lost(
      file,
      `${file} is empty or gone, but ${high.counter} commits were confirmed in it, the last at ${high.at}: all of it is lost`,
      `${restoreHint(file)}, or \`fleet db accept\` begins with an empty one`,
    );
  const isSameBoot = high.boot === bootIdSync() && high.boot !== 'unknown';
  const confirmed = isSameBoot ? high.counter : high.flushed;
  if (counter >= confirmed) return undefined;
  const found = statSync(file, { throwIfNoEntry: false });
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false });
  const why = (log?.size ?? 0) === 0 ? `its write-ahead log ${file}-wal is missing` : 'an older copy is in its place';
  const since = found === undefined ? '' : ` Work accepted after ${found.mtime.toISOString()} may be lost`;
  return lost(
    file,
    `${file} ends at commit ${counter}, but commit ${confirmed} was confirmed at ${high.at}: ${why}.${since}`,
    `put the file back if you have it; else ${restoreHint(file)}, or \`fleet db accept\` goes on with what is left`,
  );
}

const lost = (file: string, message: string, hint: string): Fault =>
  new Fault('unavailable', message, { file, damaged: true, lost: true, hint });

/** How to go back to the newest backup there is. */
export function restoreHint(file: string): string {
  const newest = newestBackup(join(dirname(file), 'backups'));
  return newest === undefined
    ? '`fleet db restore FILE` puts a backup in its place'
    : `\`fleet db restore '${newest}'\` puts the newest backup in its place`;
}

function newestBackup(directory: string): string | undefined {
  try {
    const files = readdirSync(directory)
      .filter((name) => name.endsWith('.db'))
      .map((name) => join(directory, name));
    return files.map((path) => ({ path, ms: statSync(path).mtimeMs })).toSorted((a, b) => b.ms - a.ms)[0]?.path;
  } catch {
    return undefined;
  }
}
