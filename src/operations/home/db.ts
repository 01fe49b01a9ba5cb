import { Fault } from '../../domain/fault.ts';
import { type Handlers, plan, type Scope } from '../scope.ts';

type Db = 'db.migrate' | 'db.check' | 'db.backup' | 'db.restore' | 'db.accept' | 'db.export' | 'db.prune';

export const dbHandlers: Pick<Handlers, Db> = {
  'db.migrate': async (_input, { upkeep }) => plan(await upkeep.migrate()),
  'db.check': async (_input, { upkeep }) => plan(await upkeep.check()),
  'db.backup': async ({ file }, { upkeep }) => plan(await upkeep.backup(file)),
  'db.restore': async ({ file }, { upkeep, home }) => {
    await assertStopped(home, 'restoring');
    return plan(await upkeep.restore(file));
  },
  'db.accept': async (_input, { upkeep, home }) => {
    await assertStopped(home, 'accepting what is lost');
    return plan(await upkeep.accept());
  },
  'db.export': async ({ file }, { upkeep }) => plan(await upkeep.export(file)),
  'db.prune': async ({ olderThanDays, dryRun }, { upkeep, settings }) =>
    plan({ ...(await upkeep.prune(olderThanDays ?? settings.current().values.retention_days, dryRun)), dryRun }),
};

async function assertStopped(home: Pick<Scope['home'], 'engine'>, doing: string): Promise<void> {
  const engine = await home.engine();
  if (engine)
    throw new Fault(
      'conflict',
      `the engine of this home is running (process ${engine.pid} on ${engine.host}): stop it before ${doing}`,
      { hint: 'fleet up --stop ends it; its agents go on' },
    );
}
