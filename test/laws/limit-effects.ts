import { writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { UnsentWork } from '../../src/app/observe/trace/backlog.ts';
import { outputOf } from '../../src/app/output.ts';
import { diffShare } from '../../src/app/packet-files.ts';
import { lastOutput } from '../../src/app/result-file.ts';
import { rememberedMarks } from '../../src/app/run-events.ts';
import { listenTcp } from '../../src/app/serve/listen.ts';
import { parseSettings } from '../../src/app/settings/parse-settings.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { Question } from '../../src/domain/question/question.ts';
import { findCycle } from '../../src/domain/task/dependencies.ts';
import type { RunId, TaskId } from '../../src/domain/values.ts';
import { refusalOf } from '../../src/engine/supervise/finish.ts';
import { newWatch, stepped } from '../../src/engine/supervise/ingest.ts';
import { storeText } from '../../src/operations/texts.ts';
import { belowPlace } from '../../src/platform/agent-path.ts';
import { redactor } from '../../src/redact/redactor.ts';
import { openMemoryRunLog } from '../../src/runlog/memory-run-log.ts';
import { assertShallow } from '../../src/surfaces/http/body.ts';
import { openSessions } from '../../src/surfaces/mcp/http/sessions.ts';
import { isTooMuch } from '../../src/workspace/tree/copy-files.ts';
import { isTooLarge } from '../../src/workspace/tree/setup-copy.ts';
import {
  addedServers,
  commitTries,
  copiedFile,
  examinedRows,
  forgottenAfter,
  lanesSeen,
  liveStreams,
  refuseCopy,
  saidOverSocket,
  sentMessages,
  shownFacts,
  stalledFor,
  toldRuns,
} from './limit-houses.ts';
import { inDirectory, input, type LimitProof, letters, many } from './limit-proof.ts';
import { provedBy } from './proof.ts';
import { SIMULATED_LIMITS } from './simulated-limits.ts';

const task = (of: (size: number) => object) => input('task.create', (size) => ({ prompt: 'sort', ...of(size) }));
const project = (of: (size: number) => object) => input('project.add', (size) => ({ path: '/repo', ...of(size) }));
const AT = '2030-01-01T12:00:00.000Z' as const;
const plain = { redactorFor: async () => redactor([]) };
const conformance = (title: string) => provedBy('src/store/conformance/limits.ts', title);
const held = (title: string) => provedBy('src/app/serve/connections.test.ts', title);
const bounds = (title: string) => provedBy('src/workspace/private/bounds.process.test.ts', title);
const intake = (title: string) => provedBy('src/workspace/private/intake.process.test.ts', title);
const packet = provedBy(
  'src/domain/run/packet.test.ts',
  'stays within its limit with 100 dependencies and reports of 1 MB of %s',
);

/** What is left of a printed line of that length. */
const printed = (most?: number) => (size: number) =>
  inDirectory(async (path) => {
    writeFileSync(join(path, 'out'), letters(size));
    return (await lastOutput(belowPlace(path), (text) => text, most)).length;
  });

/** Every limit, and a proof that it holds. A new one does not compile without its line. */
export const LIMIT_EFFECTS: { readonly [Name in keyof typeof LIMITS]: LimitProof } = {
  titleCharacters: { refused: task((size) => ({ title: letters(size) })) },
  promptBytes: { refused: task((size) => ({ prompt: letters(size) })) },
  inlineTextBytes: {
    bounded: async (size) => {
      const kept = await storeText({ texts: openMemoryRunLog() }, letters(size));
      return ('text' in kept ? kept.text : kept.excerpt).length;
    },
  },
  excerptCharacters: {
    bounded: async (size) => {
      const kept = await storeText({ texts: openMemoryRunLog() }, letters(LIMITS.inlineTextBytes.value + size));
      return 'excerpt' in kept ? kept.excerpt.length : 0;
    },
  },
  textFieldBytes: { refused: task((size) => ({ acceptance: letters(size) })) },
  commandCharacters: { refused: project((size) => ({ verify: letters(size) })) },
  nameCharacters: { refused: project((size) => ({ name: letters(size) })) },
  pathBytes: { refused: input('project.add', (size) => ({ path: letters(size) })) },
  refCharacters: { refused: task((size) => ({ targetBranch: letters(size) })) },
  tags: { refused: task((size) => ({ tag: many(size, String) })) },
  dependencies: { refused: task((size) => ({ after: many(size, String) })) },
  graphWalk: {
    refused: (size) => {
      const id = (n: number) => `task_${n}` as TaskId;
      const next = async (one: TaskId) => (Number(one.slice(5)) < size ? [id(Number(one.slice(5)) + 1)] : []);
      return findCycle('task_new' as TaskId, [id(1)], next, LIMITS.graphWalk.value);
    },
  },
  mcpServers: { refused: addedServers },
  executorsPerTask: { refused: task((size) => ({ executor: many(size, () => 'claude') })) },
  argsPerTask: { refused: task((size) => ({ extraArg: many(size, String) })) },
  setupInputs: { refused: project((size) => ({ setupInput: many(size, String) })) },
  setupCopyBytes: { refused: (bytes) => refuseCopy(isTooLarge(bytes), LIMITS.setupCopyBytes.value) },
  copiedFiles: { refused: project((size) => ({ copyFile: many(size, String) })) },
  copiedEntries: { refused: (entries) => refuseCopy(isTooMuch({ entries, bytes: 0 }), LIMITS.copiedEntries.value) },
  copiedBytes: { refused: copiedFile },
  keptFileBytes: provedBy(
    'src/workspace/save/save.process.test.ts',
    'names what is too large to keep, so that nobody removes it',
  ),
  takenBytes: bounds('names what is more than all files together may have, before a byte of it is read'),
  takenFiles: intake('takes a few trees that unfold into as many files as may be'),
  takenRefs: bounds('keeps so many other branches, and says how many there are besides; names that cannot be there stop none'),
  takenPackBytes: intake('refuses a pack that is larger than may be'),
  unpackedObjects: bounds('gives a project few objects one by one, and many as one pack'),
  unpackedBytes: bounds('gives a project few objects one by one, and many as one pack'),
  takenMemoryBytes: intake('a pack of 200 bytes that asks for 2.6 GB gets the memory of the limit and no more'),
  collectorMemoryBytes: bounds('gives a collector so much memory, and whatever it starts'),
  takenMs: intake('ends a collector that never ends, and what it has started'),
  clonesGitMs: provedBy('test/attacks/private-clone.test.ts', 'whose git directory holds pipes is collected as files [T13]'),
  collectorSaysBytes: intake('refuses %s, and is as it was before'),
  leftNames: bounds('tells so many names of what is left, and how many there are besides'),
  nameBytes: intake('refuses %s, and is as it was before'),
  historyPacks: bounds('holds so many beginnings of a history ready, in so many layers'),
  historyLayers: bounds('holds so many beginnings of a history ready, in so many layers'),
  historyRefs: bounds('shows a clone so many branches of its project'),
  keepAttempts: provedBy('src/engine/work/save-work.test.ts', 'is given up after a few tries, and its workspace put aside'),
  metadataBytes: { refused: task((size) => ({ metadata: { a: letters(size - '{"a":""}'.length) } })) },
  messages: { refused: sentMessages },
  messageBytes: { refused: input('task.send', (size) => ({ id: 'abcd', text: letters(size) })) },
  spoolBytes: provedBy(
    'test/e2e/faults-flood.test.ts',
    'ends as output_limit, keeps what the cap allows, and holds up nobody [R25] [RUN-12]',
  ),
  diffBytes: { refused: input('task.diff', (maxBytes) => ({ id: 'abcd', maxBytes })) },
  resultBytes: provedBy(
    'src/app/result-file.process.test.ts',
    'that is huge, a pipe, a link, a directory, or not to be read is named and not opened further',
  ),
  evidenceBytes: { bounded: printed() },
  gateSearchBytes: { bounded: printed(LIMITS.gateSearchBytes.value) },
  processes: provedBy(
    'test/e2e/faults-crowd.test.ts',
    'is ended whole and says why; its siblings, and who has many children by right, notice nothing [R22]',
  ),
  turnsKept: provedBy('src/engine/supervise/ingest.test.ts', 'is kept for the newest turns only, and counted for all'),
  outputLineBytes: provedBy(
    'src/app/output.test.ts',
    'stays where it is before a very long line that has no end yet, and tells no line twice [RUN-12]',
  ),
  logPageBytes: {
    bounded: (size) =>
      inDirectory(async (path) => {
        await mkdir(join(path, 'run_1'));
        // Lines of 1,024 bytes with their ends; the last one makes it so many characters.
        const lines = many(1_024, (n) => letters(n < 1_023 ? 1_024 : size - 1_023 * 1_024));
        writeFileSync(join(path, 'run_1', 'out'), `${lines.join('\n')}\n`);
        const page = await outputOf(path, plain).read('run_1' as RunId, 'out', { after: 0, lines: 10_000, final: true });
        return page.items.reduce((sum, { text }) => sum + text.length, 0);
      }),
  },
  eventReadBytes: provedBy(
    'src/app/run-events.test.ts',
    'are read on from where the reader was, not from the beginning, and no more than so much at once',
  ),
  eventReaders: {
    bounded: (size) => {
      const marks = rememberedMarks();
      const runs = many(size, (n) => `run_${n}` as RunId);
      for (const run of runs) marks.remember(run, { offset: 1 } as never);
      return runs.filter((run) => marks.before(run, 1) !== undefined).length;
    },
  },
  factsBytes: { bounded: shownFacts },
  shownPromptCharacters: provedBy(
    'src/app/run-facts.test.ts',
    'tell prompt, command line, names of variables and exit, and no secret',
  ),
  logTailLines: { refused: input('run.log', (last) => ({ id: 'abcd', last })) },
  logTailBytes: provedBy(
    'src/surfaces/cli/flows/log.test.ts',
    'hold little of very long lines, and say which of the last ones are left out [RUN-12]',
  ),
  engineLogBytes: provedBy(
    'src/app/engine-log.test.ts',
    'never grows beyond its limit: the newest lines stay, and it says how much went',
  ),
  questionOptions: { refused: (size) => Question.shape.options.parse(many(size, String)) },
  quotaWindows: {
    bounded: (size) => {
      const events = many(size, (n) => ({ type: 'quota', window: String(n), used: 0.5 }) as const);
      return stepped(newWatch({ state: 0, events: [], send: [] }, AT), { state: 0, events, send: [] }).quota?.length ?? 0;
    },
  },
  openQuestions: provedBy('src/operations/run/by-run.test.ts', 'is withdrawn with its task, and there are never too many'),
  pageBytes: provedBy(
    'src/app/notes.process.test.ts',
    'follows no link, waits for no pipe and reads no flood in the place of task.json [T13]',
  ),
  contextItems: { bounded: toldRuns },
  packetTasks: packet,
  packetBytes: packet,
  packetTaskBytes: packet,
  packetDiffBytes: { bounded: (size) => diffShare(size === LIMITS.packetDiffBytes.value ? 1 : 2) },
  packetDiffsBytes: { bounded: (size) => (size === LIMITS.packetDiffsBytes.value ? 8 * diffShare(8) : 100 * diffShare(100)) },
  refusalsTold: provedBy('src/operations/refusals.test.ts', 'stop at a number, and the last one says so'),
  leakSearchBytes: provedBy(
    'src/workspace/history/added-texts.process.test.ts',
    'are not read beyond so many bytes, and that is told',
  ),
  subTaskDepth: provedBy('src/operations/task/task.test.ts', 'stop at the depth and number that are allowed'),
  subTasks: provedBy('src/operations/task/part.test.ts', 'is refused from a certain number on [TASK-09] [T19]'),
  pageItems: { refused: input('task.list', (limit) => ({ limit })) },
  examinedPerPage: { bounded: examinedRows },
  importLineBytes: provedBy('src/surfaces/cli/flows/task-transfer.test.ts', 'does nothing at all when a line is wrong: %#'),
  importBatch: { refused: input('task.import', (size) => ({ lines: many(size, () => ({})) })) },
  lanes: { bounded: lanesSeen },
  holders: { refused: project((maxConcurrent) => ({ maxConcurrent })) },
  stallRestarts: provedBy(
    'src/domain/task/transition.test.ts',
    'restarts after a stall at most twice, whatever its number of attempts, until a person retries it [RUN-03]',
  ),
  refusalsWithoutTime: provedBy(
    'src/engine/pausing.test.ts',
    'is tried three times blindly, with longer and longer pauses, and then fails [RUN-04]',
  ),
  pauseDays: {
    bounded: (days) => {
      const limitedUntil = new Date(Date.parse(AT) + days * 86_400_000).toISOString();
      const { until = AT } = refusalOf({ limitedUntil } as never, { jitter: () => 0, now: () => AT } as never);
      return (Date.parse(until) - Date.parse(AT)) / 86_400_000;
    },
  },
  idleContinuations: provedBy(
    'src/domain/task/transition.test.ts',
    'goes on with a fresh run after a full window while it makes progress, and then needs a person [RUN-06]',
  ),
  commitAttempts: { bounded: commitTries },
  tokenDays: { refused: input('token.create', (days) => ({ name: 'ann', role: 'worker', days })) },
  idempotencyDays: { bounded: forgottenAfter },
  writesPerCommit: conformance('takes a commit as large as it promises, and refuses a larger one'),
  bytesPerRow: conformance('takes a row as large as it promises, counted in bytes'),
  entriesPerRow: conformance('takes as many entries as it promises'),
  rowsPerScan: conformance('refuses a scan of none, of half a row and of more than it promises'),
  rowsPerCount: provedBy(
    'src/store/conformance/scan.ts',
    'counts what it would return, page by page, and says where it has come to',
  ),
  connections: {
    bounded: async () => {
      const listener = await listenTcp({ web: {}, onUpgrade: () => undefined } as never, { port: 0, bind: '127.0.0.1' });
      await listener.close();
      return listener.server.maxConnections;
    },
  },
  unauthenticatedConnections: held('are so many, and one more ends the oldest of the peer that has most'),
  connectionsPerCaller: held('are so many of one token and of one run, and another caller has its own'),
  connectionsPerRun: held('are so many of one token and of one run, and another caller has its own'),
  storeSilenceMs: provedBy('src/app/observe/observe.test.ts', 'answers about its health although the store does not'),
  traceBacklog: {
    bounded: (size) => {
      const untold = new UnsentWork(() => undefined);
      for (const run of many(size, (n) => `run_${n}` as RunId)) untold.run(run, 'ended');
      return untold.size;
    },
  },
  liveConnections: { refused: liveStreams },
  liveConnectionsPerToken: provedBy(
    'src/surfaces/live/hub.test.ts',
    'has room for so many of one token, and again when one leaves',
  ),
  liveTopics: provedBy('src/surfaces/live/hub.test.ts', 'refuses topics that are not there, and more than so many'),
  liveBufferBytes: provedBy('src/surfaces/live/pipe.test.ts', 'holds a limited number of bytes, and goes on when it reads [R43]'),
  liveStallMs: { refused: stalledFor },
  liveMessageBytes: { refused: saidOverSocket },
  runRequestBytes: provedBy(
    'test/attacks/flood-by-a-run.test.ts',
    'is let in with less at once than its owner: body and head [T28] [T23]',
  ),
  runHeaderBytes: provedBy(
    'test/attacks/flood-by-a-run.test.ts',
    'is let in with less at once than its owner: body and head [T28] [T23]',
  ),
  requestBytes: provedBy('src/app/serve/hostile.process.test.ts', 'is bounded in length and depth [T23]'),
  jsonLevels: { refused: (size) => assertShallow('['.repeat(size)) },
  batchCalls: provedBy(
    'test/attacks/doors.test.ts',
    'gains nothing by putting a hundred calls into one request: each counts [T28]',
  ),
  mcpSessions: {
    refused: async (size) => {
      const sessions = openSessions({ elapsed: () => 0 });
      const kept = { close: async () => undefined };
      try {
        for (const owner of many(size, String)) await sessions.open(owner, async () => kept);
      } finally {
        await sessions.closeAll();
      }
    },
  },
  mcpSessionsPerToken: provedBy(
    'src/surfaces/mcp/http/sessions.test.ts',
    'past the number of one token end the one that was silent longest, never one in use, never one of another',
  ),
  mcpIdleMs: provedBy(
    'src/surfaces/mcp/http/sessions.test.ts',
    'end when they were silent for long, but not while a connection is open',
  ),
  ...SIMULATED_LIMITS,
  settingsBytes: {
    refused: (size) => {
      const parsed = parseSettings(`#${letters(size - 1)}`, 'runtime.toml');
      if (!parsed.good) throw new Error(parsed.problem);
    },
  },
};
