import type { OutputOf } from '../../../contract/call.ts';
import type { RunView } from '../../../contract/run.ts';
import type { TaskView } from '../../../contract/shapes.ts';
import { msOf } from '../../../domain/moment.ts';
import { isFinal, type PhaseState } from '../../../domain/task/phases.ts';
import { plainLine } from '../terminal/plain.ts';
import { shortCommit } from '../views/work/changes.ts';

type Told = OutputOf<'task.report'>;
type Evidence = Told['evidence'][number];

/** One task of the demo, as it is known at a moment. */
export interface DemoTask {
  readonly name: string;
  readonly task: TaskView;
  /** Its runs, oldest first. */
  readonly runs: readonly RunView[];
  readonly told: Told;
}

/** One thing a task has to get through on its way. */
export interface DemoStage {
  readonly name: 'agent' | 'gate' | 'repair' | 'land';
  readonly state: 'ahead' | 'going' | 'good' | 'bad';
  readonly tookMs: number;
  /** What a gate looked at. */
  readonly commit?: string;
  /** What it found wrong. */
  readonly found?: string;
}

export interface DemoLane {
  readonly name: string;
  readonly id: string;
  readonly title: string;
  readonly state: PhaseState;
  readonly stages: readonly DemoStage[];
  /** What its agent says or does, or why nothing happens. */
  readonly words: string;
  readonly tookMs: number;
}

export function laneOf({ name, task, runs, told }: DemoTask, nowMs: number): DemoLane {
  const seen = runs.flatMap((run, index) => stageOf(run, runs.slice(0, index), told.evidence, nowMs) ?? []);
  const stages = [...seen, ...landing(task, seen, nowMs)];
  return {
    name,
    id: task.id,
    title: plainLine(task.title),
    state: task.phase.state,
    stages: [...stages, ...ahead(task, stages)],
    words: wordsOf(task, runs, stages),
    tookMs: runs[0] === undefined ? 0 : (endOf(task) ?? nowMs) - msOf(runs[0].createdAt),
  };
}

function stageOf(run: RunView, before: readonly RunView[], evidence: readonly Evidence[], nowMs: number): DemoStage | undefined {
  const { phase } = run;
  const tookMs = Math.max(0, (phase.state === 'ended' ? msOf(phase.at) : nowMs) - msOf(run.createdAt));
  if (run.kind === 'agent') {
    const state = phase.state !== 'ended' ? 'going' : phase.outcome === 'succeeded' ? 'good' : 'bad';
    return { name: before.some(({ kind }) => kind === 'agent') ? 'repair' : 'agent', state, tookMs };
  }
  if (run.kind !== 'gate') return undefined;
  // What it said counts once it is written down.
  const said = evidence.find(({ runId }) => runId === run.id);
  const state = said === undefined ? 'going' : said.green ? 'good' : 'bad';
  return {
    name: 'gate',
    state,
    tookMs,
    ...(said?.commit && { commit: shortCommit(said.commit) }),
    ...(said && !said.green && { found: firstFailure(said.output) }),
  };
}

/** The first line that names a failure; without one, the last line. */
function firstFailure(output: string): string {
  const lines = output.split('\n').map(plainLine).filter(Boolean);
  return (lines.find((line) => /^not ok|^✗|^FAIL/i.test(line)) ?? lines.at(-1) ?? '').replace(/^(not ok|✗|FAIL)\s*/i, '');
}

function landing({ phase, work, integration }: TaskView, seen: readonly DemoStage[], nowMs: number): DemoStage[] {
  if (integration !== 'auto') return [];
  if (work?.landed) return [{ name: 'land', state: 'good', tookMs: 0, commit: shortCommit(work.landed.commit) }];
  const isGating = seen.at(-1)?.state === 'going';
  return phase.state === 'merging' && !isGating ? [{ name: 'land', state: 'going', tookMs: nowMs - msOf(phase.since) }] : [];
}

/** What is still to come, as far as one can tell. */
function ahead({ phase, expectsChanges, integration }: TaskView, stages: readonly DemoStage[]): DemoStage[] {
  if (isFinal(phase) || phase.state === 'blocked') return [];
  const to = (name: DemoStage['name']): DemoStage => ({ name, state: 'ahead', tookMs: 0 });
  const last = stages.at(-1);
  const land = integration === 'auto' && last?.name !== 'land' ? [to('land')] : [];
  if (!last) return [to('agent'), ...(expectsChanges ? [to('gate')] : []), ...land];
  if (last.name === 'gate') return last.state === 'bad' ? [to('repair'), to('gate'), ...land] : land;
  return [...(expectsChanges && last.name !== 'land' ? [to('gate')] : []), ...land];
}

function wordsOf({ phase, work }: TaskView, runs: readonly RunView[], stages: readonly DemoStage[]): string {
  const agent = runs.findLast(({ kind }) => kind === 'agent');
  if (phase.state === 'waiting') return 'waits for the one before it';
  if (phase.state === 'queued' && !agent) return 'in the queue';
  if (phase.state === 'blocked') return plainLine(phase.block.what);
  if (phase.state === 'failed') return plainLine(phase.reason);
  if (stages.at(-1)?.state === 'going' && stages.at(-1)?.name === 'gate')
    return 'the gate runs the tests of the project on exactly this commit';
  if (phase.state === 'merging') return `on its way to ${plainLine(work?.target ?? 'the target')}`;
  const watch = agent?.watch;
  if (!watch) return phase.state === 'running' ? 'a workspace of its own is made ready' : '';
  const [tool] = watch.openTools;
  if (tool !== undefined) return `❯ ${plainLine(tool)}`;
  const said = plainLine(watch.summary ?? watch.lastWords);
  return said === '' ? '' : `“${said}”`;
}

const endOf = ({ phase }: TaskView): number | undefined => ('at' in phase ? msOf(phase.at) : undefined);
