import assert from 'node:assert';
import type { Call } from '../../src/contract/call.ts';
import { contract } from '../../src/contract/index.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { type Caller, OWNER_ID, type Standing } from '../../src/domain/authority.ts';
import type { DiskShortage, FullDisk } from '../../src/domain/hold/disk-room.ts';
import { SETTING_NAMES, SETTINGS, type Settings } from '../../src/domain/settings.ts';
import {
  type ClaimId,
  instantOf,
  type LinkId,
  msOf,
  type ProjectId,
  type QuestionId,
  type RunId,
  type TaskId,
  type TokenId,
} from '../../src/domain/values.ts';
import { type CallDeps, makeCall } from '../../src/operations/call.ts';
import type { DirectoryKind, ExecutorHere, ExecutorProblem, GitPort } from '../../src/operations/scope.ts';
import { makeUlids } from '../../src/platform/ids.ts';
import { redactor } from '../../src/redact/redactor.ts';
import { openMemoryRunLog } from '../../src/runlog/memory-run-log.ts';
import { openMemoryStore } from '../../src/store/memory/memory-store.ts';
import type { Store } from '../../src/store/port.ts';

export const NOON = Date.parse('2030-01-01T12:00:00.000Z');

/** A whole house without files or processes: the memory store, a clock that stands still, directories that are said to exist. */
export interface MemoryHouse {
  readonly store: Store;
  readonly call: Call;
  readonly ids: { task(at?: string): TaskId; run(): RunId; claim(): ClaimId; project(): ProjectId; question(): QuestionId };
  readonly settings: { -readonly [Name in keyof Settings]: Settings[Name] };
  readonly places: Map<string, DirectoryKind>;
  /** Executors that are looked at on this machine. */
  readonly here: ExecutorHere[];
  as(name: string, role?: Standing, more?: Partial<Caller>): Call;
  now(): string;
  pass(ms: number): void;
}

export interface HouseOptions {
  readonly store?: Store;
  readonly random?: () => number;
  readonly clock?: { ms: number };
  /** What git says there. */
  readonly work?: Partial<GitPort>;
  /** What is wrong with executors here. */
  readonly unready?: Map<string, ExecutorProblem>;
  readonly upkeep?: Partial<CallDeps['upkeep']>;
  /** Why no sandbox can be made here. */
  readonly sandbox?: { problem?: string };
  /** An engine runs somewhere. */
  readonly engine?: boolean;
  /** Where there is too little room on a disk. */
  readonly disk?: { short?: DiskShortage | undefined; full?: FullDisk };
}

export function memoryHouse({
  store = openMemoryStore(),
  random,
  clock = { ms: NOON },
  work = {},
  unready = new Map(),
  upkeep = {},
  sandbox = {},
  disk = {},
  engine = false,
}: HouseOptions = {}): MemoryHouse {
  const ulid = makeUlids(() => clock.ms, random);
  const ids = {
    task: (at?: string) => `task_${ulid(at === undefined ? undefined : msOf(at))}` as TaskId,
    run: () => `run_${ulid()}` as RunId,
    claim: () => `claim_${ulid()}` as ClaimId,
    project: () => `project_${ulid()}` as ProjectId,
    question: () => `question_${ulid()}` as QuestionId,
    token: () => `token_${ulid()}` as TokenId,
    link: () => `link_${ulid()}` as LinkId,
  };
  const settings = Object.fromEntries(
    SETTING_NAMES.map((name) => [name, SETTINGS[name].default]),
  ) as unknown as MemoryHouse['settings'];
  const places = new Map<string, DirectoryKind>([
    ['/repo', { kind: 'repository', path: '/repo', branch: 'main', hasCommit: true }],
    ['/plain', { kind: 'directory', path: '/plain' }],
  ]);
  const here: ExecutorHere[] = [];
  const now = () => instantOf(clock.ms);
  const surroundings: CallDeps = {
    store,
    now,
    ids,
    texts: openMemoryRunLog(),
    settings: { current: () => ({ values: settings, items: [], file: '/home/runtime.toml' }), set: unused },
    places: {
      inspect: async (path) => places.get(path) ?? { kind: 'unusable', path, why: 'there is no such directory' },
      usable: async (path) => {
        const place = places.get(path);
        if (!place) return { why: 'there is no such directory' };
        return place.kind === 'unusable' ? { why: place.why } : { real: place.path };
      },
      repositoryAround: async (path) => {
        const around = [...places.values()].find(
          ({ path: at, kind }) => kind === 'repository' && (path === at || path.startsWith(`${at}/`)),
        );
        return around?.path;
      },
      repositoryBelow: async (path) =>
        [...places.values()].find(({ path: at, kind }) => kind === 'repository' && at.startsWith(`${path}/`))?.path,
      real: async (path) => places.get(path)?.path,
    },
    executors: {
      names: async () => ['claude', 'codex', 'scripted'],
      accounts: async () => ['default', 'work'],
      here: async () => here,
      unready: async (ref) => unready.get(ref),
      sandboxProblem: async () => sandbox.problem,
      takesServers: async (ref) => ref !== 'scripted',
      contextModeProblem: async () => 'context-mode is not installed; try: npm install -g context-mode',
      interactive: async ({ run, session }) =>
        run.executor === 'claude' ? { command: '/bin/claude', args: ['--resume', session], env: {}, files: [] } : undefined,
    },
    dispatching: {
      capacity: async () => ({ fleet: settings.max_concurrent, executor: settings.limit_executor, account: {}, project: {} }),
      defaults: async () => ({ executor: settings.executor }),
      startable:
        async () =>
        ({ executor, placement }) =>
          placement === 'in_place' && executor === 'scripted',
      diskShort: async () => disk.short,
    },
    output: {
      read: async (_runId, _stream, { after }) => ({ items: [], next: after }),
      events: async (_run, { after }) => ({ items: [], next: after, more: false, ended: false, isText: false }),
      facts: unused,
      redactor: async () => redactor([]),
      known: async () => (text) => text,
      clean: redactor([]),
    },
    work: {
      diff: unused,
      totals: unused,
      gather: unused,
      push: unused,
      keptOf: unused,
      snapshot: unused,
      has: unused,
      target: async () => ({ branch: 'main', commit: 'a'.repeat(40) }),
      commit: unused,
      restore: unused,
      blame: unused,
      ...work,
    },
    home: {
      path: '/home',
      pid: 1,
      host: async () => 'here',
      notesOf: (taskId) => `/home/tasks/${taskId}/artifacts`,
      init: async () => [],
      problem: () => undefined,
      engine: async () => (engine ? { host: 'here', pid: 1, since: new Date(NOON).toISOString() } : undefined),
    },
    signer: { sign: async ({ id }) => `signed ${id}`, codeOf: async (link) => `code of ${link}` },
    upkeep: {
      migrate: unused,
      check: unused,
      backup: unused,
      restore: unused,
      accept: unused,
      export: unused,
      prune: unused,
      ...upkeep,
    },
  };
  const as = (name: string, role: Standing = 'admin', more: Partial<Caller> = {}) =>
    heldToTheLetter(
      makeCall(surroundings, { id: more.run?.runId ?? (name === 'you' ? OWNER_ID : `token of ${name}`), name, role, ...more }),
    );
  return {
    store,
    ids,
    settings,
    places,
    here,
    as,
    call: as('you'),
    now,
    pass: (ms) => {
      clock.ms += ms;
    },
  };
}

const unused = async (): Promise<never> => {
  throw new Error('this house has no files');
};

/** What an operation calls exact is not checked when it is answered: every test that asks for it holds it to that. */
function heldToTheLetter(call: Call): Call {
  const operations: readonly Operation[] = contract;
  const exact = new Map(operations.filter((operation) => operation.exact).map(({ name, output }) => [name as string, output]));
  const held = async (name: string, ...rest: unknown[]) => {
    const answer = await (call as (...all: unknown[]) => Promise<unknown>)(name, ...rest);
    const shape = exact.get(name);
    if (shape) assert.deepStrictEqual(answer, shape.parse(answer));
    return answer;
  };
  return held as Call;
}
