import type { OutputOf } from '../../../contract/call.ts';
import type { OperationName } from '../../../contract/index.ts';
import type { RunView } from '../../../contract/run.ts';
import type { TaskView } from '../../../contract/shapes.ts';
import type { Phase } from '../../../domain/task/task.ts';
import { ProjectId, QuestionId, RunId, TaskId } from '../../../domain/values.ts';
import { pauseSample, pauseSamples } from './cost/pause-samples.ts';
import { costSamples } from './cost/samples.ts';
import { executorSamples } from './executor/samples.ts';
import { byRunSamples, sampleQuestion } from './run/by-run-samples.ts';
import { runSamples } from './run/samples.ts';
import { tokenSamples } from './token/samples.ts';
import { finishedTasks, forkOf, workSamples } from './work/samples.ts';

/* One believable answer of each operation, for tests and for looking at the views. The moment is fixed. */

export const NOW_MS = Date.parse('2030-01-31T12:00:00.000Z');
const ago = (seconds: number): string => new Date(NOW_MS - seconds * 1000).toISOString();
const ulid = (end: string): string => `01jx0000000000000000000000${end}`.slice(-26).replace(/^./, '0');
export const taskId = (end: string) => TaskId.parse(`task_${ulid(end)}`);
const questionId = QuestionId.parse(`question_${ulid('5vd0c2pz')}`);
const runId = RunId.parse(`run_${ulid('rrrrrrrr')}`);
const holder = { kind: 'run', runId } as const;
const projectId = ProjectId.parse(`project_${ulid('pppppppp')}`);

const PROMPT = `It fails about once in ten runs because the clock is read twice. Make the clock an argument and keep the public signature as it is.

  - no new dependency
  - keep the tests green`;

export function sampleTask(end: string, title: string, phase: Phase, more: Partial<TaskView> = {}): TaskView {
  return {
    id: taskId(end),
    seq: 3,
    title,
    prompt: `${title}\n\n${PROMPT}`,
    promptBytes: 200,
    promptIsWhole: true,
    trust: 'own',
    priority: 5,
    tags: [],
    kind: 'implement',
    expectsChanges: true,
    executors: ['claude'],
    extraArgs: [],
    maxAttempts: 3,
    dependsOn: [],
    metadata: {},
    project: 'site',
    projectId,
    integration: 'review',
    targetBranch: 'main',
    depth: 0,
    children: 0,
    awaited: 0,
    untold: false,
    phase,
    attempts: 1,
    spentMs: 0,
    lostTimes: 0,
    repairs: 0,
    stalledTimes: 0,
    refusedTimes: 0,
    fullTimes: 0,
    turns: 0,
    uncounted: 0,
    messages: [],
    createdAt: ago(7200),
    createdBy: 'you',
    updatedAt: ago(190),
    ...more,
  };
}

export function inDirectory(task: TaskView, directory: string): TaskView {
  const { project: _, projectId: __, targetBranch: ___, integration: ____, ...rest } = task;
  return { ...rest, directory };
}

const running = sampleTask(
  '7k2m9xqa',
  'Fix the login test',
  { state: 'running', since: ago(190), holder },
  { model: 'opus', executors: ['claude', 'codex'] },
);
const queued = sampleTask('8a2m9xqb', '日本語のタイトルを直す 🚀 そして長い題名はどこかで切られます', {
  state: 'queued',
  since: ago(600),
});
const asked = sampleTask('9c2m9xqc', 'Choose the port', {
  state: 'blocked',
  since: ago(60),
  block: { cause: 'question', who: 'you', what: 'Which port should the server use?', questionId },
});
const stuck = sampleTask('4g2m9xqg', 'Announce the release', {
  state: 'blocked',
  since: ago(600),
  block: {
    cause: 'dependency',
    who: 'you',
    what: `dependency ${taskId('3f2m9xqf')} will not be done: retry it, or take it out`,
    taskId: taskId('3f2m9xqf'),
    on: [],
  },
});
const done = inDirectory(sampleTask('1d2m9xqd', 'Tidy the notes', { state: 'done', at: ago(200_000) }), '/home/you/notes');
const waiting = sampleTask(
  '2e2m9xqe',
  'Release notes for 1.4 that say everything in one very long title, so that the table has to cut it somewhere',
  { state: 'waiting', since: ago(5), on: [running.id] },
  { dependsOn: [running.id], tags: ['docs', 'release'] },
);
const failed = sampleTask('3f2m9xqf', 'Replace the old parser', {
  state: 'failed',
  at: ago(3600),
  reason: 'crashed after 3 of 3 attempts',
});

const { reviewed, merging, verifying, landed } = finishedTasks(
  (more) => sampleTask('6h2m9xqh', 'Fix the login test', { state: 'queued', since: ago(180) }, more),
  { holder, ago },
);

const stopping = { ...running, cancelAsked: { at: ago(0), by: 'you' } };

const run: RunView = {
  id: runId,
  seq: 4,
  taskId: running.id,
  kind: 'agent',
  attempt: 2,
  executor: 'claude',
  model: 'opus',
  host: 'laptop',
  hostId: 'host_01jx0000000000000000000000',
  holds: ['fleet', 'executor/claude'],
  directory: '/home/you/code/site',
  phase: {
    state: 'running',
    since: ago(189),
    boot: 'b1',
    shim: { pid: 4300, started: '101' },
    agent: { pid: 4301, started: '102' },
  },
  watch: {
    offset: 48_000,
    session: 'a3f0c1',
    usage: { inputTokens: 41_800, outputTokens: 2_100, cachedTokens: 39_000, costUsd: 0.42 },
    context: { tokens: 43_900, limit: 200_000 },
    lines: 120,
    events: 36,
    droppedBytes: 0,
    lastWords: 'The clock is read twice; making it an argument',
    openTools: ['Bash: npm test'],
    asks: [],
    signAt: ago(4),
    activeMs: 189_000,
  },
  health: 'degraded',
  createdAt: ago(190),
  updatedAt: ago(4),
};
const crashed: RunView = {
  ...run,
  health: undefined,
  id: RunId.parse(`run_${ulid('qqqqqqqq')}`),
  attempt: 1,
  phase: { state: 'ended', at: ago(240), outcome: 'crashed', detail: 'it was ended by signal 9', exit: 137 },
  createdAt: ago(900),
  updatedAt: ago(240),
};
const project: OutputOf<'project.show'> = {
  id: projectId,
  seq: 1,
  name: 'site',
  path: '/home/you/code/site',
  kind: 'repository',
  description: 'The web site.',
  targetBranch: 'main',
  verify: 'npm test',
  copyFiles: ['.env'],
  mcpServers: {},
  integration: 'review',
  createdAt: ago(90_000),
  createdBy: 'you',
  updatedAt: ago(90_000),
};

const question = sampleQuestion({ taskId: asked.id, questionId, ago });

const comment: OutputOf<'task.comment'> = {
  n: 3,
  at: ago(10),
  by: 'ada',
  what: 'commented',
  why: 'the flaky test is known, leave it',
};
const file = '/home/you/.fleet/fleet.db';
const settings: OutputOf<'config.show'>['items'] = [
  { name: 'max_concurrent', value: 5, origin: 'file', summary: 'runs at once in the whole fleet' },
  { name: 'executor', value: 'claude', origin: 'default', summary: 'executor of a task that names none' },
  { name: 'limit_executor', value: { claude: 2 }, origin: 'environment', summary: 'runs at once of one executor, by its name' },
];

export const SAMPLES: { readonly [Name in OperationName]: OutputOf<Name> } = {
  'home.init': { home: '/home/you/.fleet', created: ['runtime.toml', 'fleet.db', 'tasks/'] },
  'config.show': { file: '/home/you/.fleet/runtime.toml', items: settings, by: 'engine', engine: 4711, notInForce: [] },
  'config.set': { file: '/home/you/.fleet/runtime.toml', items: settings.slice(0, 1) },
  ...executorSamples,
  'project.add': project,
  'project.list': { items: [project] },
  'project.show': project,
  'project.set': project,
  'project.remove': { ...project, removedAt: ago(0) },
  'task.create': queued,
  'task.edit': queued,
  'task.list': { items: [running, queued, asked, done, waiting, failed, stuck, reviewed, landed] },
  'task.ready': { items: [queued] },
  'task.show': running,
  'task.events': {
    items: [
      { n: 1, at: ago(90_000), by: 'you', what: 'created', to: 'queued' },
      { n: 2, at: ago(190), by: 'engine', what: 'claimed', from: 'queued', to: 'running' },
      comment,
    ],
    next: 3,
  },
  'task.wait': { items: [running, merging, done, landed, failed, asked], pending: 2, stuck: 0 },
  'task.send': { taskId: running.id, n: 2, state: 'waiting' },
  'task.comment': comment,
  'task.dispatch': queued,
  'task.claim': running,
  'task.complete': running,
  'task.unclaim': queued,
  'task.cancel': stopping,
  'task.retry': queued,
  'task.resume': queued,
  'task.fork': { ...queued, ...forkOf(running.id, runId) },
  ...workSamples({ taskId: reviewed.id, runId, projectId, ago }),
  'task.approve': merging,
  'task.reject': queued,
  'task.merge': merging,
  'task.verify': verifying,
  'task.commit': reviewed,
  'task.cleanup': landed,
  'task.delete': { id: done.id, deleted: true },
  'task.export': { items: [{ type: 'task', task: done, comments: [comment] }] },
  'task.import': { created: [queued.id], skipped: [{ source: 'bd-12', why: 'is here already' }] },
  'run.list': { items: [run, crashed] },
  'run.show': run,
  ...runSamples(runId, ago),
  'run.cancel': stopping,
  ...byRunSamples({ task: running, review: queued, runId, ago }, question),
  ...costSamples,
  ...pauseSamples,
  ...tokenSamples,
  'fleet.status': {
    home: '/home/you/.fleet',
    engine: { running: true, host: 'laptop', pid: 4242, since: ago(10_800) },
    counts: {
      tasks: {
        draft: 0,
        waiting: 4,
        queued: 12,
        running: 2,
        verifying: 0,
        merging: 0,
        done: 31,
        blocked: 2,
        failed: 1,
        canceled: 0,
      },
      atLeast: ['done'],
    },
    projects: 3,
    running: [running, verifying],
    blocked: [asked, stuck, reviewed],
    questions: [question],
    heldUp: [
      { why: 'no executor gemini can be started on this machine: see fleet doctor', tasks: 100, atLeast: true, first: queued.id },
      { why: '3 of 3 runs are at work: max_concurrent', tasks: 1, atLeast: false, first: waiting.id },
    ],
    pauses: [pauseSample],
    problems: ['runtime.toml line 3: max_concurrent: expected a whole number from 1 to 1000, got "many"'],
  },
  'db.migrate': { file, schema: 1 },
  'db.check': { file, ok: true, rows: 12_000, findings: [] },
  'db.backup': { file: '/home/you/.fleet/backups/fleet.backup', bytes: 4_400_000, blobs: 12 },
  'db.restore': { file, kept: `${file}.before`, rows: 12_000, tokens: { revoked: 1, gone: 2 } },
  'db.accept': { file, rows: 12_000, lostCommits: 3, tokens: { revoked: 4, gone: 0 } },
  'db.export': { file: '/home/you/rows.jsonl', rows: 12_000 },
  'db.prune': { tasks: 3, requests: 20, blobs: 1, dryRun: true },
};
