import type { TaskView } from '../../../../contract/shapes.ts';
import type { Block, PhaseState } from '../../../../domain/task/task.ts';
import { shortId } from '../style.ts';

type Step = readonly [command: string, what: string];

const STEPS: Readonly<Record<PhaseState, (id: string, task: TaskView) => readonly Step[]>> = {
  draft: (id) => [dispatch(id), edit(id), remove(id)],
  waiting: (id) => [edit(id), cancel(id)],
  queued: (id) => [edit(id), claim(id), cancel(id)],
  running: (id, task) => (isClaimed(task) ? [complete(id), unclaim(id), cancel(id)] : [follow(id), send(id), cancel(id)]),
  verifying: (id) => [report(id), cancel(id)],
  merging: (id) => [report(id), cancel(id)],
  blocked: (id, task) => [...unblock(task), ...(isAtRest(task) ? [] : [edit(id)]), cancel(id)],
  done: (id, { work }) =>
    work === undefined ? [] : work.landed ? [report(id), diff(id), fork(id)] : [diff(id), merge(id), report(id), fork(id)],
  failed: (id, { work }) => [log(id), ...(work ? [diff(id)] : []), retry(id), resume(id), fork(id)],
  canceled: (id, { work }) => [retry(id), resume(id), ...(work ? [restore(id)] : []), remove(id)],
};

/** What a person can do with a task where it stands, most likely first. */
export function nextCommands(task: TaskView): readonly Step[] {
  const id = shortId(task.id);
  const history: Step = [`fleet task events ${id}`, 'its history'];
  const steps = STEPS[task.phase.state](id, task);
  return steps.some(([command]) => command === history[0]) ? steps : [...steps, history];
}

/** The commands that get a blocked task going, or tell why it is. */
export function unblock({ phase, id }: TaskView): readonly Step[] {
  return phase.state === 'blocked' ? WAYS_ON[phase.block.cause](shortId(id), phase.block) : [];
}

const WAYS_ON: Readonly<Record<Block['cause'], (id: string, block: Block) => readonly Step[]>> = {
  question: (_id, block) =>
    block.cause === 'question'
      ? [
          [`fleet question answer ${shortId(block.questionId)} TEXT`, 'answer, and it goes on'],
          [`fleet question withdraw ${shortId(block.questionId)}`, 'let it decide itself'],
        ]
      : [],
  dependency: (id, block) => [
    ...(block.cause === 'dependency' ? [[`fleet task show ${shortId(block.taskId)}`, 'see why that task ended'] as const] : []),
    [`fleet task edit ${id} --clear after`, 'go on without its dependencies'],
  ],
  agent: (id) => [resume(id), log(id)],
  budget: (id) => [[`fleet task edit ${id} --max-budget-usd N`, 'or --max-tokens, --max-turns: let it cost more'], resume(id)],
  bounds: (id) => [[`fleet task edit ${id} …`, 'bring it within the bounds'], retry(id)],
  login: (id) => [resume(id), log(id)],
  quarantine: (id) => [resume(id), log(id)],
  review: (id) => [
    diff(id),
    [`fleet task approve ${id}`, 'agree to it: it lands'],
    [`fleet task reject ${id} TEXT`, 'say what to do better: its agent tries again'],
  ],
  proof: (id) => [report(id), [`fleet task resume ${id} TEXT`, 'tell its agent how to go on'], verify(id)],
  checkout: (id) => [
    ['git stash', 'or commit, where your changes are: then it lands by itself'],
    [`fleet task merge ${id}`, 'try it again at once'],
  ],
  conflict: (id) => [diff(id), [`fleet task resume ${id} TEXT`, 'tell its agent how to resolve it']],
  aside: (id, block) => [
    ...(block.cause === 'aside'
      ? [[`fleet workspace delete ${block.workspaceId}`, 'remove its files, once nobody needs them'] as const]
      : []),
    retry(id),
  ],
  setup: (id) => [[`fleet run list --task ${id}`, 'find the run of the set-up; fleet run log shows what it printed'], retry(id)],
};

/** Its work is finished: to change what it asks for would not change that. */
const isAtRest = ({ phase }: TaskView): boolean =>
  phase.state === 'blocked' && ['review', 'proof', 'checkout', 'conflict'].includes(phase.block.cause);

const isClaimed = ({ phase }: TaskView): boolean => 'holder' in phase && phase.holder.kind === 'claim';

const dispatch = (id: string): Step => [`fleet task dispatch ${id}`, 'hand it over for work'];
const edit = (id: string): Step => [`fleet task edit ${id} …`, 'change what it asks for'];
const cancel = (id: string): Step => [`fleet task cancel ${id}`, 'stop it'];
const follow = (id: string): Step => [`fleet task log ${id} --follow`, 'what its agent prints'];
const log = (id: string): Step => [`fleet task log ${id}`, 'what its agent printed'];
const send = (id: string): Step => [`fleet task send ${id} TEXT`, 'tell its agent something'];
const retry = (id: string): Step => [`fleet task retry ${id}`, 'try it again from the beginning'];
const resume = (id: string): Step => [`fleet task resume ${id}`, 'let it go on where it stopped'];
const fork = (id: string): Step => [`fleet task fork ${id}`, 'let a second one go on from here'];
const remove = (id: string): Step => [`fleet task delete ${id}`, 'delete it with its history'];
const claim = (id: string): Step => [`fleet task claim ${id}`, 'do it yourself'];
const complete = (id: string): Step => [`fleet task complete ${id} --summary …`, 'say that it is finished'];
const unclaim = (id: string): Step => [`fleet task unclaim ${id}`, 'give it back to the queue'];
const diff = (id: string): Step => [`fleet task diff ${id}`, 'what it has changed'];
const report = (id: string): Step => [`fleet task report ${id}`, 'what it says, and what the gate found'];
const merge = (id: string): Step => [`fleet task merge ${id}`, 'let it land'];
const verify = (id: string): Step => [`fleet task verify ${id}`, 'let the gate look once more'];
const restore = (id: string): Step => [`fleet task restore ${id}`, 'bring its work back as a branch'];
