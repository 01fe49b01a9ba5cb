import pico from 'picocolors';
import { describe, expect, it } from 'vitest';
import type { OutputOf } from '../../../contract/call.ts';
import type { RunView } from '../../../contract/run.ts';
import type { TaskView } from '../../../contract/shapes.ts';
import { RunId } from '../../../domain/values.ts';
import { widthOf } from '../terminal/width.ts';
import { NOW_MS, SAMPLES, sampleTask } from '../views/samples.ts';
import { frame, type Scene } from './frame.ts';
import { type GraphCommit, graphOf } from './graph.ts';
import { type DemoTask, laneOf } from './lanes.ts';
import { type DemoResult, result } from './result.ts';
import { beatsOf } from './story.ts';

type Evidence = OutputOf<'task.report'>['evidence'][number];

const at = (second: number) => new Date(NOW_MS + second * 1000).toISOString();
const runId = (n: number) => RunId.parse(`run_${String(n).padStart(26, '0')}`);
const plainLook = { paint: pico.createColors(false), width: 100 };

/** A run from one second to another; without an end it goes on. */
function ran(n: number, kind: 'agent' | 'gate', [from, to]: readonly [number, number?], words = ''): RunView {
  const { watch, ...base } = SAMPLES['run.show'] as RunView;
  const phase = to === undefined ? base.phase : ({ state: 'ended', at: at(to), outcome: 'succeeded' } as const);
  const said = watch && kind === 'agent' ? { watch: { ...watch, lastWords: words, openTools: [] } } : {};
  return { ...base, id: runId(n), kind, createdAt: at(from), phase, ...said };
}

const said = (n: number, green: boolean, output: string): Evidence => ({
  runId: runId(n),
  taskId: sampleTask('6h2m9xqh', 'x', { state: 'queued', since: at(0) }).id,
  command: 'node test.js',
  commit: `${n}`.repeat(40),
  green,
  exit: green ? 0 : 1,
  why: '',
  output,
  tookMs: 300,
  at: at(n),
  stale: false,
});

const holder = { kind: 'run', runId: runId(1) } as const;
const act = (task: TaskView, runs: readonly RunView[] = [], evidence: readonly Evidence[] = []): DemoTask => ({
  name: 'implement',
  task,
  runs,
  told: { taskId: task.id, reports: [], evidence: [...evidence] },
});
const task = (phase: TaskView['phase'], more: Partial<TaskView> = {}) =>
  sampleTask('6h2m9xqh', 'Format durations', phase, { integration: 'none', ...more });
const stages = (...of: Parameters<typeof act>) =>
  laneOf(act(...of), NOW_MS + 9000).stages.map(({ name, state }) => `${name} ${state}`);

const running = task({ state: 'running', since: at(0), holder });
const verifying = task({ state: 'verifying', since: at(2), holder });
const done = task({ state: 'done', at: at(8) });
const refusal = said(2, false, 'ok      formats seconds\nnot ok  formats hours: expected 1h, got 61m\n1 failed');

describe('the lane of a task', () => {
  it('tells what was done, what is going on, and what is ahead', () => {
    expect(stages(task({ state: 'queued', since: at(0) }))).toEqual(['agent ahead', 'gate ahead']);
    expect(stages(running, [ran(1, 'agent', [0])])).toEqual(['agent going', 'gate ahead']);
    expect(stages(verifying, [ran(1, 'agent', [0, 2]), ran(2, 'gate', [2])])).toEqual(['agent good', 'gate going']);
    expect(stages(task({ state: 'queued', since: at(3) }), [ran(1, 'agent', [0, 2]), ran(2, 'gate', [2, 3])], [refusal])).toEqual(
      ['agent good', 'gate bad', 'repair ahead', 'gate ahead'],
    );
    const all = [ran(1, 'agent', [0, 2]), ran(2, 'gate', [2, 3]), ran(3, 'agent', [3, 5]), ran(4, 'gate', [5, 6])];
    expect(stages(done, all, [refusal, said(4, true, '')])).toEqual(['agent good', 'gate bad', 'repair good', 'gate good']);
    expect(stages(task({ state: 'queued', since: at(0) }, { expectsChanges: false, integration: 'auto' }))).toEqual([
      'agent ahead',
      'land ahead',
    ]);
    const { work } = SAMPLES['task.cleanup'];
    expect(stages(task({ state: 'done', at: at(8) }, { integration: 'auto', ...(work && { work }) }))).toEqual(['land good']);
  });

  it('believes a gate only once what it said is written down', () => {
    expect(stages(verifying, [ran(1, 'agent', [0, 2]), ran(2, 'gate', [2, 3])])).toEqual(['agent good', 'gate going']);
  });

  it('says what its agent says, and why nothing happens', () => {
    const words = (...of: Parameters<typeof act>) => laneOf(act(...of), NOW_MS + 9000).words;
    expect(words(running, [ran(1, 'agent', [0], 'I read \u001b[2Jit')])).toBe('“I read it”');
    expect(words(task({ state: 'waiting', since: at(0), on: [] }))).toContain('waits');
    expect(words(task({ state: 'failed', at: at(1), reason: 'refused' }))).toBe('refused');
  });
});

describe('the story', () => {
  it('tells each thing once, and what the gate found wrong', () => {
    const all = [ran(1, 'agent', [0, 2]), ran(2, 'gate', [2, 3]), ran(3, 'agent', [3])];
    const beats = beatsOf([laneOf(act(running, all, [refusal]), NOW_MS)]);
    expect(beats.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
      'going: an agent begins: Format durations',
      'good: it says that it is done',
      'bad: the gate says no: formats hours: expected 1h, got 61m',
      'going: the same agent is told what the gate found, and goes on',
    ]);
    expect(new Set(beats.map(({ key }) => key)).size).toBe(beats.length);
  });
});

function scene(runs: readonly RunView[], evidence: readonly Evidence[], state: TaskView): Scene {
  const lanes = [
    laneOf(act(state, runs, evidence), NOW_MS + 4200),
    { ...laneOf(act(task({ state: 'waiting', since: at(0), on: [] })), NOW_MS), name: 'review' },
  ];
  return { elapsedMs: 4200, lanes, story: beatsOf(lanes).map((beat, index) => ({ ...beat, atMs: index * 1000 })) };
}

const repairing = scene(
  [ran(1, 'agent', [0, 2]), ran(2, 'gate', [2, 3]), ran(3, 'agent', [3], 'The gate is right')],
  [refusal],
  running,
);

describe('the picture of the demo', () => {
  it('shows lanes, words and what has happened', () => expect(frame(repairing, plainLook)).toMatchSnapshot());

  it('has as many lines at the beginning as at the end, so that nothing jumps', () => {
    const lines = (of: Scene) => frame(of, plainLook).split('\n').length;
    expect(lines(repairing)).toBe(lines(scene([], [], task({ state: 'queued', since: at(0) }))));
  });

  it.each([40, 60, 80, 100, 200])('keeps to a terminal of %i columns', (width) => {
    for (const line of frame(repairing, { ...plainLook, width }).split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(width);
  });

  it('turns and fills while time goes by, and has colour only where it is wanted', () => {
    expect(frame({ ...repairing, elapsedMs: 4300 }, plainLook)).not.toBe(frame(repairing, plainLook));
    expect(frame(repairing, plainLook)).not.toContain('\u001b');
    expect(frame(repairing, { ...plainLook, paint: pico.createColors(true) })).toContain('\u001b[31m');
  });
});

const commit = (digit: string, subject: string, author = 'scripted'): GraphCommit => ({ id: digit.repeat(40), subject, author });

describe('the end of the demo', () => {
  const trunk = [commit('a', 'Refine'), commit('b', 'meanwhile', 'you'), commit('c', 'begin', 'you')];
  const beside = [commit('d', 'format zero'), commit('e', 'format')];
  const graph = graphOf({ trunk, beside, fork: commit('c', '').id });

  it('draws where the work came from and where it landed', () => {
    expect(graph.map(({ rail, commit: there }) => `${rail} ${there?.subject ?? ''}`.trimEnd())).toEqual([
      '●─╮ Refine',
      '│ ● format zero',
      '│ ● format',
      '● │ meanwhile',
      '├─╯',
      '● begin',
    ]);
    expect(graphOf({ trunk: [], beside: [], fork: '' })).toEqual([]);
  });

  const { reports } = SAMPLES['task.report'];
  const told = { taskId: reports[0]?.taskId ?? done.id, reports: reports.slice(0, 1), evidence: [said(4, true, ''), refusal] };
  const ending: DemoResult = {
    elapsedMs: 9100,
    target: 'main',
    landed: commit('a', '').id,
    graph,
    told: [{ lane: 'implement', answer: told }],
    next: [['fleet --home /tmp/x task report 6h2m9xqh', 'what it claimed']],
    directory: '/tmp/x',
  };

  it('shows the branch, the evidence, the report and what to type next', () =>
    expect(result(ending, plainLook)).toMatchSnapshot());

  it.each([60, 80, 100])('keeps its boxes to a terminal of %i columns', (width) => {
    const boxed = result(ending, { ...plainLook, width })
      .split('\n')
      .filter((line) => /^ [╭│╰]/.test(line));
    expect(boxed.length).toBeGreaterThan(10);
    for (const line of boxed) expect(widthOf(line)).toBe(width - 1);
  });
});
