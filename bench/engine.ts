/** A house whose agents are small programs, and an engine of its own to run them. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { engineDeps, supervisionOf } from '../src/app/engine-deps.ts';
import { executorRegistry } from '../src/app/executor-registry.ts';
import type { FleetServices } from '../src/app/open-services.ts';
import { openRunner } from '../src/app/runs.ts';
import type { Run } from '../src/domain/run/run.ts';
import { instantOf, msOf } from '../src/domain/values.ts';
import { runEngine } from '../src/engine/engine.ts';
import { isAlive } from '../src/platform/process-identity.ts';
import { secretsIn } from '../src/redact/redactor.ts';
import type { Store } from '../src/store/port.ts';
import { runIndex, runs } from '../src/store/records/runs.ts';
import { rateOf } from './measure.ts';
import { queuedTask } from './queue.ts';
import { temporaryHouse } from './temporary-home.ts';

/** Programs as agents. A silent one ends by itself some time after the benchmark, whatever becomes of that. */
export const AGENTS = {
  /** Says ten times a second what time it is, and as much again as agents usually say. */
  busy: [
    process.execPath,
    '-e',
    `let n = 0;
const says = setInterval(() => {
  console.log(JSON.stringify({ at: performance.timeOrigin + performance.now(), text: 'x'.repeat(300) }));
  if ((n += 1) === 1_500) clearInterval(says);
}, 100);`,
  ],
  clock: ['/bin/date', '+%s%N'],
  noop: ['/bin/echo', 'done'],
  silent: ['/bin/sleep', '600'],
} as const satisfies Record<string, readonly [string, ...string[]]>;

export type Agent = keyof typeof AGENTS;

export interface Ground extends AsyncDisposable {
  readonly house: FleetServices;
  /** Puts as many tasks into the queue, each in a directory of its own. */
  queue(agent: Agent, count: number): Promise<void>;
}

type Runner = Awaited<ReturnType<typeof openRunner>>;

/** As `fleet up` opens it, but for its patience. */
export const runnerOf = ({ paths }: FleetServices): Promise<Runner> =>
  openRunner({ paths, graceMs: () => 0, secrets: secretsIn(process.env), log: () => {} });

/** Every process started for the house is ended before the house is removed. */
export async function ground(env: Readonly<Record<string, string>> = {}): Promise<Ground> {
  const made = await temporaryHouse({ FLEET_MAX_ATTEMPTS: '1', ...env });
  const { house } = made;
  for (const [name, command] of Object.entries(AGENTS))
    await writeFile(join(house.paths.executors, `${name}.toml`), `command = ${JSON.stringify(command)}\noutput = "text"\n`);
  let places = 0;
  const dispose = endedInAnyCase(async () => {
    const runner = await runnerOf(house);
    await Promise.all((await liveRuns(house)).map(({ id }) => runner.end(id)));
    await runner.close();
    await made[Symbol.asyncDispose]();
  });
  return {
    house,
    queue: async (agent, count) => {
      const directories = Array.from({ length: count }, () => join(house.paths.path, 'places', String((places += 1))));
      await Promise.all(directories.map((directory) => mkdir(directory, { recursive: true })));
      const first = msOf(house.now()) - count;
      const queued = directories.map((directory, n) =>
        queuedTask(house, { directory, executors: [agent] }, instantOf(first + n)),
      );
      const perCommit = house.store.limits.writesPerCommit / 2;
      const batches = Array.from({ length: Math.ceil(count / perCommit) }, (_, n) => n * perCommit);
      await rateOf(batches, 8, (from) => house.store.commit(queued.slice(from, from + perCommit).flat()));
    },
    [Symbol.asyncDispose]: dispose,
  };
}

const underWay = new Set<() => Promise<void>>();

/** Done once: at the end of its block, or, newest first, when the benchmark is told to stop. */
function endedInAnyCase(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  const end = (): Promise<void> => {
    underWay.delete(end);
    done ??= work();
    return done;
  };
  underWay.add(end);
  return end;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void endAll().finally(() => process.exit(1)));

async function endAll(): Promise<void> {
  for (const end of [...underWay].toReversed()) await end();
}

export async function liveRuns(house: FleetServices): Promise<readonly Run[]> {
  const { host } = await house.self();
  return (await house.store.scan({ index: runIndex.live(host), limit: house.store.limits.rowsPerScan })).map(runs.read);
}

export interface Engine extends AsyncDisposable {
  readonly runner: Runner;
  /** Resolves when, from now on, as many runs have come to this state; with the moment of the last such commit. */
  reached(state: Run['phase']['state'], count: number): Promise<{ readonly run: Run; readonly at: number }>;
}

/** The engine as `fleet up` runs it, in this process. */
export async function engineOn(house: FleetServices): Promise<Engine> {
  const self = await house.self();
  const runner = await runnerOf(house);
  const executors = executorRegistry(house.paths, process.env, { settings: () => house.settings.current().values });
  const watchers = new Set<(run: Run, at: number) => void>();
  const store = observed(house.store, (run, at) => {
    for (const watcher of watchers) watcher(run, at);
  });
  const stopping = new AbortController();
  const running = runEngine(
    {
      ...engineDeps(house, await house.host(), executors),
      store,
      self,
      alive: isAlive,
      log: (event, fields) => {
        if (/failed|lost/.test(event)) process.stderr.write(`${event} ${JSON.stringify(fields)}\n`);
      },
      supervision: supervisionOf(house, process.env, { runner, executors }),
    },
    stopping.signal,
  );
  return {
    runner,
    reached: (state, count) => {
      const { promise, resolve, reject } = deferred<{ run: Run; at: number }>();
      let left = count;
      const watcher = (run: Run, at: number) => {
        if (run.phase.state !== state || left === 0) return;
        left -= 1;
        if (left === 0) resolve({ run, at });
      };
      watchers.add(watcher);
      running.then(() => reject(new Error('the engine stopped')), reject);
      return promise.finally(() => watchers.delete(watcher));
    },
    [Symbol.asyncDispose]: endedInAnyCase(async () => {
      stopping.abort();
      try {
        await running;
      } finally {
        await runner.close();
      }
    }),
  };
}

function deferred<Value>() {
  const settle: { resolve?: (value: Value) => void; reject?: (why: unknown) => void } = {};
  const promise = new Promise<Value>((resolve, reject) => Object.assign(settle, { resolve, reject }));
  return { promise, resolve: (value: Value) => settle.resolve?.(value), reject: (why: unknown) => settle.reject?.(why) };
}

/** Tells of every run a commit has written, once it is committed. */
const observed = (store: Store, onRun: (run: Run, at: number) => void): Store => ({
  limits: store.limits,
  get: (key) => store.get(key),
  scan: (query) => store.scan(query),
  count: (query) => store.count(query),
  commit: async (writes, options) => {
    const version = await store.commit(writes, options);
    const at = wallMs();
    for (const write of writes) if (write.op === 'put' && write.key.kind === 'run') onRun(write.body as Run, at);
    return version;
  },
  watch: (signal, options) => store.watch(signal, options),
  close: () => store.close(),
});

/** The time of day in milliseconds, with fractions. */
export const wallMs = (): number => performance.timeOrigin + performance.now();
