import { laneOf } from '../../src/domain/task/lane.ts';
import {
  begun,
  created,
  drain,
  effectHouse,
  landed,
  liveRuns,
  nextOf,
  type ProjectInput,
  placed,
  started,
} from './effect-house.ts';
import { answered, type Effect, type Named, provedBy } from './proof.ts';

type Project = Partial<ProjectInput>;
type Proof<Value> = Effect<Value, Project> | Named;

const inArguments = async (project: Project) => (await started({ project })).launch?.args;
const ofRun = async (project: Project) => (await begun({ project })).run.executor;

async function byName(project: Project): Promise<unknown> {
  const house = await effectHouse({ project: { ...project } });
  return answered(house.call('task.create', { project: 'shop', prompt: 'sort' }).then(() => 'made'));
}

async function ofPlainDirectory({ plain = false }: Project): Promise<unknown> {
  const house = await effectHouse({});
  return answered(house.call('project.add', { path: '/plain', name: 'notes', plain }).then(({ kind }) => kind));
}

async function inAnswer(project: Project): Promise<unknown> {
  const house = await effectHouse({ project });
  return (await house.call('project.show', { project: 'shop' })).description;
}

async function runsAtOnce(project: Project): Promise<unknown> {
  const house = await effectHouse({ project });
  for (const title of ['one', 'two', 'three']) await created(house, { task: { title } });
  await drain(house);
  return (await liveRuns(house)).length;
}

const BUDGET = { maxBudgetUsd: 7 };

/** A task of the project that asks for more than it may, and how it stands. */
async function ofTask(project: Project, task: object): Promise<unknown> {
  const house = await effectHouse({ project });
  return answered(
    created(house, { task }).then(({ executors, sandbox, maxBudgetUsd }) => ({ executors, sandbox, maxBudgetUsd })),
  );
}

/** Every field a person can give when a project is added, and what it changes. A new field does not compile without its line. */
export const PROJECT_EFFECTS: { readonly [Field in keyof Required<ProjectInput>]: Proof<ProjectInput[Field]> } = {
  path: { seen: inArguments, values: ['/repo', '/beside'] },
  name: { seen: byName, values: ['shop', 'store'] },
  plain: { seen: ofPlainDirectory, values: [false, true] },
  description: { seen: inAnswer, values: [undefined, 'sells things'] },
  targetBranch: { seen: (project) => placed({ project }), values: [undefined, 'other'] },
  setup: provedBy('test/e2e/landing.test.ts', 'is made ready before an agent starts in it, with files, ports and set-up'),
  setupInput: provedBy(
    'test/e2e/set-up.test.ts',
    'runs again for every change of a file, or of those the project names, and not for others that have landed',
  ),
  verify: { seen: (project) => nextOf({ project }), values: [undefined, 'npm test'] },
  copyFile: provedBy('test/e2e/landing.test.ts', 'is made ready before an agent starts in it, with files, ports and set-up'),
  mcpServers: { seen: async (project) => (await started({ project })).steps, values: [undefined, { docs: { command: 'docs' } }] },
  executor: { seen: ofRun, values: ['claude', 'codex'] },
  model: { seen: inArguments, values: [undefined, 'opus'] },
  effort: { seen: inArguments, values: [undefined, 'max'] },
  integration: { seen: (project) => nextOf({ project }), values: ['review', 'auto'] },
  isolation: { seen: async (project) => laneOf((await begun({ project })).task), values: ['worktree', 'in_place'] },
  push: { seen: (project) => landed({ project }), values: [false, true] },
  maxConcurrent: { seen: runsAtOnce, values: [undefined, 1] },
  allowExecutor: { seen: (project) => ofTask(project, { executor: ['codex'] }), values: [undefined, ['claude']] },
  sandbox: { seen: (project) => ofTask(project, {}), values: [undefined, 'required'] },
  maxBudgetUsd: { seen: (project) => ofTask(project, BUDGET), values: [undefined, 5] },
};
