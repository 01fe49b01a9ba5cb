import { runEngine } from '../engine/engine.ts';
import { isAlive } from '../platform/process-identity.ts';
import { secretsIn } from '../platform/redact.ts';
import type { Program } from '../surfaces/cli/surroundings.ts';
import { crashingRunner, crashingStore, crashingWorkshop, crashPoints } from './crash-points.ts';
import { logLimit } from './engine-log.ts';
import { engineNeeds, retentionOf, supervisionOf, workOf } from './engine-needs.ts';
import { executorShelf } from './executors.ts';
import { initHome } from './home.ts';
import { openHouse } from './open-house.ts';
import { openRunner } from './runs.ts';

type Io = Parameters<Program['run']>[1];

/** Runs the engine in the foreground until it is told to stop. With `json` its log is JSON Lines. */
export async function up(io: Io, { json }: { readonly json: boolean }): Promise<number> {
  const house = await openHouse(io.env, io.cwd);
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
  try {
    await initHome(house.paths);
    const self = await house.self();
    const home = house.paths.path;
    const limited = logLimit(house.paths);
    const asJson = (event: string, fields: object) => JSON.stringify({ at: house.now(), event, pid: self.pid, ...fields });
    const log = (event: string, fields: Record<string, unknown>) => {
      // Only now does it hold the lease.
      if (event === 'engine.started' && !json)
        void io.err(`fleet is up: home ${home}, process ${self.pid}. Ctrl-C stops it; nothing is lost.\n`);
      const line = `${json ? asJson(event, fields) : `${house.now()} ${event} ${JSON.stringify(fields)}`}\n`;
      void io.err(line);
      limited(Buffer.byteLength(line));
    };
    house.settings.watch(stopping.signal, ({ problem }) => log('settings.changed', problem ? { problem } : {}));
    const runner = await openRunner({
      paths: house.paths,
      graceMs: () => house.settings.current().values.grace_seconds * 1_000,
      secrets: secretsIn(io.env),
      log,
    });
    try {
      const executors = executorShelf(house.paths);
      const points = crashPoints(io.env);
      const needs = engineNeeds(house, self.host, executors);
      const watching = supervisionOf(house, io.env, { runner: crashingRunner(runner, points), executors });
      const work = workOf(house, io.env);
      const supervision = {
        ...watching,
        prepare: (...of: Parameters<typeof watching.prepare>) => points.around('prepare', () => watching.prepare(...of)),
      };
      await runEngine(
        {
          ...needs,
          store: crashingStore(needs.store, points),
          self,
          alive: isAlive,
          log,
          supervision,
          work: { ...work, workshop: crashingWorkshop(work.workshop, points) },
          retention: retentionOf(house),
        },
        stopping.signal,
      );
    } finally {
      await runner.close();
    }
    stop();
    return 0;
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.removeListener(signal, stop);
    await house.close();
  }
}
