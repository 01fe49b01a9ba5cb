import { LIMITS } from '../../domain/limits.ts';
import { type Block, fenceOf, type Task } from '../../domain/task/task.ts';
import { transition } from '../../domain/task/transition.ts';
import { changeWrites } from '../../store/records/journal.ts';
import type { Versioned } from '../../store/records/record.ts';
import { tasks } from '../../store/records/tasks.ts';
import type { WorkDeps } from './deps.ts';

export interface Failure {
  readonly cause: 'proof' | 'conflict';
  /** One line for people. */
  readonly what: string;
  /** Everything the agent needs to put it right. */
  readonly text: string;
}

/** Tells the agent what was found and lets it try again; after a few times a person must look. */
export async function sendBack(seen: Versioned<Task>, failure: Failure, needs: WorkDeps): Promise<boolean> {
  const task = seen.body;
  if (task.repairs >= needs.workRules().repairs || holderOf(task).kind !== 'run') {
    const tries = task.repairs > 0 ? ` (the agent was told ${task.repairs} times)` : '';
    return stop(seen, { cause: failure.cause, who: 'you', what: `${failure.what}${tries}` }, needs);
  }
  const at = needs.now();
  const fence = fenceOf(holderOf(task));
  const last = task.messages.at(-1)?.n ?? 0;
  const message = { n: last + 1, at, by: 'fleet', text: fitting(failure.text), state: 'waiting' as const };
  const told: Task = {
    ...task,
    messages: [...task.messages, message].slice(-LIMITS.messages.value),
    ...(task.work?.runId ? { continues: task.work.runId } : {}),
  };
  const next = transition(told, { type: 'repair', at, fence });
  const note = { what: 'repair', from: task.phase.state, to: next.phase.state, why: failure.what };
  await needs.store.commit(changeWrites(tasks, seen, next, { author: { by: 'fleet', at }, note }), { flush: true });
  return true;
}

/** A person must act before it goes on. */
export async function stop(seen: Versioned<Task>, block: Block, needs: WorkDeps): Promise<boolean> {
  const task = seen.body;
  const at = needs.now();
  const next = transition(task, { type: 'block', at, fence: fenceOf(holderOf(task)), block });
  const note = { what: 'block', from: task.phase.state, to: next.phase.state, why: block.what };
  await needs.store.commit(changeWrites(tasks, seen, next, { author: { by: 'fleet', at }, note }), { flush: true });
  return true;
}

/** Whoever holds finished work while it is proved and merged. */
export function holderOf({ id, phase }: Task) {
  if (phase.state === 'verifying' || phase.state === 'merging') return phase.holder;
  throw new Error(`task ${id} is ${phase.state}, not being proved or merged`);
}

/** The beginning says what is wrong and the end of an output says why: both stay. */
function fitting(text: string): string {
  const most = LIMITS.messageBytes.value / 4;
  if (text.length <= most * 2) return text;
  return `${text.slice(0, most)}\n…\n${text.slice(-most)}`;
}
