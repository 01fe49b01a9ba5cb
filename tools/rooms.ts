/** One room of the house: what lives there, which other rooms it may import, and what it must never learn of. */
interface Room {
  readonly about: string;
  readonly mayUse: readonly string[];
  readonly neverKnows: string;
  /** The only packages its code may import; absent: any. `node` stands for Node's own modules. */
  readonly packages?: readonly string[];
  /** Its sub-folders are members of a family: they may not import each other, and only `app` may import one. */
  readonly family?: { readonly shared: readonly string[] };
}

/** The house. The architecture check and the table in ARCHITECTURE.md are both made from this. */
export const rooms = {
  domain: {
    about: 'what things are and how they may change; pure',
    mayUse: [],
    neverKnows: 'time, I/O, any other room',
    packages: ['zod'],
  },
  platform: {
    about: 'mechanisms without opinions: clock, ids, process tree, json lines, log, back-off',
    mayUse: [],
    neverKnows: 'the product',
  },
  redact: {
    about: 'takes secrets out of text and values: what looks like one, and what an agent is known to have',
    mayUse: ['platform'],
    neverKnows: 'the product',
  },
  contract: {
    about: 'every operation a person or an agent can ask for, declared once; safe in a browser',
    mayUse: ['domain'],
    neverKnows: 'handlers, drivers, surfaces',
    packages: ['zod'],
  },
  store: {
    about: 'records and their indexes; the five-verb port, its drivers and their common suite',
    mayUse: ['domain', 'platform'],
    neverKnows: 'operations, engine; a driver never another driver',
    family: { shared: ['records', 'queries', 'conformance'] },
  },
  runlog: {
    about: 'bulk text and the output of runs: the second port, its drivers and their common suite',
    mayUse: ['domain', 'platform'],
    neverKnows: 'operations, engine; a driver never another driver',
    family: { shared: ['conformance'] },
  },
  executors: {
    about: 'one folder per coding agent: how it is launched, what its lines mean, what it can do',
    mayUse: ['domain', 'platform', 'redact'],
    neverKnows: 'the engine, the store; an executor never another executor',
    family: { shared: ['conformance', 'kit', 'acp-client'] },
  },
  workspace: {
    about: 'everything that touches git: one wrapper, locks, trees, saving, landing, history, private clones',
    mayUse: ['domain', 'platform'],
    neverKnows: 'executors, store',
  },
  panes: {
    about: 'terminal panes: open, read, type safely, close',
    mayUse: ['domain', 'platform'],
    neverKnows: 'executors, store',
  },
  plugins: {
    about: 'loading what users add: hooks, tools, executors',
    mayUse: ['domain', 'platform'],
    neverKnows: 'executors, store',
  },
  runner: {
    about: 'shim, run-directory protocol and spawn helper: what owns one agent and outlives us',
    mayUse: ['platform', 'redact'],
    neverKnows: 'store, engine, executors, network',
  },
  simulate: {
    about: 'a model server on loopback that plays scenarios to real agents, in the protocols of the providers',
    mayUse: ['domain', 'platform'],
    neverKnows: 'tasks and runs of Fleet, executors',
  },
  sandbox: {
    about: 'what an agent in a sandbox sees of the machine, and its only ways out',
    mayUse: ['platform'],
    neverKnows: 'store, engine, executors',
  },
  engine: {
    about: 'controllers that look, decide and act; the only code that makes things happen',
    mayUse: ['domain', 'store', 'runlog', 'platform'],
    neverKnows: 'contract, surfaces, concrete executors and workspaces (`deps.ts` says what it is given)',
  },
  operations: {
    about: 'one handler per declared operation; writes intent, starts nothing',
    mayUse: ['contract', 'domain', 'store', 'runlog'],
    neverKnows: 'the engine, executors, surfaces',
  },
  wire: {
    about: 'how operations look between two processes: routes, problems, the typed client; safe in a browser',
    mayUse: ['contract', 'domain'],
    neverKnows: 'handlers, drivers, surfaces, sockets',
    packages: ['zod'],
  },
  surfaces: {
    about: 'ways in: parse, call, render',
    mayUse: ['contract', 'domain', 'platform', 'wire'],
    neverKnows: 'operations, store, engine (it receives `call`)',
  },
} as const satisfies Record<string, Room>;

/** May use every room, and is used by none. */
export const frontDoor = { name: 'app', about: 'the front door: settings, wiring, start and stop' } as const;

/** The browser's half lives outside `src/` and sees two rooms of it. */
export const web = {
  about: "the browser's view of the contract, one folder per noun",
  mayUse: ['contract', 'domain', 'wire'],
  neverKnows: 'everything else',
} as const;

export const everyRoom: readonly (Room & { readonly name: string })[] = Object.entries(rooms).map(([name, room]) => ({
  name,
  ...room,
}));
