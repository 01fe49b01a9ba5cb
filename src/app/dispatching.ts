import type { Capacity } from '../domain/hold/hold.ts';
import { outranksProject, SETTING_ORIGINS, type SettingOrigin } from '../domain/settings.ts';
import type { EngineDeps } from '../engine/deps.ts';
import type { Dispatching, TaskDefaults } from '../operations/scope.ts';
import type { Store } from '../store/port.ts';
import { allHits } from '../store/queries/every-hit.ts';
import { projectIndex, projects } from '../store/records/projects.ts';
import type { ExecutorRegistry } from './executor-registry.ts';
import type { SettingsSource } from './settings/open-settings.ts';

interface Surroundings {
  readonly diskShort: EngineDeps['diskShort'];
  readonly store: Pick<Store, 'get' | 'scan' | 'limits'>;
  readonly settings: SettingsSource;
}

/** What decides whether work is started here: one truth for the engine that dispatches and for people who ask why not. */
export const dispatchingOf = (
  { store, settings, diskShort }: Surroundings,
  executors: ExecutorRegistry,
): Pick<EngineDeps, 'capacity' | 'startable' | 'diskShort'> & Pick<Dispatching, 'defaults'> => ({
  diskShort,
  capacity: () => capacityOf({ store, settings }),
  defaults: async (projectId, known) => {
    const project = known ?? (projectId === undefined ? undefined : (await projects.get(store, projectId))?.body);
    const { values, items } = settings.current();
    const { executor, model } = values;
    const originOf = (name: string) => items.find((item) => item.name === name)?.origin ?? 'default';
    const outranks = outranksProject(originOf('executor'));
    const said = (name: string): string => SAID_BY[originOf(name)];
    const ofProject = `its project ${project?.name}`;
    // What a project says of model and effort is for its own executor, not for one that outranks it.
    const effort = outranks ? undefined : project?.effort;
    if (project?.executor && !outranks) return { ...chosen(project.executor, ofProject, project.model, ofProject), effort };
    // Nor is a model for an executor that was chosen after it: the file's model is for the file's executor.
    const isItsOwn = SETTING_ORIGINS.indexOf(originOf('model')) >= SETTING_ORIGINS.indexOf(originOf('executor'));
    if (!outranks && project?.model !== undefined)
      return { ...chosen(executor, said('executor'), project.model, ofProject), effort };
    return { ...chosen(executor, said('executor'), isItsOwn ? model : undefined, said('model')), effort };
  },
  startable: async () => {
    const known = await executors.all();
    return ({ executor }) => known.has(executor);
  },
});

const SAID_BY: Readonly<Record<SettingOrigin, string>> = {
  default: "Fleet's own default",
  file: 'the settings of this home',
  environment: 'an environment variable of the fleet',
  flag: 'the command line of the fleet',
};

const chosen = (executor: string, from: string, model: string | undefined, modelFrom: string): TaskDefaults => ({
  executor,
  model,
  from: { executor: from, ...(model === undefined ? {} : { model: modelFrom }) },
});

async function capacityOf({ store, settings }: Omit<Surroundings, 'diskShort'>): Promise<Capacity> {
  const { max_concurrent, limit_executor, limit_account, limit_project } = settings.current().values;
  const known = (await allHits(store, projectIndex.all)).map(projects.read);
  const limited = known.flatMap(({ id, name, maxConcurrent }) => {
    const max = limit_project[name] ?? maxConcurrent;
    return max === undefined ? [] : [[id, max] as const];
  });
  return { fleet: max_concurrent, executor: limit_executor, account: limit_account, project: Object.fromEntries(limited) };
}
