import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LIMITS } from '../domain/limits.ts';
import type { RunId } from '../domain/values.ts';
import type { RunIdentity, Runner, RunState } from '../engine/supervise/deps.ts';
import { belowPlace, inDirectory } from '../platform/agent-path.ts';
import type { FileOp } from '../platform/file-ops.ts';
import { makeDirectory, PRIVATE_FILE } from '../platform/files.ts';
import { statSync as processStat } from '../platform/proc.ts';
import { lookSync } from '../platform/read-safely-sync.ts';
import { type Redactor, secretsIn } from '../redact/redactor.ts';
import { findCgroupParent } from '../runner/cgroup.ts';
import { appendMissing, endInput } from '../runner/input-spool.ts';
import { processCountWatch } from '../runner/process-count-watch.ts';
import { arbitrate, stateOf } from '../runner/run-directory.ts';
import { readExceeded, readExit, readIdentity } from '../runner/run-facts.ts';
import { filesOf, type RunFiles } from '../runner/run-place.ts';
import { installShim } from '../runner/shim.ts';
import { signsOfLife } from '../runner/signs-of-life.ts';
import { openSpawner } from '../runner/spawner.ts';
import { type OpenSpool, readSlice, type SpoolSlice } from '../runner/tail.ts';
import { endRun } from '../runner/terminate-tree.ts';
import { trimSpools } from '../runner/trim.ts';
import type { HomePaths } from './home.ts';
import { lastError } from './result-file.ts';
import { runHints } from './run-hints.ts';
import { type RunSecrets, runSecrets } from './run-secrets.ts';

export interface RunnerOptions {
  readonly paths: HomePaths;
  graceMs(): number;
  /** Nothing leaves a spool with one of them in it, nor with one its agent has had. */
  readonly secrets: readonly string[];
  log(event: string, fields: Record<string, unknown>): void;
}

export interface HomeRunner extends Runner {
  /** Files that belong to no run, made beside the work of this process. */
  lay(steps: readonly FileOp[]): Promise<void>;
  close(): Promise<void>;
}

const HARD_MS = 10_000;
/** Others wait meanwhile; who takes longer to read is asked again in the next turn. */
const HANG_UP_MS = 20;

/** The runner room, as the engine wants to see it: runs by their ids, in the run directories of one home. */
export async function openRunner({ paths, graceMs, secrets, log }: RunnerOptions): Promise<HomeRunner> {
  const mark = await homeMark(paths.path);
  const spawner = openSpawner({ shim: await installShim(paths.bin), mark, log: (message) => log('spawner', { message }) });
  const hints = runHints();
  const crowded = processCountWatch();
  const hidden = runSecrets(paths, secrets);
  const redactorOf = redactors(hidden, log);
  const ends = endsOfSlices();
  // Joining one costs more than starting an agent, unless the kernel was told to make it cheap.
  const cgroupParent = await findCgroupParent({ quickOnly: true });
  /** Shims of starts of which nothing has been seen yet. */
  const begun = new Map<RunId, number>();
  const place = (runId: RunId): RunFiles => ({ directory: join(paths.runs, runId), id: runId, mark });
  return {
    look: async (runId) => {
      const seen = await lookAt(place(runId), begun.get(runId));
      if (seen.state !== 'starting') begun.delete(runId);
      return seen.state === 'ended' && seen.exit !== 0 && seen.reason === undefined
        ? explained(place(runId), seen, redactorOf)
        : seen;
    },
    isThere: ({ shim }) => processStat(shim.pid)?.started === shim.started,
    lay: (steps) => spawner.lay(steps),
    start: async (runId, { mode, command, args, directory, env, files, steps }) => {
      const spec = {
        ...place(runId),
        mode,
        command,
        args,
        workDirectory: directory,
        env,
        files: [...files, hidden.fileFor(secretsIn(env))],
        ...(cgroupParent ? { cgroupParent } : {}),
      };
      const { pid } = await spawner.start(spec, steps);
      begun.set(runId, pid);
    },
    preventStart: async (runId) => (await arbitrate(place(runId))) === 'won' || (await stateOf(place(runId))) === 'never',
    read: async (runId, cursor, isFinal) => {
      const options = { isFinal, maxLineBytes: LIMITS.outputLineBytes.value, redact: await redactorOf(runId) };
      const slice = await readSlice(filesOf(place(runId)).out, cursor, { ...options, open: ends.openAt(runId, cursor.offset) });
      ends.remember(runId, slice);
      return slice;
    },
    send: async (runId, from, tail) => void (await appendMissing(place(runId), { from, bytes: Buffer.from(tail) })),
    closeInput: async (runId) => (await endInput(place(runId), { withinMs: HANG_UP_MS })) === 'closed',
    end: async (runId, { atOnce = false, patienceMs = 0 } = {}) => {
      const { how, processes } = await endRun(place(runId), { patienceMs, graceMs: atOnce ? 0 : graceMs(), hardMs: HARD_MS });
      if (how !== 'quiet') log('run.ended', { runId, how, processes });
    },
    trim: (runId, bytes) => trimSpools(place(runId), bytes),
    follow: (runIds) => followed(hints, runIds, place),
    onWake: (listener) => hints.onStir((runIds) => listener(runIds as RunId[])),
    ticks: async (runIds) => new Map([...(await signsOfLife(runIds.map(place)))].map(([id, { ticks }]) => [id as RunId, ticks])),
    crowded: async (runIds, most) =>
      new Map([...(await crowded(runIds.map(place), most))].map(([id, count]) => [id as RunId, count])),
    close: () => {
      hints.close();
      return spawner.close();
    },
  };
}

function followed(hints: ReturnType<typeof runHints>, runIds: readonly RunId[], place: (runId: RunId) => RunFiles): RunId[] {
  const isFollowed = hints.follow(new Map(runIds.map((runId) => [runId, place(runId).directory])));
  return runIds.filter((runId) => !isFollowed.has(runId));
}

/** An agent that has spoilt the file is watched over all the same; from its directory nothing is shown to anybody then. */
function redactors(hidden: RunSecrets, log: RunnerOptions['log']): (runId: RunId) => Promise<Redactor> {
  let last = '';
  return (runId) =>
    hidden.redactorFor(runId).catch((error: unknown) => {
      if (last !== runId) log('run.secrets-unknown', { runId, error: String(error) });
      last = runId;
      return hidden.own();
    });
}

const MOST_REMEMBERED = 1_000;

/** What was open where each run was read to: who reads on from there need not look back. */
function endsOfSlices() {
  const ends = new Map<RunId, { readonly offset: number; readonly open: OpenSpool }>();
  return {
    openAt: (runId: RunId, offset: number): OpenSpool | undefined => {
      const last = ends.get(runId);
      return last?.offset === offset ? last.open : undefined;
    },
    remember: (runId: RunId, { cursor, open }: SpoolSlice): void => {
      if (!open) return;
      if (ends.size >= MOST_REMEMBERED && !ends.has(runId)) ends.clear();
      ends.set(runId, { offset: cursor.offset, open });
    },
  };
}

async function lookAt(run: RunFiles, shimPid: number | undefined): Promise<RunState> {
  const state = await stateOf(run, { shimPid });
  if (state === 'unclaimed' || state === 'starting' || state === 'never') return { state };
  const outBytes = sizeOf(filesOf(run).out);
  if (state === 'ended') {
    const exit = await readExit(run);
    if (exit)
      return {
        state,
        exit: exit.code,
        isRefused: exit.refused !== undefined && exit.code !== UNPREPARED,
        reason: exit.refused ?? (exit.signal ? `it was ended by ${exit.signal}` : undefined),
        exceeded: readExceeded(run),
        outBytes,
      };
  }
  const identity = state === 'alive' ? await readIdentity(run) : undefined;
  if (!identity) return { state: 'dead', outBytes };
  const { boot, shim, agent } = identity;
  return {
    state: 'alive',
    identity: { boot, shim, agent } satisfies RunIdentity,
    listens: identity.pump !== undefined,
    outBytes,
    errBytes: sizeOf(filesOf(run).err),
    ageMs: ageOf(agent.started),
  };
}

/** The shim could not make things ready: that says nothing of the program. */
const UNPREPARED = 125;
type Ended = Extract<RunState, { state: 'ended' }>;

/** A program that gave up mostly said why where nobody else listens. */
async function explained(run: RunFiles, seen: Ended, redactorOf: (runId: RunId) => Promise<Redactor>): Promise<Ended> {
  const complaint = lastLine(await lastError(inDirectory(run.directory), await redactorOf(run.id as RunId)));
  if (complaint === '') return seen;
  return { ...seen, reason: `it ended with exit code ${seen.exit}: ${complaint.slice(0, COMPLAINT)}` };
}

const COMPLAINT = 300;
/** The last that stands at the margin: traces are indented, and some programs sign off with their version. */
const lastLine = (text: string): string => text.split('\n').findLast(isAtMargin)?.trim() ?? '';
const isAtMargin = (line: string): boolean => /^[^\s{}[\]]/.test(line) && !/^Node[.]js v/.test(line);

const TICK_MS = 10;

/** By the clock of the kernel, which nobody sets. */
const ageOf = (started: string): number =>
  Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]) * 1_000 - Number(started) * TICK_MS;

/** Synchronous like the rest of a look: shorter than a trip to another thread. */
const sizeOf = (path: string): number => lookSync(belowPlace(path))?.size ?? 0;

/** Random, and the same for as long as the home exists: how processes of this home are told from all others. */
async function homeMark(home: string): Promise<string> {
  const file = join(home, 'mark');
  await makeDirectory(home);
  await writeFile(file, `${randomBytes(16).toString('hex')}\n`, { flag: 'wx', mode: PRIVATE_FILE }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    },
  );
  return (await readFile(file, 'utf8')).trim();
}
