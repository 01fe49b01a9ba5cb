import { resolve } from 'node:path';
import type { Call } from '../contract/call.ts';
import type { Caller } from '../domain/authority.ts';
import { BUILT_IN_EXECUTORS } from '../domain/executors.ts';
import { Fault } from '../domain/fault.ts';
import {
  type ClaimId,
  type Instant,
  instantOf,
  type LinkId,
  msOf,
  type ProjectId,
  type QuestionId,
  type RunId,
  type TaskId,
  type TokenId,
} from '../domain/values.ts';
import { leaseHolder } from '../engine/lease.ts';
import { type CallSurroundings, makeCall } from '../operations/call.ts';
import type { Output } from '../operations/scope.ts';
import { systemClock } from '../platform/clock.ts';
import { makeUlids } from '../platform/ids.ts';
import { hostName, identityOf, isAlive } from '../platform/process-identity.ts';
import { secretsIn } from '../platform/redact.ts';
import { openFileRunLog } from '../runlog/file-run-log.ts';
import type { RunLog } from '../runlog/port.ts';
import { STORE_LIMITS } from '../store/assert-writes.ts';
import type { Store } from '../store/port.ts';
import { openSqliteStore } from '../store/sqlite/open.ts';
import { inspect, realPath } from '../workspace/inspect.ts';
import { accountsOf } from './accounts.ts';
import { signingSecret } from './auth/secret.ts';
import { type Signer, signerOf } from './auth/signer.ts';
import { customFiles } from './custom-executors.ts';
import { dispatchingOf } from './dispatching.ts';
import { executorsHere } from './executor-views.ts';
import { type ExecutorShelf, executorShelf } from './executors.ts';
import { type HomePaths, homePaths, initHome } from './home.ts';
import { lazyStore } from './lazy-store.ts';
import { newsOf, type OnNews } from './news.ts';
import { notePlaces } from './notes.ts';
import { Commits } from './observe/commits.ts';
import { outputOf } from './output.ts';
import { runSecrets } from './run-secrets.ts';
import { openSettings, type SettingsSource } from './settings/open-settings.ts';
import type { Flags } from './settings/resolve-settings.ts';
import { upkeepOf } from './upkeep.ts';
import { workPortOf } from './work-port.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Everything wired together for one home, in this process. */
export interface House {
  /** As the owner of the home, who can read all of it anyway. */
  readonly call: Call;
  callAs(caller: Caller): Call;
  signer(): Promise<Signer>;
  readonly store: Store;
  /** Tells what is committed through `store`. */
  readonly commits: Commits;
  readonly onNews: OnNews;
  readonly output: Output;
  readonly settings: SettingsSource;
  readonly texts: RunLog;
  readonly paths: HomePaths;
  /** One for the whole process: what it has loaded is loaded once. */
  readonly executors: ExecutorShelf;
  readonly ids: ReturnType<typeof makeIds>;
  now(): Instant;
  self(): Promise<Self>;
  close(): Promise<void>;
}

export type Self = { host: string; boot: string; pid: number; started: string };

export async function openHouse(env: Env, cwd: string, flags: Flags = {}): Promise<House> {
  const paths = homePaths(env, cwd);
  assertBackend(env);
  const settings = await openSettings({ home: paths.path, env, flags });
  const commits = new Commits();
  const store = lazyStore(STORE_LIMITS, async () => commits.heard(await openSqliteStore({ file: paths.database })));
  const onNews = newsOf(store, commits);
  const texts = openFileRunLog({ blobs: paths.blobs, streams: paths.runs });
  const now = () => instantOf(systemClock.now());
  const ids = makeIds();
  const secret = onDemand(async () => {
    await initHome(paths);
    return signerOf(await signingSecret(paths.secret, env));
  });
  const output = outputOf(paths.runs, runSecrets(paths, secretsIn(env)));
  const executors = executorShelf(paths, env, { settings: () => settings.current().values });
  const parts = { env, cwd, paths, settings, store, texts, now, ids, secret, output, executors };
  const callAs = (caller: Caller): Call => makeCall(surroundings, caller);
  const surroundings = surroundingsOf(parts);
  const call = callAs({ name: settings.current().values.person, role: 'admin' });
  const close = () => store.close();
  return {
    call,
    callAs,
    signer: secret,
    store,
    commits,
    onNews,
    output,
    executors,
    settings,
    texts,
    paths,
    ids,
    now,
    self: whoWeAre,
    close,
  };
}

interface Parts extends Pick<House, 'paths' | 'settings' | 'texts' | 'now' | 'ids' | 'output' | 'executors'> {
  readonly store: ReturnType<typeof lazyStore>;
  readonly env: Env;
  readonly cwd: string;
  secret(): Promise<Signer>;
}

/** Everything that operations may touch, wired to what there is. Paths are meant from where the process was started. */
function surroundingsOf({
  env,
  cwd,
  paths,
  settings,
  store,
  texts,
  now,
  ids,
  secret,
  output,
  executors,
}: Parts): CallSurroundings {
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
    places: { inspect: (path) => inspect(from(path), env), real: (path) => realPath(from(path)) },
    executors: {
      names: async () => [...new Set([...BUILT_IN_EXECUTORS, ...customFiles(paths).map(({ name }) => name)])],
      accounts: async (executor) => accountsOf(paths, executor),
      here: executorsHere(executors, env),
    },
    dispatching: dispatchingOf({ store, settings }, executors),
    output,
    work: workPortOf(paths, env),
    home: {
      path: paths.path,
      host: hostName(),
      notesOf: (taskId) => notePlaces(paths.tasks, taskId).artifacts,
      init: () => initHome(paths),
      engine: () => engineOf(store, now),
    },
    signer: {
      sign: async (token) => (await secret()).sign(token),
      codeOf: async (link) => (await secret()).codeOf(link),
    },
  };
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

function makeIds() {
  const ulid = makeUlids(systemClock.now);
  return {
    task: (at?: Instant) => `task_${ulid(at === undefined ? undefined : msOf(at))}` as TaskId,
    run: () => `run_${ulid()}` as RunId,
    claim: () => `claim_${ulid()}` as ClaimId,
    project: () => `project_${ulid()}` as ProjectId,
    question: () => `question_${ulid()}` as QuestionId,
    token: () => `token_${ulid()}` as TokenId,
    link: () => `link_${ulid()}` as LinkId,
  };
}

async function whoWeAre(): Promise<Self> {
  const identity = await identityOf(process.pid);
  if (!identity) throw new Error('this process cannot be identified');
  return { host: hostName(), ...identity };
}

async function engineOf(store: Store, now: () => Instant) {
  const lease = await leaseHolder({ store, now, alive: isAlive, self: await whoWeAre() });
  return lease && { host: lease.host, pid: lease.pid, since: lease.since };
}
