import { Fault, isFault } from '../domain/fault.ts';
import { type Handlers, plan } from './scope.ts';

type Db = 'db.migrate' | 'db.check' | 'db.backup' | 'db.restore' | 'db.export' | 'db.prune';

export const dbHandlers: Pick<Handlers, Db> = {
  'db.migrate': async (_input, { upkeep }) => plan(await upkeep.migrate()),
  'db.check': async (_input, { upkeep }) => plan(await upkeep.check()),
  'db.backup': async ({ file }, { upkeep }) => plan(await upkeep.backup(file)),
  'db.restore': async ({ file }, { upkeep, home }) => {
    // A database that cannot be opened has no engine that could still use it.
    const engine = await home
      .engine()
      .catch((error: unknown) => (isFault(error, 'unavailable') ? undefined : Promise.reject(error)));
    if (engine)
      throw new Fault(
        'conflict',
        `the engine of this home is running (process ${engine.pid} on ${engine.host}): stop it before restoring`,
      );
    return plan(await upkeep.restore(file));
  },
  'db.export': async ({ file }, { upkeep }) => plan(await upkeep.export(file)),
  'db.prune': async ({ olderThanDays, dryRun }, { upkeep, settings }) =>
    plan({ ...(await upkeep.prune(olderThanDays ?? settings.current().values.retention_days, dryRun)), dryRun }),
};
