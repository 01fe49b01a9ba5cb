import { overBudget } from '../../src/domain/run/budget.ts';
import { failoverIndex } from '../../src/domain/task/failover.ts';
import { laneOf } from '../../src/domain/task/lane.ts';
import { settle } from '../../src/engine/settle.ts';
import {
  begun,
  COMMITS,
  created,
  effectHouse,
  landed,
  nextOf,
  placed,
  rewrite,
  started,
  stored,
  type TaskInput,
} from './effect-house.ts';
import { answered, type Effect, type Named, provedBy } from './proof.ts';

type Task = Partial<TaskInput>;
type Proof<Value> = Effect<Value, Task> | Named;

const inPrompt = async (task: Task) => (await started({ task })).job.prompt;
const inArguments = async (task: Task) => (await started({ task })).launch?.args;
const inEnvironment = async (task: Task) => (await started({ task })).env;
const ofRun = async (task: Task) => (await begun({ task })).run.executor;
const inPlace = (task: Task) => placed({ task });
const inLane = async (task: Task) => laneOf((await begun({ task })).task);
const afterwards = (task: Task) => nextOf({ task });
const withoutChange = (task: Task) => nextOf({ task }, 0);

async function inPhase(task: Task): Promise<unknown> {
  const house = await effectHouse({});
  await created(house, { task: { draft: true, title: 'first' } });
  return (await created(house, { task })).phase.state;
}

/** Beside one of middle priority that came first. */
async function inQueue(task: Task): Promise<unknown> {
  const house = await effectHouse({});
  await created(house, { task: { title: 'other', directory: '/plain', executor: ['scripted'] } });
  await created(house, { task: { title: 'this', directory: '/plain', executor: ['scripted'], ...task } });
  return (await house.call('task.ready', { limit: 10 })).items.map(({ title }) => title);
}

const listed = (filter: object) => async (task: Task) => {
  const house = await effectHouse({});
  await created(house, { task });
  return (await house.call('task.list', { ...filter })).items.length;
};

/** Whether a worker who did not make it may see it. */
async function forBob(task: Task): Promise<unknown> {
  const house = await effectHouse({});
  const { id } = await created(house, { task });
  return answered(
    house
      .as('bob', 'worker')('task.show', { id })
      .then(() => 'seen'),
  );
}

async function afterCrash(task: Task): Promise<unknown> {
  const { house, run } = await begun({ task });
  await settle(run.id, { outcome: 'crashed', retryInMs: 1_000 }, house.needs);
  return (await stored(house, run.taskId)).phase.state;
}

const DEPENDENCY = { title: 'first' };

/** Behind a task whose work is finished and has not landed. */
const behindUnlanded = (task: Task) =>
  placed({}, async (house) => {
    const { id } = await created(house, { task: DEPENDENCY });
    const work = { branch: 'its', target: 'main', base: COMMITS.main, tip: COMMITS.tip };
    await rewrite(house, id, { phase: { state: 'done', at: house.now() }, work });
    return { task: { after: [id], ...task } };
  });

async function asPart(task: Task): Promise<unknown> {
  const house = await effectHouse({});
  const { id } = await created(house, { task: DEPENDENCY });
  await created(house, { task: task.parent === undefined ? {} : { parent: id } });
  return (await house.call('task.show', { id })).children;
}

async function waiting(task: Task): Promise<unknown> {
  const house = await effectHouse({});
  const { id } = await created(house, { task: DEPENDENCY });
  return (await created(house, { task: task.after?.length ? { after: [id] } : {} })).phase.state;
}

async function inAnswer(task: Task): Promise<unknown> {
  const house = await effectHouse({});
  const { id } = await created(house, { task });
  return (await house.call('task.show', { id })).metadata;
}

async function whenPaused(task: Task): Promise<unknown> {
  const house = await effectHouse({});
  const { id } = await created(house, { task: { executor: ['claude', 'codex'], ...task } });
  return failoverIndex(await stored(house, id), () => true, 'off');
}

async function afterTokens(task: Task): Promise<unknown> {
  const usage = { inputTokens: 900, outputTokens: 200, cachedTokens: 0, costUsd: 1, unpriced: 0 };
  return overBudget({ ...(await begun({ task })).task, usage: usage as never }, undefined);
}

async function inWhichProject(task: Task): Promise<unknown> {
  const house = await effectHouse({});
  await house.call('project.add', { path: '/beside', name: 'beside' });
  const { id } = await house.call('task.create', { prompt: 'sort', ...task });
  return (await stored(house, id)).projectId;
}

/** Every field a person can give when a task is made, and what it changes. A new field does not compile without its line. */
export const TASK_EFFECTS: { readonly [Field in keyof Required<TaskInput>]: Proof<TaskInput[Field]> } = {
  title: { seen: inPrompt, values: ['Sort', 'Count'] },
  prompt: { seen: inPrompt, values: ['sort the list', 'count the list'] },
  acceptance: { seen: inPrompt, values: [undefined, 'the tests are green'] },
  baseRef: { seen: inPlace, values: [undefined, 'other'] },
  targetBranch: { seen: inPlace, values: [undefined, 'other'] },
  priority: { seen: inQueue, values: [5, 0] },
  tag: { seen: listed({ tag: 'urgent' }), values: [undefined, ['urgent']] },
  kind: { seen: inArguments, values: ['implement', 'review'] },
  expectsChanges: { seen: withoutChange, values: [true, false] },
  executor: { seen: ofRun, values: [undefined, ['codex']] },
  failover: { seen: whenPaused, values: ['off', 'next'] },
  model: { seen: inArguments, values: [undefined, 'opus'] },
  effort: { seen: inArguments, values: [undefined, 'max'] },
  preset: { seen: inArguments, values: [undefined, 'explore'] },
  tool: { seen: inArguments, values: [undefined, ['Read']] },
  systemPrompt: { seen: inArguments, values: [undefined, 'be brief'] },
  extraArg: { seen: inArguments, values: [undefined, ['--debug']] },
  contextMode: provedBy(
    'test/e2e/project-servers.test.ts',
    'have context mode among them where it is asked for and installed [AUTO-08]',
  ),
  sandbox: { seen: inEnvironment, values: [undefined, true] },
  maxTurns: { seen: inArguments, values: [undefined, 3] },
  maxBudgetUsd: { seen: inArguments, values: [undefined, 2.5] },
  maxTokens: { seen: afterTokens, values: [undefined, 1_000] },
  timeoutSeconds: provedBy('test/e2e/agents.test.ts', 'are ended when they take longer than they may [RUN-07]'),
  maxAttempts: { seen: afterCrash, values: [1, 2] },
  integration: { seen: afterwards, values: ['review', 'auto'] },
  isolation: { seen: inLane, values: ['worktree', 'in_place'] },
  strategy: { seen: behindUnlanded, values: ['inherit', 'new'] },
  push: { seen: (task) => landed({ task }), values: [false, true] },
  assignee: { seen: forBob, values: ['ann', 'bob'] },
  team: { seen: listed({ team: 'red' }), values: [undefined, 'red'] },
  after: { seen: waiting, values: [[], ['the first one']] },
  notBefore: { seen: inPhase, values: [undefined, '2031-01-01T00:00:00.000Z'] },
  metadata: { seen: inAnswer, values: [{}, { ticket: 7 }] },
  project: { seen: inWhichProject, values: ['shop', 'beside'] },
  directory: { seen: inLane, values: [undefined, '/plain'] },
  parent: { seen: asPart, values: [undefined, 'the first one'] },
  draft: { seen: inPhase, values: [false, true] },
};
