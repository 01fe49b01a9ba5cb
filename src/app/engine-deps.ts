import { accountRefOf } from '../domain/hold/account.ts';
import { LIMITS } from '../domain/limits.ts';
import type { RunId } from '../domain/values.ts';
import type { EngineDeps } from '../engine/deps.ts';
import type { EngineOptions } from '../engine/engine.ts';
import { agentPath } from '../platform/agent-path.ts';
import { systemClock } from '../platform/clock.ts';
import { removeSafely } from '../platform/write-safely.ts';
import { secretsIn } from '../redact/redactor.ts';
import { newestChange } from '../runner/newest-change.ts';
import { entriesAfter } from '../store/records/journal.ts';
import { tasks } from '../store/records/tasks.ts';
import { cleanRows } from './clean-rows.ts';
import { dispatchingOf } from './dispatching.ts';
import type { ExecutorRegistry } from './executor-registry.ts';
import { gitWorkOf } from './git-work.ts';
import type { HostIdentity } from './host-identity.ts';
import { leaksIn } from './leaks.ts';
import { editsIn, eventsFor, notePlaces, notesVersion } from './notes.ts';
import type { FleetServices } from './open-services.ts';
import { jobAsStarted, prepareRun, workDirectory } from './prepare.ts';
import { priceSource } from './prices.ts';
import { lastOutput, readResult } from './result-file.ts';
import { runSecrets } from './run-secrets.ts';
import type { HomeRunner } from './runs.ts';
import { confine } from './sandbox/confine.ts';
import { spoolsOf } from './spools.ts';

type Env = Readonly<Record<string, string | undefined>>;

export const engineDeps = (
  house: FleetServices,
  { id: host, name: hostName, former }: HostIdentity,
  executors: ExecutorRegistry,
): EngineDeps => ({
  store: cleanRows(house.store, house.output.redactor, house.output.clean),
  now: house.now,
  elapsed: systemClock.elapsed,
  ids: house.ids,
  host,
  hostName,
  formerHosts: former,
  ...dispatchingOf({ store: house.store, settings: house.settings, diskShort: house.disk.diskShort }, executors),
  diskFull: house.disk.diskFull,
  edits: async (task) => {
    const { executors: asked, ...edits } = editsIn(notePlaces(house.paths.tasks, task.id), house.output.clean);
    // An executor nobody can start here would be claimed in vain.
    return asked?.[0] !== undefined && (await executors.all()).has(accountRefOf(asked[0]).executor)
      ? { ...edits, executors: asked }
      : edits;
  },
  failover: () => house.settings.current().values.failover,
  roomHere: async () => LIMITS.holders.value,
});

/** What it takes to keep work in repositories apart, to prove it and to land it. */
export function workOf(house: FleetServices, env: Env): NonNullable<EngineOptions['work']> {
  const hidden = runSecrets(house.paths, secretsIn(env));
  const place = async (runId: RunId) => [agentPath(house.paths.runs, runId), await hidden.redactorFor(runId)] as const;
  return {
    gitWork: gitWorkOf(house.paths, env),
    workRules: () => {
      const { values } = house.settings.current();
      return {
        repairs: values.max_repairs,
        gates: values.max_gates,
        gateSeconds: values.gate_seconds,
        setupSeconds: values.setup_seconds,
        keepSeconds: values.keep_seconds,
        pool: values.workspace_pool,
        guarded: values.guarded_paths,
      };
    },
    leaks: leaksIn(hidden, env),
    lastOutput: async (runId, mostBytes) => lastOutput(...(await place(runId)), mostBytes),
    resultFile: async (runId) => readResult(...(await place(runId))),
    dropNotes: (taskId) => removeSafely(notePlaces(house.paths.tasks, taskId).directory),
  };
}

/** How long output is kept, and how much. */
export const retentionOf = ({ paths, settings }: FleetServices): NonNullable<EngineOptions['retention']> => ({
  spools: spoolsOf(paths),
  rules: () => {
    const { output_days, output_mb } = settings.current().values;
    return { days: output_days, bytes: output_mb * MB };
  },
});

const MB = 1_024 * 1_024;

/** What it takes to start agents on this machine and to watch over them. */
export const supervisionOf = (
  house: FleetServices,
  env: Env,
  { runner, executors }: { runner: HomeRunner; executors: ExecutorRegistry },
): NonNullable<EngineOptions['supervision']> => ({
  runner,
  question: house.ids.question,
  executor: (name) => executors.named(name),
  prepare: (run, task, executor) => prepareRun(house, env, { run, task, executor }),
  confine: async (run, task, start) => confine(house, env, { run, task, executor: await executors.named(run.executor), start }),
  job: async (run, task) => jobAsStarted(house, { run, task, executor: await executors.named(run.executor) }),
  changedAt: async (run, task) => newestChange(run.directory ?? (await workDirectory(house, run, task))),
  rules: () => {
    const { stall_seconds, max_output_mb, max_processes, context_percent, sandbox_seconds } = house.settings.current().values;
    return {
      stallMs: stall_seconds * 1_000,
      spoolBytes: max_output_mb * MB,
      processes: max_processes,
      contextPercent: context_percent,
      sandboxSeconds: sandbox_seconds,
    };
  },
  startRules: () => house.settings.current().values,
  price: priceSource(house.paths).price,
  notesVersion: ({ id }) => notesVersion(notePlaces(house.paths.tasks, id)),
  jitter: Math.random,
  runEnded: async ({ taskId }) => {
    const task = await tasks.get(house.store, taskId);
    const entries = task ? await entriesAfter(house.store, taskId, 0, task.body.seq) : [];
    if (task) await runner.lay(eventsFor(notePlaces(house.paths.tasks, taskId), entries));
  },
});
