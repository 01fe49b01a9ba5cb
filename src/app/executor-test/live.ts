import type { Executor } from '../../domain/agent/executor.ts';
import { isFinal } from '../../domain/task/task.ts';
import type { TaskId } from '../../domain/values.ts';
import type { Check } from '../../surfaces/cli/views/executor/test.ts';
import { goOnWith, promptFor } from './prompts.ts';
import type { Trial, TrialResult } from './trial.ts';

/** What the program itself is seen to do, through Fleet, in a place of its own. */
export async function* liveChecks(trial: Trial, executor: Executor): AsyncGenerator<Check> {
  const isLaunched = yield* working(trial, executor);
  if (!isLaunched) return;
  yield* leaving(trial, executor);
  yield* restricted(trial, executor);
}

const check = (name: string, isSo: boolean, why: string): Check => ({
  name,
  ...(isSo ? { result: 'passed' } : { result: 'failed', why }),
});

/** What it says it cannot is not tried. */
const unable = (name: string, ability: keyof Executor['can']): Check => ({
  name,
  result: 'skipped',
  why: `can.${ability} is false`,
});

const hasEnded = ({ run }: TrialResult): boolean => run?.phase.state === 'ended';
const isSettled = ({ task }: TrialResult): boolean => isFinal(task.phase) || task.phase.state === 'blocked';

/** How it went, in the words that people read. */
function story(seen: TrialResult | undefined): string {
  if (!seen) return 'it was not over in time';
  const { run, task } = seen;
  if (run?.phase.state === 'ended') return `the run was ${run.phase.outcome}${run.phase.detail ? `: ${run.phase.detail}` : ''}`;
  if (task.phase.state === 'blocked') return task.phase.block.what;
  return task.phase.state === 'failed' ? task.phase.reason : `the task is ${task.phase.state}`;
}

async function* working(trial: Trial, executor: Executor): AsyncGenerator<Check, boolean> {
  const { can, name } = executor;
  const id = await trial.create({ title: 'work', prompt: promptFor(name, { command: 'echo ready > ready.txt' }) });
  const seen = await trial.until(id, (now) => isSettled(now) && (now.run === undefined || hasEnded(now)));
  const watch = seen?.run?.watch;
  const told = story(seen);
  yield check('launches', watch !== undefined, told);
  if (!watch) return false;
  yield can.resume
    ? check('opens a conversation', watch.session !== undefined, 'it named no session')
    : unable('opens a conversation', 'resume');
  yield check('says what it does', watch.events > 0, `of ${watch.lines} lines none meant anything`);
  yield check(
    'knows what its program prints',
    !watch.unknownLines,
    `${watch.unknownLines} of ${watch.lines} lines are new to it`,
  );
  yield check('ends with a verdict', watch.verdict !== undefined, told);
  yield check('does the work', await hasChanged(trial, id, 'ready.txt'), `ready.txt is not among its changes; ${told}`);
  yield can.usage
    ? check('says what it spent', watch.usage !== undefined, 'no usage was said')
    : unable('says what it spent', 'usage');
  return true;
}

async function hasChanged({ call }: Trial, id: TaskId, file: string): Promise<boolean> {
  const { text } = await call('task.diff', { id }).catch(() => ({ text: '' }));
  return text.includes(file);
}

/** It is told something, canceled, and told to go on. */
async function* leaving(trial: Trial, executor: Executor): AsyncGenerator<Check> {
  const { can, name } = executor;
  const prompt = promptFor(name, { command: 'sleep 600', later: 'echo again > again.txt' });
  const id = await trial.create({ title: 'wait', prompt });
  const begun = await trial.until(id, (now) => isSettled(now) || hasBegun(now, executor));
  if (!begun || isSettled(begun)) {
    yield { name: 'is gone after cancel', result: 'failed', why: `it could not be canceled: ${story(begun)}` };
    return;
  }
  if (can.steer) yield* steered(trial, id);
  else yield unable('takes a message', 'steer');
  await trial.call('task.cancel', { id });
  const canceled = await trial.until(id, isSettled);
  const left = await trial.left();
  const isGone = canceled?.task.phase.state === 'canceled' && left.length === 0;
  yield check('is gone after cancel', isGone, left.length === 0 ? story(canceled) : left.join(', '));
  if (!can.resume) return yield unable('goes on with its conversation', 'resume');
  await trial.call('task.resume', { id, text: goOnWith('echo again > again.txt') });
  const resumed = await trial.until(id, (now) => isSettled(now) && now.task.phase.state !== 'canceled');
  const name2 = 'goes on with its conversation';
  yield check(name2, await hasChanged(trial, id, 'again.txt'), `again.txt is not among its changes; ${story(resumed)}`);
}

/** A program that says when it opens is waited for until it has. */
const hasBegun = ({ run }: TrialResult, { can }: Executor): boolean =>
  run?.phase.state === 'running' && (can.resume ? run.watch?.session !== undefined : run.watch !== undefined);

async function* steered(trial: Trial, id: TaskId): AsyncGenerator<Check> {
  const { n } = await trial.call('task.send', { id, text: 'This is a trial: no answer is needed.' });
  const isTaken = ({ task }: TrialResult): boolean =>
    task.messages.some((message) => message.n === n && message.state !== 'waiting');
  const seen = await trial.until(id, (now) => isTaken(now) || isSettled(now));
  yield check('takes a message', seen !== undefined && isTaken(seen), `it still waits; ${story(seen)}`);
}

async function* restricted(trial: Trial, executor: Executor): AsyncGenerator<Check> {
  const name = 'keeps to the tools it may use';
  if (!executor.can.tools) return yield unable(name, 'tools');
  const id = await trial.create({
    title: 'forbidden',
    preset: 'review',
    prompt: promptFor(executor.name, { command: 'echo no > forbidden.txt' }),
  });
  const seen = await trial.until(id, (now) => isSettled(now) && hasEnded(now));
  const isWritten = await hasChanged(trial, id, 'forbidden.txt');
  yield check(name, seen !== undefined && !isWritten, isWritten ? 'under review it wrote forbidden.txt' : story(seen));
}
