import { describe, expect, it } from 'vitest';
import { type Block, type Task } from '../../../domain/task/task.ts';
import { run } from '../fake-io.ts';
import { NOW_MS, SAMPLES, sampleTask, taskId } from './samples.ts';
import { nextCommands } from './task/next-commands.ts';
import { view } from './views.ts';

const at = (columns: number, colour = false) => ({ columns, colour, now: () => NOW_MS, env: { HOME: '/home/you' }, input: {} });
const since = new Date(NOW_MS - 60_000).toISOString();

describe('work in a repository, for people', () => {
  it.each([
    'task.diff',
    'task.report',
    'workspace.list',
    'workspace.prune',
    'workspace.delete',
    'fleet.blame',
    'task.wait',
  ] as const)('shows %s calmly', (name) => expect(view(name, SAMPLES[name], at(100))).toMatchSnapshot());

  it.each(['task.commit', 'task.verify', 'task.merge', 'task.cleanup'] as const)('shows a task after %s', (name) => {
    expect(view('task.show', SAMPLES[name], at(100))).toMatchSnapshot();
  });

  it.each(['task.approve', 'task.reject', 'task.commit', 'task.push', 'task.restore', 'task.cleanup', 'task.verify'] as const)(
    'says what %s has done',
    (name) => expect(view(name, SAMPLES[name], at(100))).toMatchSnapshot(),
  );

  it('colours added and removed lines, and nothing where colour is not wanted', () => {
    const shown = view('task.diff', SAMPLES['task.diff'], at(100, true));
    expect(shown).toContain('\u001b[31m-  const now = Date.now();\u001b[39m\n');
    expect(shown).toContain('\u001b[32m+export function isLate(task, now = Date.now()) {\u001b[39m\n');
    expect(shown).toContain('\u001b[2m@@ -20,3 +20,4 @@');
    expect(view('task.diff', SAMPLES['task.diff'], at(100))).not.toContain('\u001b');
  });

  it('hides nothing of a diff that a terminal would swallow [T16]', () => {
    const text = 'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+/*\u001b]0;*/ steal(); /*\u0007*/\n';
    expect(view('task.diff', { ...SAMPLES['task.diff'], text }, at(100))).toContain('+/*␛]0;*/ steal(); /*␇*/\n');
  });

  it('says that a diff was cut, and what has not been changed', () => {
    const { text, ...rest } = SAMPLES['task.diff'];
    expect(view('task.diff', { ...rest, text, cut: true }, at(100))).toMatch(/was cut here.*--max-bytes/);
    const none = { ...rest, text: '', totals: { commits: 0, files: 0, added: 0, removed: 0 } };
    expect(view('task.diff', none, at(100))).toContain('nothing changed');
  });

  it('prints the diff as git wrote it with --raw, and only the files with --stat', async () => {
    expect((await run(['task', 'diff', 'abcd', '--raw'])).out).toBe(SAMPLES['task.diff'].text);
    const { out, calls } = await run(['task', '6h2m9xqh', 'diff', '--stat']);
    expect(calls).toMatchObject([{ name: 'task.diff', input: { id: '6h2m9xqh' } }]);
    expect(out).toContain('3 files, +9 −4, 2 commits');
    expect(out).not.toContain('@@');
    expect(JSON.parse((await run(['task', 'diff', 'abcd', '--raw', '--json'])).out)).toEqual(SAMPLES['task.diff']);
  });

  it('tells everything about one line of a file', async () => {
    const [mine, theirs] = SAMPLES['fleet.blame'].lines;
    expect(view('fleet.blame', { file: 'src/clock.ts', lines: [theirs] }, at(100))).toMatchSnapshot();
    expect(view('fleet.blame', { file: 'src/clock.ts', lines: [mine] }, at(100))).toContain('No task of this fleet');
    expect((await run(['blame', 'src/clock.ts:2'])).calls).toMatchObject([
      { name: 'fleet.blame', input: { file: '/home/you/code/src/clock.ts:2' } },
    ]);
  });

  it('says when there is no report yet', () => {
    const nothing = { taskId: taskId('6h2m9xqh'), reports: [], evidence: [] };
    expect(view('task.report', nothing, at(100))).toContain('No agent of 6h2m9xqh has reported yet');
  });

  it('shows who verifies and who merges among the tasks at work', async () => {
    const items = [SAMPLES['task.verify'], SAMPLES['task.merge']];
    const { out } = await run(['tasks'], { answer: (name) => (name === 'task.list' ? { items } : undefined) });
    expect(out).toMatch(/ID +PHASE +STARTED/);
    expect(out).toMatch(/◆ verifying .* 2s +–/);
    expect(out).toMatch(/◆ merging /);
  });
});

describe('what to type next for a task that is blocked', () => {
  const stuck = (block: Partial<Block>) =>
    nextCommands(
      sampleTask('9c2m9xqc', 'A title', { state: 'blocked', since, block: { who: 'you', what: 'x', ...block } as Block }),
    ).map(([command]) => command.replace(' 9c2m9xqc', ''));

  it.each([
    ['review', ['fleet task diff', 'fleet task approve', 'fleet task reject TEXT']],
    ['proof', ['fleet task report', 'fleet task resume TEXT', 'fleet task verify']],
    ['checkout', ['git stash', 'fleet task merge']],
    ['conflict', ['fleet task diff', 'fleet task resume TEXT']],
    ['setup', ['fleet run list --task', 'fleet task retry']],
    ['agent', ['fleet task resume', 'fleet task log']],
  ] as const)('by %s', (cause, commands) => {
    expect(stuck({ cause } as Partial<Block>).slice(0, commands.length)).toEqual(commands);
  });

  it('or has been finished without landing', () => {
    const { landed: _, ...work } = SAMPLES['task.cleanup'].work ?? ({} as NonNullable<Task['work']>);
    const next = nextCommands({ ...SAMPLES['task.cleanup'], work }).map(([command]) => command);
    expect(next).toContain('fleet task merge 6h2m9xqh');
    expect(nextCommands(SAMPLES['task.cleanup']).map(([command]) => command)).not.toContain('fleet task merge 6h2m9xqh');
  });
});
