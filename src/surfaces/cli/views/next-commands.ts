import type { TaskView } from '../../../contract/shapes.ts';
import type { PhaseState } from '../../../domain/task/task.ts';
import { shortId } from './look.ts';

type Step = readonly [command: string, what: string];

const STEPS: Readonly<Record<PhaseState, (id: string, task: TaskView) => readonly Step[]>> = {
  draft: (id) => [dispatch(id), edit(id), remove(id)],
  waiting: (id) => [edit(id), cancel(id)],
  queued: (id) => [edit(id), claim(id), cancel(id)],
  running: (id, task) => (isClaimed(task) ? [complete(id), unclaim(id), cancel(id)] : [follow(id), send(id), cancel(id)]),
  verifying: (id) => [cancel(id)],
  merging: (id) => [cancel(id)],
  blocked: (id, task) => [...unblock(task), edit(id), cancel(id)],
  done: () => [],
  failed: (id) => [log(id), retry(id), resume(id)],
  canceled: (id) => [retry(id), resume(id), remove(id)],
};

/** What a person can do with a task where it stands, most likely first. */
export function nextCommands(task: TaskView): readonly Step[] {
  const id = shortId(task.id);
  const history: Step = [`fleet task events ${id}`, 'its history'];
  const steps = STEPS[task.phase.state](id, task);
  return steps.some(([command]) => command === history[0]) ? steps : [...steps, history];
}

/** The one command that gets a blocked task going, if one alone can. */
export function unblock({ phase, id }: TaskView): readonly Step[] {
  if (phase.state !== 'blocked') return [];
  const { block } = phase;
  if (block.cause === 'question') return [[`fleet question answer ${shortId(block.questionId)} TEXT`, 'answer, and it goes on']];
  if (block.cause === 'dependency') {
    return [
      [`fleet task show ${shortId(block.taskId)}`, 'see why that task ended'],
      [`fleet task edit ${shortId(id)} --clear after`, 'go on without its dependencies'],
    ];
  }
  return [resume(shortId(id)), log(shortId(id))];
}

const isClaimed = ({ phase }: TaskView): boolean => 'holder' in phase && phase.holder.kind === 'claim';

const dispatch = (id: string): Step => [`fleet task dispatch ${id}`, 'hand it over for work'];
const edit = (id: string): Step => [`fleet task edit ${id} …`, 'change what it asks for'];
const cancel = (id: string): Step => [`fleet task cancel ${id}`, 'stop it'];
const follow = (id: string): Step => [`fleet task log ${id} --follow`, 'what its agent prints'];
const log = (id: string): Step => [`fleet task log ${id}`, 'what its agent printed'];
const send = (id: string): Step => [`fleet task send ${id} TEXT`, 'tell its agent something'];
const retry = (id: string): Step => [`fleet task retry ${id}`, 'try it again from the beginning'];
const resume = (id: string): Step => [`fleet task resume ${id}`, 'let it go on where it stopped'];
const remove = (id: string): Step => [`fleet task delete ${id}`, 'delete it with its history'];
const claim = (id: string): Step => [`fleet task claim ${id}`, 'do it yourself'];
const complete = (id: string): Step => [`fleet task complete ${id} --summary …`, 'say that it is finished'];
const unclaim = (id: string): Step => [`fleet task unclaim ${id}`, 'give it back to the queue'];
