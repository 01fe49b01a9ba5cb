import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { hasCode } from './files.ts';

/** What the kernel says of one process. A zombie has ended and is not listed. */
export interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Clock ticks used by it and by the children it has waited for: the sum over a tree never falls. */
  readonly ticks: number;
  /** Ticks after boot; with the pid and the boot it names a process for good. */
  readonly started: string;
}

export interface SeenProcess extends ProcessStat {
  /** Values of the variables asked for, as given when its program was started. */
  readonly variables: Readonly<Record<string, string>>;
}

const BOOT_ID = '/proc/sys/kernel/random/boot_id';
const PER_TURN = 64;
const FRESH_MS = 1_000;
/** Older than any process that may still be between its birth and the start of its program. */
const SETTLED_TICKS = 1_000;

let thisBoot: string | undefined;

/** Asked for at every look at every run, and the same for as long as this process lives. */
export function bootIdSync(path: string = BOOT_ID): string {
  if (path !== BOOT_ID) return readBoot(path);
  thisBoot ??= readBoot(path);
  return thisBoot;
}

const readBoot = (path: string): string => read(path)?.trim() ?? 'unknown';

/** When it began. What comes after it is not cut apart: every live run is looked at so, every second. */
const LAST_FIELD = 22;

/** Synchronous, so that nothing of ours happens between looking and acting. */
export function statSync(pid: number): ProcessStat | undefined {
  const text = read(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The name in field 2 may itself hold spaces and brackets.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ', LAST_FIELD - 2);
  if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
  const number = (field: number): number => Number(fields[field - 3]);
  const ticks = number(14) + number(15) + number(16) + number(17);
  return { pid, parent: number(4), group: number(5), session: number(6), ticks, started: fields[19] ?? '' };
}

/** Empty for a process of somebody else, or one that has wiped its environment. */
export function variablesSync(pid: number, names: readonly string[]): Record<string, string> {
  const text = read(`/proc/${pid}/environ`);
  if (text === undefined) return {};
  const found: Record<string, string> = {};
  for (const name of names) {
    const at = text.startsWith(`${name}=`) ? 0 : text.indexOf(`\0${name}=`) + 1;
    if (at === 0 && !text.startsWith(`${name}=`)) continue;
    const end = text.indexOf('\0', at);
    found[name] = text.slice(at + name.length + 1, end === -1 ? undefined : end);
  }
  return found;
}

/** Bytes it has handed to `write`, or undefined where the kernel does not count them. */
export function bytesWrittenSync(pid: number): number | undefined {
  const count = /^wchar: (\d+)$/m.exec(read(`/proc/${pid}/io`) ?? '')?.[1];
  return count === undefined ? undefined : Number(count);
}

/**
 * Long-lived processes without any of the variables, by pid. Each is looked at again after a second and never asked for
 * its environment; to be mistaken for one of these within the second, a pid would have to come round through all others.
 */
export type UnmarkedProcesses = Map<number, { readonly seen: SeenProcess; readonly atMs: number }>;

/** Every process, in small portions that leave room for other work between them. */
export async function scanProcesses(names: readonly string[], strangers: UnmarkedProcesses = new Map()): Promise<SeenProcess[]> {
  const seen: SeenProcess[] = [];
  let looked = 0;
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry);
    if (!Number.isInteger(pid)) continue;
    const known = strangers.get(pid);
    const isFresh = known !== undefined && performance.now() - known.atMs < FRESH_MS;
    const found = isFresh ? known.seen : lookAt(pid, names, known?.seen);
    if (found) seen.push(found);
    looked += isFresh ? 0 : 1;
    if (looked % PER_TURN === PER_TURN - 1) await nextTurn();
  }
  remember(strangers, seen);
  return seen;
}

function lookAt(pid: number, names: readonly string[], stranger: SeenProcess | undefined): SeenProcess | undefined {
  const stat = statSync(pid);
  return stat && { ...stat, variables: stranger?.started === stat.started ? {} : variablesSync(pid, names) };
}

function remember(strangers: UnmarkedProcesses, seen: readonly SeenProcess[]): void {
  const youngest = seen.reduce((most, { started }) => Math.max(most, Number(started)), 0);
  const before = new Map(strangers);
  strangers.clear();
  for (const one of seen) {
    const isSettled = youngest - Number(one.started) > SETTLED_TICKS;
    if (!isSettled || Object.keys(one.variables).length > 0) continue;
    const known = before.get(one.pid);
    strangers.set(one.pid, known?.seen === one ? known : { seen: one, atMs: performance.now() });
  }
}

let buffer = Buffer.allocUnsafe(64 * 1_024);

/** Undefined when it has ended or is not ours to see. Short of descriptors is neither, and is thrown. */
function read(path: string): string | undefined {
  try {
    // Half the system calls of readFileSync: these files have no size, and there is one per process.
    const file = openSync(path, 'r');
    try {
      return readWhole(file);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ESRCH', 'EACCES', 'EPERM')) return undefined;
    throw error;
  }
}

function readWhole(file: number): string {
  let length = 0;
  for (;;) {
    length += readSync(file, buffer, length, buffer.length - length, null);
    // These files come in one piece if there is room for them.
    if (length < buffer.length) return buffer.toString('latin1', 0, length);
    buffer = Buffer.concat([buffer, Buffer.allocUnsafe(buffer.length)]);
  }
}
