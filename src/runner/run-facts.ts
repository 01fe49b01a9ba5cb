import { constants as system } from 'node:os';
import { dirname } from 'node:path';
import { belowPlace } from '../platform/agent-path.ts';
import { beginningSync } from '../platform/read-safely-sync.ts';
import { cgroupOf } from './cgroup.ts';
import { filesOf, type RecordedProcess, type RunFiles } from './run-place.ts';

export interface ShimIdentity {
  readonly shim: RecordedProcess;
  readonly agent: RecordedProcess;
  /** Feeds a two-way agent. */
  readonly pump?: RecordedProcess;
  readonly boot: string;
}

/** How the agent ended. A signal is named only when it was one: a program may exit with 137 by itself. */
export interface ExitFacts {
  readonly code: number;
  readonly signal?: string;
  /** The program never ran, and why: 127 not found, 126 cannot be executed, 125 the shim could not prepare. */
  readonly refused?: string;
}

export type StartClaim =
  | { readonly by: 'shim'; readonly shim: RecordedProcess; readonly boot: string }
  | { readonly by: 'supervisor' }
  /** Claimed this instant, or by somebody who died in the middle of it. */
  | { readonly by: 'unknown' };

const buffer = Buffer.allocUnsafe(4_096);
export const SUPERVISOR_CLAIM = 'supervisor\n';

/** Undefined when missing or torn. */
export async function readIdentity(run: RunFiles): Promise<ShimIdentity | undefined> {
  const line = readLine(filesOf(run).id);
  const found = /^1 (\d+) (\d+) (\d+) (\d+) (\S+) (?:(\d+) (\d+)|- -)(?: .*)?$/.exec(line ?? '');
  if (!found) return undefined;
  const [, shim = '', shimStart = '', agent = '', agentStart = '', boot = '', pump, pumpStart] = found;
  return {
    shim: { pid: Number(shim), started: shimStart },
    agent: { pid: Number(agent), started: agentStart },
    ...(pump && pumpStart ? { pump: { pid: Number(pump), started: pumpStart } } : {}),
    boot,
  };
}

/** The cgroup that was made for the run. Agents can write here: only a name made for this very run is believed. */
export async function readCgroup(run: RunFiles): Promise<string | undefined> {
  const path = readLine(filesOf(run).cgroup);
  return path !== undefined && path === cgroupOf(dirname(path), run) ? path : undefined;
}

/** Undefined when there is none. */
export async function readClaim(run: RunFiles): Promise<StartClaim | undefined> {
  const text = opening(filesOf(run).claim);
  if (text === undefined) return undefined;
  if (text === SUPERVISOR_CLAIM) return { by: 'supervisor' };
  const found = /^shim (\d+) (\d+) (\S+)\n/.exec(text);
  if (!found) return { by: 'unknown' };
  const [, pid = '', started = '', boot = ''] = found;
  return { by: 'shim', shim: { pid: Number(pid), started }, boot };
}

/** Undefined when missing or torn. */
export async function readExit(run: RunFiles): Promise<ExitFacts | undefined> {
  const found = /^(\d+) (\d+|-) (.*)$/.exec(readLine(filesOf(run).exit) ?? '');
  if (!found) return undefined;
  const [code, signal, note = ''] = [Number(found[1]), found[2], found[3]];
  if (code > 255 || (signal !== '-' && Number(signal) !== code - 128)) return undefined;
  if (signal !== '-') return { code, signal: signalName(code - 128) };
  const refused = refusal(run, code, note);
  return { code, ...(refused ? { refused } : {}) };
}

/** What it took too much of the machine, if it was ended for that. */
export const readExceeded = (run: RunFiles): string | undefined => readLine(filesOf(run).exceeded);

/**
 * The shell names itself in front of what it could not start, as the first thing in `err`. Some shells leave no note,
 * so the name alone has to do.
 */
function refusal(run: RunFiles, code: number, note: string): string | undefined {
  if (code === 125 && note !== '') return note;
  if (code !== 126 && code !== 127 && note !== 'refused') return undefined;
  const said = /^.*\/shim-[0-9a-f]+[.]sh: (?:line )?\d+: (?:exec: )?(.*)$/m.exec(opening(filesOf(run).err) ?? '');
  if (said?.index === 0) return said[1];
  return note === 'refused' ? 'the program could not be started' : undefined;
}

const signalName = (number: number): string =>
  Object.entries(system.signals).find(([, known]) => known === number)?.[0] ?? `signal ${number}`;

/** One line that was written whole. */
function readLine(path: string): string | undefined {
  const text = opening(path);
  return text?.endsWith('\n') ? text.slice(0, text.indexOf('\n')) : undefined;
}

/**
 * The first bytes; undefined when there is no such file, or something else in its place. What says nothing of the file is
 * thrown: a supervisor short of descriptors must not conclude that a run has no exit.
 */
function opening(path: string): string | undefined {
  return beginningSync(belowPlace(path), buffer)?.toString('utf8');
}
