import { claudeEngine } from '../../src/app/claude-engine.ts';
import { retentionOf, supervisionOf } from '../../src/app/engine-deps.ts';
import { openServices } from '../../src/app/open-services.ts';
import { assertReachable, rulesMemo } from '../../src/app/serve/rules.ts';
import { windowTooFull } from '../../src/domain/run/context.ts';
import type { Settings } from '../../src/domain/settings.ts';
import { failoverIndex } from '../../src/domain/task/failover.ts';
import { laneOf } from '../../src/domain/task/lane.ts';
import { guardedAmong } from '../../src/domain/work/guarded-paths.ts';
import { takeTurn } from '../../src/engine/controller.ts';
import { runGate } from '../../src/engine/work/gate.ts';
import { placeFor } from '../../src/engine/work/place.ts';
import { decide, type ProvisionView, provision } from '../../src/engine/work/provision.ts';
import { sendBack } from '../../src/engine/work/repair.ts';
import { projects } from '../../src/store/records/projects.ts';
import { runIndex, runs } from '../../src/store/records/runs.ts';
import { tasks } from '../../src/store/records/tasks.ts';
import { memoryHouse } from '../support/memory-house.ts';
import { BOUND_EFFECTS } from './bound-effects.ts';
import {
  begun,
  created,
  drain,
  type EffectHouse,
  effectHouse,
  type Given,
  liveRuns,
  nextOf,
  rewrite,
  started,
  stored,
} from './effect-house.ts';
import { answered, type Effect, type Named, provedBy } from './proof.ts';
import { asWhom, inDirectory, inSandbox, ofMachine } from './sandbox-effects.ts';

type Some = Partial<Settings>;
/** Several where one shows that the setting arrives, and the other what it does there. */
type Proof<Value> = Effect<Value, Some> | Named | readonly (Effect<Value, Some> | Named)[];

const inArguments = async (settings: Some) => (await started({ settings })).launch?.args;
const inEnvironment = async (settings: Some) => (await started({ settings })).env;

const runsOf =
  (given: Given, ...executors: string[]) =>
  async (settings: Some) => {
    const house = await effectHouse({ ...given, settings });
    for (const executor of executors) await created(house, { task: { executor: [executor] } });
    await drain(house);
    return (await liveRuns(house)).length;
  };

async function asPart(settings: Some): Promise<unknown> {
  const house = await effectHouse({ settings });
  const { id } = await created(house, {});
  return answered(created(house, { task: { parent: id } }).then(() => 'made'));
}

const elsewhere = async (settings: Some) => {
  const house = await effectHouse({});
  Object.assign(house.settings, settings);
  return answered(house.call('project.add', { path: '/beside' }).then(() => 'added'));
};

async function whenPaused(settings: Some): Promise<unknown> {
  const house = await effectHouse({ settings });
  const { id } = await created(house, { task: { executor: ['claude', 'codex'] } });
  return failoverIndex(await stored(house, id), () => true, house.needs.failover());
}

async function rulesOf(settings: Some) {
  const { wired } = await effectHouse({ settings });
  return supervisionOf(wired, {}, { runner: {} as never, executors: wired.executors }).rules();
}

const withFullWindow = async (settings: Some) =>
  windowTooFull({ context: { tokens: 60, limit: 100 }, openTools: [] } as never, (await rulesOf(settings)).contextPercent);

async function verifying(given: Given): Promise<{ house: EffectHouse; id: string }> {
  const { house, run, task } = await begun(given);
  await rewrite(house, task.id, {
    phase: { state: 'verifying', since: house.now(), holder: { kind: 'run', runId: run.id } },
  });
  return { house, id: task.id };
}

async function afterRedGate(settings: Some): Promise<unknown> {
  const { house, id } = await verifying({ settings });
  const seen = await tasks.get(house.store, id);
  if (seen) await sendBack(seen, { cause: 'proof', what: 'it is red', text: 'mend it' }, house.needs);
  return (await stored(house, id)).phase.state;
}

const IN_PLACE = { project: { verify: 'npm test', isolation: 'in_place' } } as const;

/** The runs of verify commands that were begun for three tasks, each in a place of its own. */
async function gates(settings: Some): Promise<unknown> {
  const house = await effectHouse({ settings });
  for (const n of [1, 2, 3]) {
    const path = `/place${n}`;
    house.places.set(path, { kind: 'repository', path, branch: 'main', hasCommit: true });
    const { id: projectId } = await house.call('project.add', { path, name: `place${n}`, ...IN_PLACE.project });
    const { id } = await created(house, { task: { project: `place${n}` } });
    const seen = await tasks.get(house.store, id);
    const project = (await projects.get(house.store, projectId))?.body;
    if (seen && project) await runGate(seen, {}, project, house.needs);
  }
  const live = (await house.store.scan({ index: runIndex.live('here'), limit: 100 })).map(runs.read);
  return live.filter(({ kind }) => kind === 'gate').map(({ chore }) => chore?.timeoutSeconds);
}

/** The runs of set-up commands that were begun for one task. */
async function setUps(settings: Some): Promise<unknown> {
  const { house, run, task } = await begun({ settings, project: { setup: 'npm ci' } });
  await placeFor(run, task, house.needs);
  const controller = provision(house.needs);
  const begunRuns = async () => (await liveRuns(house)).filter(({ kind }) => kind === 'setup');
  while ((await begunRuns()).length === 0) await takeTurn(controller);
  return (await begunRuns()).map(({ chore }) => chore?.timeoutSeconds);
}

/** What becomes of a workspace nobody needs, beside two that are spare. */
async function spareSpace(settings: Some): Promise<unknown> {
  const { needs } = await effectHouse({ settings });
  const sight = { workspace: { body: { state: 'leaving', use: { kind: 'free' } } }, spare: 2 } as unknown as ProvisionView;
  const action = decide(sight, needs.workRules().pool);
  return action?.type === 'clear' && action.discard;
}

const guarded = async (settings: Some) => {
  const { needs } = await effectHouse({ settings });
  return guardedAmong(['deploy.yml', 'src/a.ts'], needs.workRules().guarded);
};

async function pruned(settings: Some): Promise<unknown> {
  const asked: number[] = [];
  const prune = async (days: number) => {
    asked.push(days);
    return { tasks: 0, requests: 0, blobs: 0 };
  };
  const house = memoryHouse({ upkeep: { prune } });
  Object.assign(house.settings, settings);
  await house.call('db.prune', { dryRun: true });
  return asked;
}

const keptOutput = async (settings: Some) => retentionOf((await effectHouse({ settings })).wired).rules();

const asServer = async (settings: Some) => {
  const values = { ...(await effectHouse({})).settings, ...settings };
  const { hosts, origins, rate, runRate } = rulesMemo()(values, 3847);
  return { hosts: [...hosts], origins: [...origins], rate, runRate };
};

const reachable = async (settings: Some) => {
  const values = { ...(await effectHouse({})).settings, ...settings };
  return answered((async () => assertReachable(values))());
};

const toAnybody = (settings: Some) => reachable({ bind: '0.0.0.0', ...settings });

const madeBy = (settings: Some) =>
  inDirectory(async (path) => {
    const house = await openServices(
      { FLEET_HOME: path, HOME: path, ...(settings.person ? { FLEET_PERSON: settings.person } : {}) },
      path,
    );
    try {
      await house.call('home.init', {});
      return (await house.call('task.create', { prompt: 'sort', directory: path, executor: ['claude'] })).createdBy;
    } finally {
      await house.close();
    }
  });

const startedBy = async (settings: Some) =>
  claudeEngine({
    command: '/nowhere/claude',
    node: '/nowhere/bin/node',
    home: '/nowhere/home',
    settings: { ...memoryHouse().settings, ...settings },
    ours: (name) => name,
  }).kind;

const claudes = ['claude', 'claude', 'claude', 'claude'];

/** Every setting, and what it changes. A new one does not compile without its line. */
export const SETTING_EFFECTS: { readonly [Name in keyof Settings]: Proof<Settings[Name] | undefined> } = {
  max_concurrent: { seen: runsOf({}, ...claudes), values: [undefined, 1] },
  executor: { seen: async (settings) => (await begun({ settings })).run.executor, values: ['claude', 'codex'] },
  model: { seen: inArguments, values: [undefined, 'opus'] },
  claude_engine: { seen: startedBy, values: ['cli', 'sdk'] },
  integration: { seen: (settings) => nextOf({ settings }), values: ['review', 'auto'] },
  isolation: { seen: async (settings) => laneOf((await begun({ settings })).task), values: ['worktree', 'in_place'] },
  env: { seen: inEnvironment, values: ['inherit', 'strict'] },
  env_allow: { seen: (settings) => inEnvironment({ env: 'strict', ...settings }), values: [[], ['MYAPP_*']] },
  sandbox_hosts: { seen: inSandbox, values: [['example.org'], ['*']] },
  sandbox_read: { seen: inSandbox, values: [[], ['~/.cargo']] },
  sandbox_write: { seen: inSandbox, values: [[], ['~/.cargo']] },
  sandbox_user: { seen: asWhom, values: ['nobody', 'daemon'] },
  sandbox_as_root: { seen: asWhom, values: [false, true] },
  sandbox_tmp_mb: { seen: inSandbox, values: [1, 64] },
  sandbox_memory_mb: [
    { seen: ofMachine, values: [undefined, 64] },
    provedBy('test/attacks/take-the-machine.test.ts', 'is ended when it takes more memory than it may [RUN-16] [T13]'),
  ],
  sandbox_disk_mb: [
    { seen: ofMachine, values: [64, 65] },
    provedBy(
      'test/attacks/take-the-machine.test.ts',
      'is ended when it fills the disk, also by what du does not see [RUN-16] [T13]',
    ),
  ],
  sandbox_cpus: [
    { seen: ofMachine, values: [undefined, 2] },
    provedBy('src/sandbox/cgroup-limits.test.ts', 'writes every limit before anything is in it [RUN-16] [T13]'),
  ],
  sandbox_seconds: [
    { seen: rulesOf, values: [undefined, 60] },
    provedBy(
      'src/engine/supervise/decide.test.ts',
      'is to end one in a sandbox after a time also where nobody has set one [RUN-16]',
    ),
  ],
  ...BOUND_EFFECTS,
  max_attempts: { seen: async (settings) => (await begun({ settings })).task.maxAttempts, values: [1, 2] },
  max_depth: { seen: asPart, values: [undefined, 0] },
  part_executors: provedBy('src/operations/task/part.test.ts', 'keeps to what the owner of the fleet allows'),
  allowed_repos: { seen: elsewhere, values: [[], ['/repo']] },
  limit_executor: { seen: runsOf({}, 'codex', 'codex'), values: [{}, { codex: 1 }] },
  limit_account: { seen: runsOf({}, 'codex', 'codex'), values: [{}, { 'codex/default': 1 }] },
  limit_project: { seen: runsOf({}, 'codex', 'codex'), values: [{}, { shop: 1 }] },
  failover: { seen: whenPaused, values: ['off', 'next'] },
  stall_seconds: [
    { seen: rulesOf, values: [undefined, 7] },
    provedBy(
      'test/e2e/faults-hung.test.ts',
      'are stalled only without any sign of life, tried again, and failed with the reason [R27]',
    ),
  ],
  context_percent: { seen: withFullWindow, values: [undefined, 50] },
  grace_seconds: provedBy('src/runner/terminate-tree.test.ts', 'kills an agent that ignores TERM, after its grace'),
  max_repairs: { seen: afterRedGate, values: [undefined, 0] },
  max_gates: { seen: gates, values: [undefined, 1] },
  gate_seconds: { seen: gates, values: [undefined, 60] },
  setup_seconds: { seen: setUps, values: [undefined, 60] },
  keep_seconds: provedBy('src/engine/work/save-work.test.ts', 'is given up when all its tries together took too long'),
  workspace_pool: { seen: spareSpace, values: [2, 3] },
  guarded_paths: { seen: guarded, values: [[], ['deploy.yml']] },
  max_output_mb: [
    { seen: rulesOf, values: [undefined, 7] },
    provedBy(
      'test/e2e/faults-flood.test.ts',
      'ends as output_limit, keeps what the cap allows, and holds up nobody [R25] [RUN-12]',
    ),
  ],
  max_processes: [
    { seen: rulesOf, values: [undefined, 7] },
    provedBy(
      'test/e2e/faults-crowd.test.ts',
      'is ended whole and says why; its siblings, and who has many children by right, notice nothing [R22]',
    ),
  ],
  disk_reserve_mb: [
    { seen: runsOf({}, 'codex'), values: [undefined, 4_096] },
    provedBy(
      'test/e2e/disk-reserve.test.ts',
      'starts nothing new, tells everybody, and goes on by itself when there is room again [R18]',
    ),
  ],
  retention_days: { seen: pruned, values: [undefined, 7] },
  output_days: [
    { seen: keptOutput, values: [undefined, 7] },
    provedBy('test/retention.test.ts', 'is removed by age, but never that of a live run or of a task that may go on [R44]'),
  ],
  output_mb: [
    { seen: keptOutput, values: [undefined, 7] },
    provedBy('test/retention.test.ts', 'is removed by size, oldest first, until the rest fits: over many run directories [R44]'),
  ],
  port: provedBy('test/e2e/server.test.ts', 'does not start where its port is taken, and says what to do'),
  bind: { seen: reachable, values: ['127.0.0.1', '0.0.0.0'] },
  allowed_hosts: { seen: asServer, values: [[], ['fleet.example.org']] },
  allowed_origins: { seen: asServer, values: [[], ['https://board.example.org']] },
  behind_proxy: { seen: toAnybody, values: [false, true] },
  tls_cert: { seen: (settings) => toAnybody({ tls_key: '/key.pem', ...settings }), values: [undefined, '/cert.pem'] },
  tls_key: { seen: (settings) => toAnybody({ tls_cert: '/cert.pem', ...settings }), values: [undefined, '/key.pem'] },
  rate_limit: { seen: asServer, values: [undefined, 7] },
  run_rate_limit: { seen: asServer, values: [undefined, 7] },
  person: { seen: madeBy, values: [undefined, 'ann'] },
};
