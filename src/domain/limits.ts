/** One limit of the house: what it bounds, how much, and in what. */
interface Limit {
  readonly value: number;
  readonly unit: 'bytes' | 'characters' | 'items' | 'levels' | 'ms' | 'days' | 'attempts';
  readonly summary: string;
}

const limit = (value: number, unit: Limit['unit'], summary: string): Limit => ({ value, unit, summary });

const KB = 1024;
const MB = 1024 * KB;

/** Everything that can grow, and where it stops. `docs/reference/limits.md` is made from this table. */
export const LIMITS = {
  titleCharacters: limit(200, 'characters', 'title of a task'),
  promptBytes: limit(1 * MB, 'bytes', 'prompt of a task'),
  inlineTextBytes: limit(16 * KB, 'bytes', 'text kept inside a row; longer text is a blob'),
  excerptCharacters: limit(500, 'characters', 'part of a long text that stays in its row'),
  textFieldBytes: limit(64 * KB, 'bytes', 'any other text field: description, criteria, system prompt, comment, answer'),
  commandCharacters: limit(4_000, 'characters', 'set-up or verify command of a project'),
  nameCharacters: limit(64, 'characters', 'name of a project, executor, team or agent'),
  pathBytes: limit(4 * KB, 'bytes', 'a path'),
  refCharacters: limit(200, 'characters', 'name of a branch or ref'),
  tags: limit(32, 'items', 'tags of a task'),
  dependencies: limit(64, 'items', 'direct dependencies of a task; wider joins are workflows'),
  graphWalk: limit(10_000, 'items', 'tasks looked at while a new dependency is checked for cycles'),
  executorsPerTask: limit(8, 'items', 'executors in the fail-over list of a task'),
  argsPerTask: limit(64, 'items', 'extra arguments or tools of a task'),
  copiedFiles: limit(64, 'items', 'files a project copies into a new workspace'),
  copiedEntries: limit(20_000, 'items', 'files and directories copied into a new workspace, with all that is in them'),
  copiedBytes: limit(1024 * MB, 'bytes', 'all files copied into a new workspace'),
  keptFileBytes: limit(
    1024 * MB,
    'bytes',
    'one file of a workspace that is kept; a larger one keeps the workspace from being removed',
  ),
  metadataBytes: limit(8 * KB, 'bytes', 'metadata of a task'),
  messages: limit(50, 'items', 'messages to the agent of one task that are kept'),
  messageBytes: limit(4 * KB, 'bytes', 'one message to a running agent'),
  spoolBytes: limit(1024 * MB, 'bytes', 'output of one run, unless the setting max_output_mb says otherwise'),
  diffBytes: limit(4 * MB, 'bytes', 'text of one diff that is shown'),
  resultBytes: limit(1 * MB, 'bytes', 'result file of an agent; a longer one is not read'),
  evidenceBytes: limit(8 * KB, 'bytes', 'end of each output stream of a gate that is kept as evidence'),
  processes: limit(1_000, 'items', 'processes of one run at once, unless the setting max_processes says otherwise'),
  turnsKept: limit(64, 'items', 'newest turns of a run whose moments are remembered'),
  outputLineBytes: limit(256 * KB, 'bytes', 'one line of output that is read; the rest of it is counted'),
  logPageBytes: limit(1 * MB, 'bytes', 'text in one page of a log; a page has at least one line'),
  logTailLines: limit(100_000, 'items', 'last lines of a log that may be asked for'),
  logTailBytes: limit(8 * MB, 'bytes', 'text held for the last lines of a log; with --tail, more is left out and said'),
  engineLogBytes: limit(
    32 * MB,
    'bytes',
    "one day's log of an engine in the background; past it only its newest quarter is kept",
  ),
  questionOptions: limit(20, 'items', 'options of a question'),
  openQuestions: limit(20, 'items', 'questions of one task that wait for an answer'),
  toldTasks: limit(10, 'items', 'finished tasks, earlier runs and questions an agent is told of when it asks for its context'),
  subTaskDepth: limit(2, 'levels', 'sub-tasks of sub-tasks, unless the setting max_depth says otherwise'),
  subTasks: limit(100, 'items', 'sub-tasks one task may create'),
  pageItems: limit(500, 'items', 'items in one page of a list'),
  examinedPerPage: limit(5_000, 'items', 'rows looked at to fill one page of a filtered list'),
  importLineBytes: limit(2 * MB, 'bytes', 'one line of an import file'),
  importBatch: limit(20, 'items', 'tasks imported in one commit'),
  lanes: limit(1_000, 'items', 'lanes of the ready queue looked at in one turn'),
  holders: limit(1_000, 'items', 'runs that may share one limited scope'),
  stallRestarts: limit(2, 'attempts', 'times a task is started again because its run was stalled'),
  commitAttempts: limit(50, 'attempts', 'times a command looks again after losing a race'),
  tokenDays: limit(3_650, 'days', 'how long a token may last'),
  idempotencyDays: limit(7, 'days', 'how long the answer to a keyed command is kept'),
  writesPerCommit: limit(100, 'items', 'writes in one commit'),
  bytesPerRow: limit(256 * KB, 'bytes', 'one row of the store'),
  entriesPerRow: limit(80, 'items', 'index entries of one row'),
  rowsPerScan: limit(1_000, 'items', 'rows one scan returns'),
  connections: limit(2_000, 'items', 'connections to the server at once'),
  storeSilenceMs: limit(20_000, 'ms', 'without an answer of the store for this long, /health says 503'),
  traceBacklog: limit(3_000, 'items', 'runs, and tasks, whose spans wait for a collector; past it the oldest are dropped'),
  liveConnections: limit(1_500, 'items', 'clients that follow live streams at once'),
  liveConnectionsPerToken: limit(100, 'items', 'live streams opened with one token at once'),
  liveTopics: limit(100, 'items', 'topics one live stream follows'),
  liveBufferBytes: limit(256 * KB, 'bytes', 'written to one live stream and not taken up; then nothing more is kept for it'),
  liveStallMs: limit(30_000, 'ms', 'how long a live stream may take up nothing before it is cut off'),
  liveMessageBytes: limit(64 * KB, 'bytes', 'one message of a client over a WebSocket'),
  requestBytes: limit(4 * MB, 'bytes', 'body of one request over HTTP'),
  jsonLevels: limit(64, 'levels', 'nesting of the JSON of one request'),
  mcpSessions: limit(1_000, 'items', 'MCP sessions of the server at once'),
  mcpSessionsPerToken: limit(50, 'items', 'MCP sessions of one token; a further one ends the one that was silent longest'),
  mcpIdleMs: limit(30 * 60_000, 'ms', 'silence after which an MCP session ends'),
  settingsBytes: limit(256 * KB, 'bytes', 'the file runtime.toml'),
} as const satisfies Record<string, Limit>;
