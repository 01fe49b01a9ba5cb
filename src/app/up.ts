import { runEngine } from '../engine/engine.ts';
import { closeInherited } from '../platform/descriptors.ts';
import { exists } from '../platform/files.ts';
import { isAlive } from '../platform/process-identity.ts';
import { secretsIn } from '../redact/redactor.ts';
import { readHighWater } from '../store/sqlite/high-water.ts';
import type { CliProgram } from '../surfaces/cli/deps.ts';
import { openGitHelperClient } from '../workspace/git/git-helper-client.ts';
import { engineOf } from './background.ts';
import { crashingGitWork, crashingRunner, crashingStore, crashPoints } from './crash-points.ts';
import { engineDeps, retentionOf, supervisionOf, workOf } from './engine-deps.ts';
import { logLimit } from './engine-log.ts';
import { initHome } from './home.ts';
import { openObserved } from './observe/observe.ts';
import { openTracing } from './observe/trace/open-tracing.ts';
import { type FleetServices, openServices, type ProcessSelf } from './open-services.ts';
import { questionsOf } from './question-pages.ts';
import { openRunner } from './runs.ts';
import { openServer, type Server } from './serve/serve.ts';
import { assertKnownExecutors } from './settings/known-executors.ts';
import type { Flags } from './settings/resolve-settings.ts';
import { assertSound, lookThrough } from './store-condition.ts';

type Io = Parameters<CliProgram['run']>[1];

export interface UpWish {
  /** Its log is JSON Lines. */
  readonly json: boolean;
  /** Whether it listens at a TCP port, besides the socket of its home. */
  readonly tcp: 'needed' | 'if free' | 'none';
  /** Settings from the command line. */
  readonly flags?: Flags;
}

/** Runs server and engine in the foreground until they are told to stop. */
export async function up(io: Io, { json, tcp, flags = {} }: UpWish): Promise<number> {
  // An engine starts others; what its own starter had open is not for them.
  closeInherited();
  const house = await openServices(io.env, io.cwd, flags);
  assertKnownExecutors(house.paths, house.settings.current().items);
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
  try {
    await openHome(house);
    const self = await house.self();
    const home = house.paths.path;
    const limited = logLimit(house.paths);
    const asJson = (event: string, fields: object) => JSON.stringify({ at: house.now(), event, pid: self.pid, ...fields });
    const log = (event: string, fields: Record<string, unknown>) => {
      const line = `${json ? asJson(event, fields) : `${house.now()} ${event} ${JSON.stringify(fields)}`}\n`;
      void io.err(line);
      limited(Buffer.byteLength(line));
    };
    using observed = openObserved(house, log);
    await using tracing = await openTracing(house, io.env, { meters: observed.meters, host: self.host, log });
    // Where another engine runs, runEngine says so; a port that it has taken must not be what is complained about.
    const { signal } = stopping;
    const isTaken = (await engineOf(house)) !== undefined;
    const isLooked = isTaken || (await assertSound(house.paths.database));
    const server = isTaken ? undefined : await openServer(house, { self, log, tcp, observed, env: io.env, signal });
    const onSettings = watchedSettings(house, log, signal);
    const failure = await served(server, async () => {
      let failed: Error | undefined;
      const onHeld = () => {
        observed.holds(true);
        if (!isLooked) lookThrough(house.paths.database, house.condition, (says) => log('store.damaged', { says }));
        tracing?.start();
        announced(server, io, json ? undefined : `home ${home}, process ${self.pid}`).catch((error: Error) => {
          failed = error;
          stop();
        });
      };
      await supervised(house, io.env, { self, log, onHeld, onSettings }, signal).finally(() => observed.holds(false));
      return failed;
    });
    if (failure) throw failure;
    return 0;
  } finally {
    stop();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.removeListener(signal, stop);
    await house.close();
  }
}

/** The database is opened before anything is made or started: one that cannot be used is refused as it was found. */
async function openHome({ paths, call }: FleetServices): Promise<void> {
  if ((await exists(paths.database)) || readHighWater(paths.database)) await call('db.migrate', {});
  await initHome(paths);
  await call('db.migrate', {});
}

type Log = (event: string, fields: Record<string, unknown>) => void;

/** Takes up what is set while it runs, and tells whoever goes by it. */
function watchedSettings({ settings }: FleetServices, log: Log, signal: AbortSignal): (changed: () => void) => void {
  const listeners = new Set<() => void>();
  settings.watch(signal, ({ problem }) => {
    log('settings.changed', problem ? { problem } : {});
    for (const changed of listeners) changed();
  });
  return (changed) => void listeners.add(changed);
}

/** The engine and what it runs agents with, until the signal aborts. */
async function supervised(
  house: FleetServices,
  env: Io['env'],
  own: { readonly self: ProcessSelf; readonly log: Log; onHeld(): void; onSettings(changed: () => void): void },
  signal: AbortSignal,
): Promise<void> {
  const { log } = own;
  const runner = await openRunner({
    paths: house.paths,
    graceMs: () => house.settings.current().values.grace_seconds * 1_000,
    secrets: secretsIn(env),
    log,
  });
  const helper = openGitHelperClient();
  try {
    const { executors } = house;
    const points = crashPoints(env);
    const needs = engineDeps(house, await house.host(), executors);
    const watching = supervisionOf(house, env, { runner: crashingRunner(runner, points), executors });
    const work = workOf(house, env);
    const supervision = {
      ...watching,
      prepare: (...of: Parameters<typeof watching.prepare>) => points.around('prepare', () => watching.prepare(...of)),
    };
    await runEngine(
      {
        ...needs,
        ...own,
        store: crashingStore(needs.store, points),
        alive: isAlive,
        // SQLite is the file of one home.
        isSoleHost: true,
        isHere: (path) => path.startsWith(`${house.paths.path}/`),
        supervision,
        work: { ...work, gitWork: crashingGitWork(work.gitWork, points) },
        retention: retentionOf(house),
        questions: questionsOf(house),
      },
      signal,
    );
  } finally {
    await Promise.all([runner.close(), helper.close()]);
  }
}

async function served<Value>(server: Server | undefined, use: () => Promise<Value>): Promise<Value> {
  try {
    return await use();
  } finally {
    await server?.close();
  }
}

/** From now on others find us. */
async function announced(server: Server | undefined, io: Io, who: string | undefined): Promise<void> {
  await server?.announce();
  const where = server?.url === undefined ? '' : `${server.url}, `;
  if (who !== undefined) await io.err(`fleet is up: ${where}${who}. Ctrl-C stops it; nothing is lost.\n`);
}
