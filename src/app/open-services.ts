import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Call } from '../contract/call.ts';
import { type Caller, OWNER_ID } from '../domain/authority.ts';
import { SCRIPTED_EXECUTOR } from '../domain/executors.ts';
import { Fault } from '../domain/fault.ts';
import { accountRefOf } from '../domain/hold/account.ts';
import { CONTEXT_MODE, INSTALL_CONTEXT_MODE } from '../domain/project/mcp-servers.ts';
import { type HostId, instantOf } from '../domain/values.ts';
import { type CallDeps, makeCall } from '../operations/call.ts';
import type { RunOutput } from '../operations/scope.ts';
import { pathForArguments } from '../platform/agent-path.ts';
import { findProgram } from '../platform/ask-version.ts';
import { systemClock } from '../platform/clock.ts';
import { identityOf } from '../platform/process-identity.ts';
import { secretsIn } from '../redact/redactor.ts';
import { openFileRunLog } from '../runlog/file-run-log.ts';
import { STORE_LIMITS } from '../store/assert-writes.ts';
import { openSqliteStore } from '../store/sqlite/open.ts';
import { inspect, realPath } from '../workspace/inspect.ts';
import { repositoryAround, repositoryBelow } from '../workspace/repository-around.ts';
import { usablePlaces } from '../workspace/usable-places.ts';
import { accountsOf } from './accounts.ts';
import { signingSecret } from './auth/secret.ts';
import { signerOf, type TextSigner } from './auth/signer.ts';
import { commitChangesOf } from './commit-changes.ts';
import { assertNoRun } from './connect/surrounding-run.ts';
import { diskRoom } from './disk-room.ts';
import { dispatchingOf } from './dispatching.ts';
import { engineHere } from './engine-here.ts';
import { type ExecutorRegistry, executorRegistry } from './executor-registry.ts';
import { executorsHere } from './executor-views.ts';
import { gitPortOf } from './git-port.ts';
import { type HomePaths, homePaths, initHome } from './home.ts';
import { assertKnownFormat } from './home-format.ts';
import { hostIdentity } from './host-identity.ts';
import { interactiveStarts } from './interactive.ts';
import { lazyStore } from './lazy-store.ts';
import { makeIds } from './make-ids.ts';
import { keepNotes } from './note-keeper.ts';
import { notePlaces } from './notes.ts';
import { Commits } from './observe/commits.ts';
import { outputOf } from './output.ts';
import { readiness } from './readiness.ts';
import { eventsOf } from './run-events.ts';
import { factsOf } from './run-facts.ts';
import { cleaners, runSecrets } from './run-secrets.ts';
import { inSandbox } from './sandbox/executors-in-sandbox.ts';
import { sandboxLook } from './sandbox/sandbox-look.ts';
import type { FleetServices, ProcessSelf } from './services.ts';
import { settingsFor } from './settings/caller-settings.ts';
import { executorNames, judgeExecutors } from './settings/known-executors.ts';
import { openSettings } from './settings/open-settings.ts';
import type { Flags } from './settings/resolve-settings.ts';
import { StoreCondition } from './store-condition.ts';
import { upkeepOf } from './upkeep.ts';
import { versionAsker } from './version-asker.ts';

type Env = Readonly<Record<string, string | undefined>>;

export type { FleetServices, ProcessSelf } from './services.ts';

export async function openServices(env: Env, cwd: string, flags: Flags = {}): Promise<FleetServices> {
  const paths = ownedPaths(env, cwd);
  const settings = await openSettings({ home: paths.path, env, flags, judge: judgeExecutors(paths) });
  const commits = new Commits();
  const now = () => instantOf(systemClock.now());
  const condition = new StoreCondition(now);
  const store = lazyStore(STORE_LIMITS, async () =>
    commits.heard(condition.watched(await openSqliteStore({ file: paths.database }))),
  );
  const disk = diskRoom({ paths, reserveMb: () => settings.current().values.disk_reserve_mb, elapsed: systemClock.elapsed, now });
  const onNews = commitChangesOf(store, commits);
  const texts = openFileRunLog({ blobs: paths.blobs, streams: paths.runs });
  const ids = makeIds();
  const [host, self] = identities(paths);
  const secret = onDemand(async () => {
    await initHome(paths);
    return signerOf(await signingSecret(paths.secret, env));
  });
  const executors = executorRegistry(paths, env, { settings: () => settings.current().values });
  const hidden = runSecrets(paths, secretsIn(env));
  const { read } = outputOf(paths.runs, hidden);
  const events = eventsOf({
    read,
    executor: executors.named,
    job: async (run, executor) => (await import('./prepare.ts')).pastJob(house, run, executor),
  });
  const output: RunOutput = { read, events, facts: factsOf(paths.runs, hidden), ...cleaners(hidden) };
  const parts = { env, cwd, paths, settings, store, condition, disk, texts, now, ids, secret, output, executors, host, self };
  const surroundings = surroundingsOf(parts);
  const callAs = callsAs(surroundings);
  const callWith: FleetServices['callWith'] = (given) =>
    callAs({ id: OWNER_ID, name: settings.current().values.person, role: 'admin' }, given);
  const call = callWith();
  const notes = keepNotes(commits, paths.tasks);
  const house: FleetServices = {
    call,
    callWith,
    callAs,
    signer: secret,
    store,
    condition,
    disk,
    commits,
    onNews,
    output,
    executors,
    settings,
    texts,
    paths,
    ids,
    now,
    self,
    host,
    close: () => {
      notes.close();
      return store.close();
    },
  };
  return house;
}

/** Looked up when somebody asks: whoever only reads makes no home. */
function identities(paths: HomePaths): [FleetServices['host'], FleetServices['self']] {
  const host = onDemand(() => hostIdentity(paths.path));
  return [host, onDemand(async () => selfOf((await host()).id))];
}

/** Where the home is, if this process may open it and knows how it lies. */
function ownedPaths(env: Env, cwd: string): HomePaths {
  const paths = homePaths(env, cwd);
  assertNoRun(env, cwd);
  assertBackend(env);
  assertKnownFormat(paths.format);
  return paths;
}

/** Whoever asks often is the same object each time, and its call is made once. */
function callsAs(surroundings: CallDeps): FleetServices['callAs'] {
  const calls = new WeakMap<Caller, Call>();
  return (caller, given) => {
    if (given) return makeCall({ ...surroundings, settings: settingsFor(surroundings.settings, given) }, caller);
    const call = calls.get(caller) ?? makeCall(surroundings, caller);
    calls.set(caller, call);
    return call;
  };
}

interface Parts
  extends Pick<
    FleetServices,
    'paths' | 'settings' | 'condition' | 'disk' | 'texts' | 'now' | 'ids' | 'output' | 'executors' | 'host' | 'self'
  > {
  readonly store: ReturnType<typeof lazyStore>;
  readonly env: Env;
  readonly cwd: string;
  secret(): Promise<TextSigner>;
}

function placesPort(from: (path: string) => string, env: Env): CallDeps['places'] {
  const usable = usablePlaces(env);
  return {
    inspect: (path) => inspect(from(path), env),
    repositoryAround,
    repositoryBelow,
    usable: (path) => usable(from(path)),
    real: (path) => realPath(from(path)),
  };
}

/** Everything that operations may touch, wired to what there is. Paths are meant from where the process was started. */
function surroundingsOf({
  env,
  cwd,
  paths,
  settings,
  store,
  condition,
  disk,
  texts,
  now,
  ids,
  secret,
  output,
  executors,
  host,
  self,
}: Parts): CallDeps {
  const from = (path: string) => resolve(cwd, path);
  const upkeep = upkeepOf({ paths, texts, store, now });
  return {
    store,
    texts,
    now,
    ids,
    settings: {
      current: () => settings.current(),
      set: async (assignments) => {
        await initHome(paths);
        await settings.set(assignments);
      },
    },
    upkeep: {
      ...upkeep,
      backup: (target) => upkeep.backup(target === undefined ? undefined : from(target)),
      restore: (source) => upkeep.restore(from(source)),
      export: (target) => upkeep.export(from(target)),
    },
    places: placesPort(from, env),
    executors: executorsPort(executors, { env, paths, settings }),
    dispatching: dispatchingOf({ store, settings, diskShort: disk.diskShort }, executors),
    output,
    work: gitPortOf(paths, env),
    home: {
      path: paths.path,
      host: async () => (await host()).id,
      notesOf: (taskId) => pathForArguments(notePlaces(paths.tasks, taskId).artifacts),
      init: () => initHome(paths),
      problem: () => condition.current()?.says,
      pid: process.pid,
      engine: () => engineSeen({ store, now, paths, self, host }),
    },
    signer: {
      sign: async (token) => (await secret()).sign(token),
      codeOf: async (link) => (await secret()).codeOf(link),
    },
  };
}

/** What is known of executors here; each program is asked for its version once, whoever wants to know. */
function executorsPort(
  executors: ExecutorRegistry,
  { env, paths, settings }: Pick<Parts, 'env' | 'paths' | 'settings'>,
): CallDeps['executors'] {
  const ask = versionAsker(env);
  return {
    names: async () => executorNames(paths).filter((name) => name !== SCRIPTED_EXECUTOR || settings.current().values.scripted),
    accounts: async (executor) => accountsOf(paths, executor),
    here: inSandbox(executorsHere(executors, env, paths, ask), {
      shelf: executors,
      env,
      paths,
      settings: () => settings.current().values,
    }),
    unready: readiness({ shelf: executors, env, paths, ask }),
    sandboxProblem: sandboxLook(env, () => settings.current().values),
    takesServers: async (ref) => (await executors.named(accountRefOf(ref).executor))?.can.mcp ?? true,
    contextModeProblem: async () =>
      (await findProgram(CONTEXT_MODE, env)) === undefined
        ? `${CONTEXT_MODE} is not installed here; try: ${INSTALL_CONTEXT_MODE}`
        : undefined,
    interactive: interactiveStarts(executors),
  };
}

async function engineSeen(house: Parameters<typeof engineHere>[0]) {
  const { database, live } = house.paths;
  // Whoever only looks makes no database.
  if (![database, live].some((file) => existsSync(file))) return undefined;
  const engine = await engineHere(house);
  return engine && { host: (await house.host()).name, pid: engine.pid, since: engine.since };
}

/** Made when it is first needed, and once. */
function onDemand<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const BACKENDS = ['sqlite'];

function assertBackend(env: Env): void {
  const asked = env['STORAGE_BACKEND'];
  if (asked !== undefined && !BACKENDS.includes(asked))
    throw new Fault('invalid', `STORAGE_BACKEND is ${JSON.stringify(asked)}: known are ${BACKENDS.join(', ')}`);
}

async function selfOf(host: HostId): Promise<ProcessSelf> {
  const identity = await identityOf(process.pid);
  if (!identity) throw new Error('this process cannot be identified');
  return { host, ...identity };
}
