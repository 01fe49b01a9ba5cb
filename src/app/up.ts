import { Fault } from '../domain/fault.ts';
import type { Capacity } from '../domain/hold/hold.ts';
import { runEngine } from '../engine/engine.ts';
import type { Needs } from '../engine/needs.ts';
import { systemClock } from '../platform/clock.ts';
import { isAlive } from '../platform/process-identity.ts';
import { projectIndex, projects } from '../store/records/projects.ts';
import type { Program } from '../surfaces/cli/surroundings.ts';
import { initHome } from './home.ts';
import { type House, openHouse } from './open-house.ts';

type Io = Parameters<Program['run']>[1];

/** Runs the engine in the foreground until it is told to stop. */
export async function up(args: readonly string[], io: Io): Promise<number> {
  if (args.length > 0) throw new Fault('invalid', `fleet up takes no arguments, got ${args.join(' ')}`);
  const house = await openHouse(io.env, io.cwd);
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
  try {
    await initHome(house.paths);
    const self = await house.self();
    await io.err(`fleet is up: home ${house.paths.path}, process ${self.pid}. Ctrl-C stops it; nothing is lost.\n`);
    const log = (event: string, fields: Record<string, unknown>) =>
      void io.err(`${house.now()} ${event} ${JSON.stringify(fields)}\n`);
    house.settings.watch(stopping.signal, ({ problem }) => log('settings.changed', problem ? { problem } : {}));
    await runEngine({ ...engineNeeds(house, self.host), self, alive: isAlive, log }, stopping.signal);
    stop();
    return 0;
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.removeListener(signal, stop);
    await house.close();
  }
}

export const engineNeeds = (house: House, host: string): Needs => ({
  store: house.store,
  now: house.now,
  elapsed: systemClock.elapsed,
  ids: house.ids,
  host,
  capacity: () => capacityOf(house),
  defaults: async (projectId) => {
    const project = projectId === undefined ? undefined : (await projects.get(house.store, projectId))?.body;
    const { executor, model } = house.settings.current().values;
    if (project?.executor) return { executor: project.executor, model: project.model };
    return { executor, model: project?.model ?? model };
  },
  // Nothing can be started yet: a task is claimed by the people and programs that work on it.
  startable: async () => new Set<string>(),
  roomHere: async () => 0,
});

async function capacityOf({ store, settings }: House): Promise<Capacity> {
  const { max_concurrent, limit_executor, limit_account, limit_project } = settings.current().values;
  const known = (await store.scan({ index: projectIndex.all, limit: store.limits.rowsPerScan })).map(projects.read);
  const limited = known.flatMap(({ id, name, maxConcurrent }) => {
    const max = limit_project[name] ?? maxConcurrent;
    return max === undefined ? [] : [[id, max] as const];
  });
  return { fleet: max_concurrent, executor: limit_executor, account: limit_account, project: Object.fromEntries(limited) };
}
