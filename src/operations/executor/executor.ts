import type { ExecutorView } from '../../contract/executor.ts';
import { Fault } from '../../domain/fault.ts';
import { type Handlers, plan, type Scope } from '../scope.ts';

export const executorHandlers: Pick<Handlers, 'executor.list' | 'executor.show'> = {
  'executor.list': async (_input, scope) => plan({ items: await viewsOf(scope) }),

  'executor.show': async ({ executor }, scope) => {
    const views = await viewsOf(scope);
    const found = views.find(({ name }) => name === executor);
    if (!found)
      throw new Fault(
        'not_found',
        `no executor ${JSON.stringify(executor)}: known are ${views.map(({ name }) => name).join(', ')}`,
      );
    return plan(found);
  },
};

/** A model belongs to one executor: the one in the settings is for the default executor alone. */
async function viewsOf({ executors, settings }: Scope): Promise<ExecutorView[]> {
  const { executor, model } = settings.current().values;
  return (await executors.here()).map((seen) => ({
    ...seen,
    isDefault: seen.name === executor,
    ...(seen.name === executor && model !== undefined ? { model } : {}),
  }));
}
