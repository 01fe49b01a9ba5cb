import type { Call } from '../../contract/call.ts';
import { Fault } from '../../domain/fault.ts';
import { isFinal, type PhaseState } from '../../domain/task/task.ts';
import type { TaskId } from '../../domain/values.ts';
import type { Scene } from '../../surfaces/cli/demo/frame.ts';
import { type DemoTask, laneOf } from '../../surfaces/cli/demo/lanes.ts';
import { type Beat, beatsOf } from '../../surfaces/cli/demo/story.ts';
import { startInBackground, stopEngine } from '../background.ts';
import { type Scratch, workMeanwhile } from './scratch.ts';
import { GATE, PARTS } from './script.ts';
import type { Show } from './showing.ts';

export interface Player {
  readonly call: Call;
  readonly scratch: Scratch;
  readonly show: Show;
  readonly signal: AbortSignal;
  elapsedMs(): number;
}

const everyMs = 80;
/** Pictures come more often than news: what a run is doing is written down a few times a second. */
const lookEveryMs = 200;
/** It takes about ten seconds; a machine this much slower has another problem. */
const longestMs = 120_000;
const leaveMs = 15_000;

/** Hands the work in, lets an engine of its own do it, and shows how it goes; whatever happens, the engine is gone at the end. */
export async function play(player: Player): Promise<readonly DemoTask[] | 'stopped'> {
  const { call, scratch } = player;
  await call('home.init', {});
  await call('config.set', { assignments: ['grace_seconds=1', 'scripted=true'] });
  const ids = await handIn(player);
  const given = new AbortController();
  const engine = startInBackground(scratch.io, ['--port', '0']);
  try {
    // Shown from the first moment on; an engine that does not start ends it.
    const signal = AbortSignal.any([player.signal, given.signal]);
    const [acts] = await Promise.all([watch({ ...player, signal }, ids), engine]).catch((error: unknown) => {
      given.abort();
      throw error;
    });
    return acts;
  } finally {
    await engine.then(
      () => leaveNothing(player),
      () => undefined,
    );
  }
}

/** Three tasks, each after the one before it. */
async function handIn({ call, scratch }: Player): Promise<readonly TaskId[]> {
  await call('project.add', { path: scratch.repository, name: 'tempo', verify: GATE });
  const ids: TaskId[] = [];
  for (const { name, title, prompt, kind, integration } of PARTS) {
    const task = await call('task.create', {
      project: 'tempo',
      title,
      kind,
      integration,
      executor: ['scripted'],
      prompt: `${prompt}\n\nscenario: ${scratch.scenario(name)}\n`,
      after: ids.slice(-1),
    });
    ids.push(task.id);
  }
  return ids;
}

async function watch(player: Player, ids: readonly TaskId[]): Promise<readonly DemoTask[] | 'stopped'> {
  const { show, signal, scratch, elapsedMs } = player;
  const story: Scene['story'][number][] = [];
  const tell = (beats: readonly Beat[]) => {
    for (const beat of beats) if (!story.some(({ key }) => key === beat.key)) story.push({ ...beat, atMs: elapsedMs() });
  };
  let acts: readonly DemoTask[] = [];
  let lookedMs = Number.NEGATIVE_INFINITY;
  let isMoved = false;
  while (!signal.aborted) {
    if (elapsedMs() - lookedMs >= lookEveryMs) {
      lookedMs = elapsedMs();
      acts = await lookAt(player, ids, acts);
    }
    const lanes = acts.map((act) => laneOf(act, scratch.io.now()));
    tell(beatsOf(lanes));
    if (!isMoved && hasBegun(acts.at(-1))) {
      isMoved = true;
      tell([
        { key: 'meanwhile', lane: 'you', kind: 'person', text: `commit to main meanwhile: ${await workMeanwhile(scratch)}` },
      ]);
    }
    await show({ elapsedMs: elapsedMs(), lanes, story });
    if (acts.every(({ task }) => task.phase.state === 'done')) return acts;
    assertGoing(acts, elapsedMs(), scratch);
    await scratch.io.pause(everyMs);
  }
  return 'stopped';
}

/** What has ended does not change any more. */
const lookAt = (player: Player, ids: readonly TaskId[], before: readonly DemoTask[]): Promise<readonly DemoTask[]> =>
  Promise.all(
    ids.map(async (id, index) => {
      const known = before[index];
      return known?.task.phase.state === 'done' ? known : look(player, id, PARTS[index]?.name ?? '');
    }),
  );

/** The task first: what is asked later is at least as new, so that a task that is done has all of its evidence. */
async function look({ call }: Player, id: TaskId, name: string): Promise<DemoTask> {
  const task = await call('task.show', { id });
  const [runs, told] = await Promise.all([call('run.list', { task: id, limit: 50 }), call('task.report', { id })]);
  return { name, task, runs: runs.items.toReversed(), told };
}

/** It stands on what main was; from now on main may move under it. */
const hasBegun = (act: DemoTask | undefined): boolean =>
  act?.task.phase.state === 'running' && act.runs.at(-1)?.watch !== undefined;

const STUCK: readonly PhaseState[] = ['blocked', 'failed', 'canceled'];

function assertGoing(acts: readonly DemoTask[], elapsedMs: number, { directory }: Scratch): void {
  const stuck = acts.find(({ task }) => STUCK.includes(task.phase.state));
  const hint = `everything is kept in ${directory}: fleet --home '${directory}' task list tells more`;
  if (stuck) throw new Fault('conflict', `${stuck.name} is ${stuck.task.phase.state}: ${whyOf(stuck)}`, { hint, directory });
  if (elapsedMs > longestMs) throw new Fault('unavailable', `it is not over after ${longestMs / 1000} s`, { hint, directory });
}

const whyOf = ({ task: { phase } }: DemoTask): string =>
  phase.state === 'blocked' ? phase.block.what : phase.state === 'failed' ? phase.reason : '';

/** Agents outlive an engine, so they are ended before it is; and it tidies up after those that are done. */
async function leaveNothing({ call, scratch }: Player): Promise<void> {
  const { io } = scratch;
  const until = io.elapsed() + leaveMs;
  while (io.elapsed() < until) {
    const [{ items: tasks }, { items: trees }] = await Promise.all([call('task.list', {}), call('workspace.list', {})]);
    const open = tasks.filter(({ phase }) => !isFinal(phase));
    const done = new Set<string>(tasks.filter(({ phase }) => phase.state === 'done').map(({ id }) => id));
    if (open.length === 0 && trees.every(({ use }) => use.kind === 'free' || !done.has(use.taskId))) break;
    // One that ends by itself just now need not be canceled any more.
    for (const { id, cancelAsked } of open) if (!cancelAsked) await call('task.cancel', { id }).catch(() => undefined);
    await io.pause(everyMs);
  }
  await stopEngine(io);
}
