import type { OutputOf } from '../../../../contract/call.ts';
import type { TaskView } from '../../../../contract/shapes.ts';
import type { Holder } from '../../../../domain/task/task.ts';
import { type ProjectId, type RunId, type TaskId, WorkspaceId } from '../../../../domain/values.ts';
import type { Work } from '../../../../domain/work/work.ts';

/* Believable answers about work in a repository. */

interface Ground {
  readonly taskId: TaskId;
  readonly runId: RunId;
  readonly projectId: ProjectId;
  ago(seconds: number): string;
}

const commit = (start: string): string => start.padEnd(40, '0');
const TIP = commit('9c8d7e6');
const BASE = commit('3f2a1b0');
const LANDING = commit('5d4c3b2');

export const forkOf = (taskId: TaskId, runId: RunId): Pick<TaskView, 'forkedFrom'> => ({
  forkedFrom: { taskId, runId, commit: TIP, base: BASE },
});

/** Operations that answer with something else than a task. */
type Told =
  | 'task.open'
  | 'task.diff'
  | 'task.report'
  | 'task.push'
  | 'task.restore'
  | 'workspace.list'
  | 'workspace.prune'
  | 'workspace.delete'
  | 'fleet.blame';

const sampleWork = (ago: Ground['ago']): Work => ({
  branch: 'claude/fix-the-login-test/6h2m9xqh',
  target: 'main',
  base: BASE,
  workspaceId: WorkspaceId.parse('ws_1'),
  tip: TIP,
  tree: commit('77aa'),
  kept: { commit: TIP, ref: 'refs/fleet/kept/x', at: ago(200) },
  changes: { commits: 2, files: 3, added: 9, removed: 4 },
});

const landedWork = (ago: Ground['ago']): Work => ({
  ...sampleWork(ago),
  approval: { by: 'ada', at: ago(120), commit: TIP },
  landing: { onto: BASE, commit: LANDING, tree: commit('88bb') },
  landed: { commit: LANDING, at: ago(90) },
  pushed: { ok: false, why: 'no remote is called origin' },
});

/** One task after its agent has finished, on its way to the target branch. */
export function finishedTasks(
  task: (more: Partial<TaskView>) => TaskView,
  { holder, ago }: Pick<Ground, 'ago'> & { readonly holder: Holder },
): Readonly<Record<'reviewed' | 'verifying' | 'merging' | 'landed', TaskView>> {
  const block = { cause: 'review', who: 'you', what: 'look at its diff, then approve or reject it' } as const;
  const proved = { work: sampleWork(ago), gate: { commit: TIP, green: true }, repairs: 1 };
  return {
    reviewed: task({ ...proved, phase: { state: 'blocked', since: ago(180), block } }),
    verifying: task({ ...proved, gate: { commit: TIP }, phase: { state: 'verifying', since: ago(2), holder } }),
    merging: task({ ...proved, phase: { state: 'merging', since: ago(2), holder } }),
    landed: task({ ...proved, work: landedWork(ago), phase: { state: 'done', at: ago(90) } }),
  };
}

const DIFF = `diff --git a/src/clock.ts b/src/clock.ts
index 1111111..2222222 100644
--- a/src/clock.ts
+++ b/src/clock.ts
@@ -1,4 +1,4 @@ import { parse } from './parse.ts';
-export function isLate(task) {
-  const now = Date.now();
+/** The clock is an argument: it is read once. */
+export function isLate(task, now = Date.now()) {
   return task.due < now;
 }
@@ -20,3 +20,4 @@ export function span(ms) {
   const whole = Math.max(0, ms);
+  if (whole === 0) return 'now';
   return format(whole);
 }
diff --git a/test/clock.test.ts b/test/clock.test.ts
new file mode 100644
index 0000000..3333333
--- /dev/null
+++ b/test/clock.test.ts
@@ -0,0 +1,6 @@
+import { isLate } from '../src/clock.ts';
+
+it('is late after its time', () => {
+\texpect(isLate({ due: 1 }, 2)).toBe(true);
+});
+
diff --git a/flaky.txt b/flaky.txt
deleted file mode 100644
index 4444444..0000000
--- a/flaky.txt
+++ /dev/null
@@ -1,2 +0,0 @@
-login test, about once in ten runs
-ask ada
\\ No newline at end of file
`;

export const workSamples = (ground: Ground): { readonly [Name in Told]: OutputOf<Name> } => ({
  'task.diff': {
    taskId: ground.taskId,
    branch: 'claude/fix-the-login-test/6h2m9xqh',
    base: BASE,
    tip: TIP,
    totals: { commits: 2, files: 3, added: 9, removed: 4 },
    text: DIFF,
    cut: false,
  },
  'task.report': { taskId: ground.taskId, reports: reports(ground), evidence: evidence(ground) },
  'task.push': { taskId: ground.taskId, branch: 'main', remote: 'origin' },
  'task.open': {
    taskId: ground.taskId,
    runId: ground.runId,
    executor: 'claude',
    directory: '/home/you/.fleet/workspaces/site/3',
    command: '/usr/bin/claude',
    args: ['--resume', '0b2f7a5e-8d0e-4a57-9a3e-5a8c1f0d7e11'],
    env: { DISABLE_AUTOUPDATER: '1' },
    files: [],
    filesIn: '/tmp/fleet-open-x7Kq2M',
  },
  'task.restore': { taskId: ground.taskId, runId: ground.runId, branch: 'fleet/restored/6h2m9xqh', commit: TIP },
  'workspace.list': {
    items: [
      workspace(1, ground),
      { ...workspace(2, ground), use: { kind: 'gate', taskId: ground.taskId, commit: TIP }, state: 'setting_up' },
      { ...workspace(3, ground), use: { kind: 'free' }, setup: SETUP },
      { ...workspace(4, ground), state: 'failed', why: 'no space left on the disk' },
      putAside(5, ground),
    ],
  },
  'workspace.prune': { items: [{ ...workspace(3, ground), use: { kind: 'free' } }], dryRun: true },
  'workspace.delete': { ...putAside(5, ground), state: 'leaving', doomed: true },
  'fleet.blame': { file: 'src/clock.ts', lines: blamed(ground) },
});

function reports({ taskId, runId, ago }: Ground): OutputOf<'task.report'>['reports'] {
  const report: OutputOf<'task.report'>['reports'][number] = {
    runId,
    taskId,
    at: ago(190),
    channel: 'file',
    status: 'succeeded',
    summary: 'The clock is an argument now, so that it is read once. The test that failed about once in ten runs is stable.',
    done: ['made the clock an argument of isLate', 'wrote a test that does not wait'],
    open: ['span still reads the clock by itself'],
    tested: ['200 runs of the login test'],
    untested: ['behaviour over a change of the hour'],
    tests: [{ command: 'npm test', status: 'passed', details: '41 of 41' }],
    nextSteps: ['give span the same argument'],
    errors: [],
    previewUrl: 'http://127.0.0.1:20010/',
    files: [
      { path: 'src/clock.ts', status: 'M', added: 3, removed: 2 },
      { path: 'test/clock.test.ts', status: 'A', added: 6, removed: 0 },
      { path: 'flaky.txt', status: 'D', added: 0, removed: 2 },
      { path: 'docs/clock.png', status: 'A' },
    ],
    commits: [
      { id: TIP, subject: 'test: is late after its time' },
      { id: commit('1b2c3d4'), subject: 'clock: read it once' },
    ],
    totals: { commits: 2, files: 4, added: 9, removed: 4 },
    doubts: ['it says it changed src/login.ts; git sees no change there'],
  };
  return [report, { ...report, status: 'failed', doubts: [] }];
}

function evidence({ taskId, runId, ago }: Ground): OutputOf<'task.report'>['evidence'] {
  const found = { runId, taskId, command: 'npm test', onto: BASE, tookMs: 4_310, stale: false };
  const output = 'not ok 41 - is late after its time\n\u001b[31m  expected true, got false\u001b[0m\n# fail 1';
  return [
    { ...found, commit: TIP, green: false, exit: 1, why: 'exit code 1', output, at: ago(60) },
    { ...found, commit: commit('1b2c3d4'), green: true, exit: 0, why: '', output: '# pass 41', at: ago(600), stale: true },
  ];
}

const SETUP: OutputOf<'workspace.list'>['items'][number]['setup'] = {
  command: 'npm ci',
  paths: ['node_modules'],
  fingerprint: '5f1d',
  source: { trust: 'own', toolchain: '9c20', commit: BASE, tree: TIP },
};

const workspace = (n: number, { taskId, projectId, ago }: Ground): OutputOf<'workspace.list'>['items'][number] => ({
  id: WorkspaceId.parse(`ws_${n}`),
  n,
  projectId,
  project: 'site',
  host: 'laptop',
  path: `/home/you/.fleet/workspaces/site-${n}`,
  isolation: 'worktree',
  trust: 'own',
  use: { kind: 'task', taskId, branch: 'claude/fix-the-login-test/6h2m9xqh', start: BASE },
  state: 'ready',
  ports: `200${n}0-200${n}9`,
  createdAt: ago(900),
  updatedAt: ago(190),
});

const putAside = (n: number, ground: Ground): OutputOf<'workspace.list'>['items'][number] => ({
  ...workspace(n, ground),
  state: 'aside',
  why: 'it took longer than 300 s',
  aside: { at: ground.ago(60), path: '/home/you/.fleet/aside/ws_5-2030-01-31T12-00-00.000Z', runId: ground.runId },
});

function blamed({ taskId, runId, ago }: Ground): OutputOf<'fleet.blame'>['lines'] {
  const mine = { commit: commit('aa11bb2'), author: 'Ada', at: ago(900_000), summary: 'clock: begin' };
  const theirs = {
    commit: TIP,
    author: 'Ada',
    at: ago(200),
    summary: 'Fix the login test',
    task: taskId,
    run: runId,
    executor: 'claude',
    model: 'opus',
    title: 'Fix the login test',
    prompt: 'Fix the login test\n\nIt fails about once in ten runs because the clock is read twice.',
  };
  return [
    { ...mine, line: 1, text: "import { parse } from './parse.ts';" },
    { ...theirs, line: 2, text: 'export function isLate(task, now = Date.now()) {' },
    { ...mine, line: 3, text: '  return task.due < now;' },
  ];
}
