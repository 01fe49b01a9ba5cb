import { type ChildProcess, spawn } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { Fault } from '../domain/fault.ts';
import { exists, PRIVATE_FILE } from '../platform/files.ts';
import { isAlive } from '../platform/process-identity.ts';
import type { CliEnv, Io } from '../surfaces/cli/deps.ts';
import { surroundingRun } from './connect/surrounding-run.ts';
import { engineHere, type RunningEngine } from './engine-here.ts';
import { engineLogFile } from './engine-log.ts';
import { initHome } from './home.ts';
import { type FleetServices, openServices } from './open-services.ts';

export type { RunningEngine } from './engine-here.ts';

export interface BackgroundStart {
  /** False: one ran already. */
  readonly started: boolean;
  readonly engine: RunningEngine;
  readonly home: string;
  readonly log?: string;
}

const startMs = 30_000;
const stopMs = 10_000;
const everyMs = 50;

/** Who runs this home right now. Makes nothing: a home that is not there has no engine. */
export async function engineOf(house: FleetServices): Promise<RunningEngine | undefined> {
  if (!(await exists(house.paths.database))) return undefined;
  return engineHere(house);
}

/** Starts an engine of its own and returns when it holds the lease, or tells who holds it already. */
export async function startInBackground(io: Io, words: readonly string[]): Promise<BackgroundStart> {
  return withServices(io, async (house) => {
    await initHome(house.paths);
    const home = house.paths.path;
    const running = await engineOf(house);
    if (running) return { started: false, engine: running, home };
    const log = await engineLogFile(house.paths, house.now());
    const { child, from } = await launch(words, { home, log, env: io.env });
    const engine = await settled(house, child, io);
    if (engine === 'ended') throw await endedAtOnce(log, from);
    if (engine === 'late')
      throw new Fault('unavailable', `process ${child.pid} has not taken up its work within ${startMs / 1000} s`, {
        hint: `see ${log}`,
        log,
      });
    return engine.pid === child.pid ? { started: true, engine, home, log } : { started: false, engine, home };
  });
}

/** For commands that need an engine. Says what it did, or nothing when one ran already; a run starts none, and is told if there is none. */
export async function ensureEngine(io: Io): Promise<string | undefined> {
  if (surroundingRun(io.env, io.cwd)) return undefined;
  const { started, engine, log } = await startInBackground(io, ['--port-optional']);
  return started ? `started the engine in the background: process ${engine.pid}, log ${log}` : undefined;
}

/** Asks the engine to leave and waits until it has. Agents go on; the next engine takes them up. */
export async function stopEngine(io: Io): Promise<RunningEngine | undefined> {
  return withServices(io, async (house) => {
    const engine = await engineOf(house);
    if (!engine) return undefined;
    // Between this look and the signal there is nothing: the number cannot have been given to another.
    if (await isAlive(engine)) signal(engine);
    const until = io.elapsed() + stopMs;
    while (await isAlive(engine)) {
      if (io.elapsed() > until)
        throw new Fault('unavailable', `process ${engine.pid} has not left within ${stopMs / 1000} s`, {
          hint: `it may be busy: try again, or end it with kill -9 ${engine.pid}; nothing is lost by that`,
        });
      await io.pause(everyMs);
    }
    return engine;
  });
}

function signal({ pid }: RunningEngine): void {
  try {
    process.kill(pid, 'SIGTERM');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ESRCH') return;
    throw new Fault('forbidden', `process ${pid} belongs to somebody else: this user may not stop it`, {}, { cause: error });
  }
}

export async function withServices<Value>(io: Io, use: (house: FleetServices) => Promise<Value>): Promise<Value> {
  const house = await openServices(io.env, io.cwd);
  try {
    return await use(house);
  } finally {
    await house.close();
  }
}

interface Launch {
  readonly home: string;
  readonly log: string;
  readonly env: CliEnv;
}

/** A session of its own, in its own home: closing the terminal or deleting the caller's directory does not touch it. */
async function launch(words: readonly string[], { home, log, env }: Launch): Promise<{ child: ChildProcess; from: number }> {
  await using file = await open(log, 'a', PRIVATE_FILE);
  const from = (await file.stat()).size;
  const child = spawn(process.execPath, [...process.execArgv, process.argv[1] ?? '', 'up', '--json', ...words], {
    cwd: home,
    detached: true,
    env: { ...withoutRun(env), FLEET_HOME: home },
    stdio: ['ignore', file.fd, file.fd],
  });
  child.once('error', () => undefined);
  child.unref();
  return { child, from };
}

/** An engine that an agent started is not a part of the agent's run, and must not end with it. */
const withoutRun = (env: CliEnv): CliEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !/^FLEET_(RUN|TASK|ATTEMPT|ARTIFACT)/.test(name)));

async function settled(house: FleetServices, child: ChildProcess, io: Io): Promise<RunningEngine | 'ended' | 'late'> {
  const until = io.elapsed() + startMs;
  while (io.elapsed() < until) {
    // Asked before the lease: one that lost the race has ended, and the winner is seen.
    const hasEnded = child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
    const engine = await engineOf(house);
    if (engine) return engine;
    if (hasEnded) return 'ended';
    await io.pause(everyMs);
  }
  return 'late';
}

async function endedAtOnce(log: string, from: number): Promise<Fault> {
  const said = (await readFile(log).catch(() => Buffer.alloc(0))).subarray(from).toString('utf8').trim();
  const last = said.split('\n').at(-1)?.slice(0, 500) ?? '';
  const why = messageIn(last) ?? last;
  return new Fault('unavailable', `the engine ended as soon as it had begun${why === '' ? '' : `: ${why}`}`, {
    hint: why === '' ? '`fleet up` in this terminal tells why: nothing could be written to its log' : `see ${log}`,
    log,
  });
}

function messageIn(line: string): string | undefined {
  try {
    const { error } = JSON.parse(line) as { error?: { message?: unknown } };
    return typeof error?.message === 'string' ? error.message : undefined;
  } catch {
    return undefined;
  }
}
