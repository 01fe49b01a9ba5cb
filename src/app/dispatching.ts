import type { Capacity } from '../domain/hold/hold.ts';
import { ORIGINS, outranksProject } from '../domain/settings.ts';
import type { Needs } from '../engine/needs.ts';
import type { Store } from '../store/port.ts';
import { projectIndex, projects } from '../store/records/projects.ts';
import type { ExecutorShelf } from './executors.ts';
import type { SettingsSource } from './settings/open-settings.ts';

interface Surroundings {
  readonly store: Pick<Store, 'get' | 'scan' | 'limits'>;
  readonly settings: SettingsSource;
}

/** What decides whether work is started here: one truth for the engine that dispatches and for people who ask why not. */
export const dispatchingOf = (
  { store, settings }: Surroundings,
  executors: ExecutorShelf,
): Pick<Needs, 'capacity' | 'defaults' | 'startable'> => ({
  capacity: () => capacityOf({ store, settings }),
  defaults: async (projectId) => {
    const project = projectId === undefined ? undefined : (await projects.get(store, projectId))?.body;
    const { values, items } = settings.current();
    const { executor, model } = values;
    const originOf = (name: string) => items.find((item) => item.name === name)?.origin ?? 'default';
    const outranks = outranksProject(originOf('executor'));
    if (project?.executor && !outranks) return { executor: project.executor, model: project.model };
    // A model belongs to an executor: a project's own is not for the one that outranks the project's.
    // Nor is a model for an executor that was chosen after it: the file's model is for the file's executor.
    const isItsOwn = ORIGINS.indexOf(originOf('model')) >= ORIGINS.indexOf(originOf('executor'));
    return { executor, model: (outranks ? undefined : project?.model) ?? (isItsOwn ? model : undefined) };
  },
  startable: async () => {
    const known = await executors.all();
    return ({ executor }) => known.has(executor);
  },
});

async function capacityOf({ store, settings }: Surroundings): Promise<Capacity> {
  const { max_concurrent, limit_executor, limit_account, limit_project } = settings.current().values;
  const known = (await store.scan({ index: projectIndex.all, limit: store.limits.rowsPerScan })).map(projects.read);
  const limited = known.flatMap(({ id, name, maxConcurrent }) => {
    const max = limit_project[name] ?? maxConcurrent;
    return max === undefined ? [] : [[id, max] as const];
  });
  return { fleet: max_concurrent, executor: limit_executor, account: limit_account, project: Object.fromEntries(limited) };
}
