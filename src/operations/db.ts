import { Fault } from '../domain/fault.ts';
import { type Handlers, plan } from './scope.ts';

type Db = 'db.migrate' | 'db.check' | 'db.backup' | 'db.restore' | 'db.export' | 'db.prune';

export const dbHandlers: Pick<Handlers, Db> = {
  'db.migrate': async (_input, { upkeep }) => plan(await upkeep.migrate()),
  'db.check': async (_input, { upkeep }) => plan(await upkeep.check()),
  'db.backup': async ({ file }, { upkeep }) => plan(await upkeep.backup(file)),
  'db.restore': async ({ file }, { upkeep, home }) => {
    const engine = await home.engine();
    if (engine)
      throw new Fault(
        'conflict',
        `the engine of this home is running (process ${engine.pid} on ${engine.host}): stop it before restoring`,
        { hint: 'fleet up --stop ends it; its agents go on' },
      );
    return plan(await upkeep.restore(file));
  },
  'db.export': async ({ file }, { upkeep }) => plan(await upkeep.export(file)),
  'db.prune': async ({ olderThanDays, dryRun }, { upkeep, settings }) =>
    plan({ ...(await upkeep.prune(olderThanDays ?? settings.current().values.retention_days, dryRun)), dryRun }),
};
