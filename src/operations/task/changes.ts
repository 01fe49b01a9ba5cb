import { isLead } from '../../domain/authority.ts';
import { Fault } from '../../domain/fault.ts';
import { LIMITS } from '../../domain/limits.ts';
import { fenceOf, isFinal, type Task } from '../../domain/task/task.ts';
import { type TaskCommand, transition } from '../../domain/task/transition.ts';
import { Name, type RunId } from '../../domain/values.ts';
import type { Write } from '../../store/port.ts';
import { withdrawals } from '../../store/queries/questions.ts';
import { changeWrites } from '../../store/records/journal.ts';
import { projects } from '../../store/records/projects.ts';
import type { Versioned } from '../../store/records/record.ts';
import { runIndex } from '../../store/records/runs.ts';
import { taskIndex, tasks } from '../../store/records/tasks.ts';
import { trash } from '../../store/records/trash.ts';
import { assertGateWithinBounds, assertWithinBounds } from '../bounds.ts';
import { findTask, stillAt } from '../find.ts';
import { type Handlers, plan, type Scope } from '../scope.ts';
import { changeOf, claimBase, named } from './claimed-change.ts';
import { cleanupOf } from './cleanup-of.ts';
import { beliefsIn, findDependencies, openOnes } from './graph.ts';
import { viewOf } from './view.ts';
import { waitHandler } from './wait.ts';

type Changes =
  | 'task.retry'
  | 'task.resume'
  | 'task.send'
  | 'task.wait'
  | 'task.dispatch'
  | 'task.cancel'
  | 'task.comment'
  | 'task.claim'
  | 'task.complete'
  | 'task.unclaim'
  | 'task.delete';

export const taskChangeHandlers: Pick<Handlers, Changes> = {
  'task.dispatch': async ({ id, ifSeq }, scope) => {
    const seen = await findTask(scope, id);
    stillAt('task', seen.body, ifSeq);
    await assertWithinBounds(seen.body, scope);
    const dependencies = await findDependencies(seen.body.dependsOn, scope);
    return moved(seen, { type: 'dispatch', at: scope.now, unmet: openOnes(dependencies, seen.body) }, scope, {
      beliefs: beliefsIn(dependencies),
    });
  },

  'task.cancel': async ({ id, why, ifSeq }, scope) => {
    const seen = await findTask(scope, id);
    stillAt('task', seen.body, ifSeq);
    const beliefs = isHeld(seen.body) ? [] : await unasked(seen.body, 'canceled', scope);
    return moved(seen, { type: 'cancel', at: scope.now, by: scope.caller.name }, scope, { ...(why ? { why } : {}), beliefs });
  },

  'task.comment': async ({ id, text }, scope) => {
    if (text.trim() === '') throw new Fault('invalid', 'text: is empty: say something');
    const seen = await findTask(scope, id);
    const author = { by: scope.caller.name, at: scope.now };
    const note = { what: 'comment', why: text };
    return plan(
      { n: seen.body.seq + 1, ...author, ...note },
      changeWrites(tasks, seen, { ...seen.body, updatedAt: scope.now }, { author, note }),
    );
  },

  'task.claim': async ({ id, as }, scope) => {
    const agent = Name.parse(speaker(as, scope));
    const seen = await findTask(scope, id);
    await assertGateWithinBounds(seen.body, scope);
    const base = await claimBase(seen.body, scope);
    const holder = { kind: 'claim', claimId: scope.ids.claim(), agent, callerId: scope.caller.id, ...base } as const;
    return moved(seen, { type: 'claim', at: scope.now, holder }, scope, { why: `claimed by ${agent}` });
  },

  'task.complete': async ({ id, as, summary, ...said }, scope) => {
    const seen = await findTask(scope, id);
    const holder = ownClaim(seen.body, speaker(as, scope), scope);
    await assertGateWithinBounds(seen.body, scope);
    const found = await changeOf(seen.body, holder, said, scope);
    const type = (await needsProof(seen.body, scope)) ? 'verify' : 'finish';
    const why = said.changes === false ? `no changes: ${summary ?? `${holder.agent} says that none was needed`}` : summary;
    const command = { type, at: scope.now, fence: fenceOf(holder) } as const;
    const { data } = found;
    return moved(named(seen, holder, found.commit), command, scope, { ...(why ? { why } : {}), ...(data ? { data } : {}) });
  },

  'task.unclaim': async ({ id, as }, scope) => {
    const seen = await findTask(scope, id);
    const fence = fenceOf(ownClaim(seen.body, speaker(as, scope), scope));
    return moved(seen, { type: 'giveBack', at: scope.now, fence }, scope, {});
  },

  'task.retry': async ({ id, ifSeq }, scope) => again(id, ifSeq, scope, {}),

  'task.resume': async ({ id, text, ifSeq }, scope) => again(id, ifSeq, scope, { resume: true, ...(text ? { text } : {}) }),

  'task.send': async ({ id, text }, scope) => {
    const seen = await findTask(scope, id);
    if (isFinal(seen.body.phase))
      throw new Fault('conflict', `task ${seen.body.id} is ${seen.body.phase.state}: nobody is left to hear it`);
    await assertWithinBounds(seen.body, scope);
    const task = withMessage(seen.body, text, scope);
    const n = task.messages.at(-1)?.n ?? 0;
    const author = { by: scope.caller.name, at: scope.now };
    const change = changeWrites(tasks, seen, task, { author, note: { what: 'message', why: text, data: { n } } });
    return plan({ taskId: task.id, n, state: 'waiting' as const }, change);
  },

  'task.wait': waitHandler,

  'task.delete': async ({ id, ifSeq }, scope) => {
    const seen = await findTask(scope, id);
    stillAt('task', seen.body, ifSeq);
    await assertUnused(seen.body, scope);
    const { id: gone, seq } = seen.body;
    return plan({ id: gone, deleted: true as const }, [
      tasks.remove(seen.body, seen.version),
      trash.put({ id: gone, seq, at: scope.now }, 'absent'),
      await cleanupOf(seen.body, true, scope),
      ...(await unasked(seen.body, 'deleted', scope)),
    ]);
  },
};

/** Whether somebody works on it, so that it ends only once they have. */
const isHeld = ({ phase: { state } }: Task): boolean => state === 'running' || state === 'verifying' || state === 'merging';

/** What its agents asked need not be answered any more. */
const unasked = ({ id }: Task, what: string, { reads, caller, now }: Scope): Promise<Write[]> =>
  withdrawals(reads, id, { author: { by: caller.name, at: now }, why: `task ${id} was ${what}` });

/** Nobody takes another's name but those who lead. */
function speaker(as: string | undefined, { caller }: Scope): string {
  if (as === undefined || as === caller.name || isLead(caller)) return as ?? caller.name;
  throw new Fault('forbidden', `${caller.name} is ${caller.role} and cannot speak for ${as}`);
}

/** Finished work is refused: its agent goes on with these words, which stay with the work and in its history. */
export const sendBack = (id: string, ifSeq: number | undefined, text: string, scope: Scope) =>
  again(id, ifSeq, scope, { resume: true, text, isRejected: true });

interface Again {
  readonly resume?: boolean;
  readonly text?: string;
  readonly isRejected?: boolean;
}

/** A person wants it tried again: from the beginning, or where its agent stopped. */
async function again(id: string, ifSeq: number | undefined, scope: Scope, { resume, text, isRejected }: Again) {
  const seen = await findTask(scope, id);
  stillAt('task', seen.body, ifSeq);
  await assertWithinBounds(seen.body, scope);
  const dependencies = await findDependencies(seen.body.dependsOn, scope);
  const [newest] = resume ? await scope.reads.scan({ index: runIndex.agents(seen.body.id), limit: 1, reverse: true }) : [];
  const { continues: _before, ...rest } = seen.body;
  const rejected = isRejected && text !== undefined ? { rejected: rejection(rest, text, scope) } : {};
  const asked: Task = {
    ...rest,
    ...(rest.work ? { work: { ...rest.work, ...rejected } } : {}),
    ...(newest ? { continues: newest.key.id as RunId } : {}),
  };
  const told = text === undefined ? asked : withMessage(asked, text, scope);
  const command = { type: 'retry', at: scope.now, unmet: openOnes(dependencies, seen.body) } as const;
  return moved({ ...seen, body: told }, command, scope, {
    ...(isRejected ? { what: 'reject' } : {}),
    why: (isRejected && text) || (resume ? 'to go on' : 'from the beginning'),
    beliefs: beliefsIn(dependencies),
  });
}

export function withMessage(task: Task, text: string, { caller, now }: Scope): Task {
  const last = task.messages.at(-1)?.n ?? 0;
  const unheard = task.messages.filter(({ state }) => state === 'waiting').length;
  if (unheard >= LIMITS.messages.value)
    throw new Fault('limit', `task ${task.id} has ${unheard} messages its agent has not heard yet`);
  const message = { n: last + 1, at: now, by: caller.name, text, state: 'waiting' as const };
  return { ...task, messages: [...task.messages, message].slice(-LIMITS.messages.value), updatedAt: now };
}

const rejection = ({ work }: Pick<Task, 'work'>, text: string, { caller, now }: Scope) => ({
  by: caller.name,
  at: now,
  text,
  ...(work?.tree ? { tree: work.tree } : {}),
});

interface Around {
  readonly what?: string;
  readonly why?: string;
  readonly data?: Record<string, unknown>;
  readonly beliefs?: readonly Write[];
}

async function moved(seen: Versioned<Task>, command: TaskCommand, scope: Scope, { what, why, data, beliefs = [] }: Around) {
  const next = transition(seen.body, command);
  const states = { from: seen.body.phase.state, to: next.phase.state };
  const note = { what: what ?? command.type, ...states, ...(why ? { why } : {}), ...(data ? { data } : {}) };
  const change = changeWrites(tasks, seen, next, { author: { by: scope.caller.name, at: scope.now }, note });
  return plan(await viewOf({ ...next, seq: next.seq + 1 }, scope), [...change, ...beliefs]);
}

/** A claim, for the one who made it and nobody else. */
function ownClaim(task: Task, agent: string, { caller }: Scope) {
  const { phase } = task;
  if (phase.state !== 'running' || phase.holder.kind !== 'claim')
    throw new Fault('conflict', `task ${task.id} is ${phase.state} and not claimed by anybody: claim it first`);
  if (phase.holder.agent !== agent)
    throw new Fault('forbidden', `task ${task.id} is claimed by ${phase.holder.agent}, not by ${agent}`);
  // Two who are called alike are two: only those who lead may end the claim of another.
  if (phase.holder.callerId !== undefined && phase.holder.callerId !== caller.id && !isLead(caller))
    throw new Fault('forbidden', `task ${task.id} is claimed by another ${agent}, with another token`);
  return phase.holder;
}

/** With a verify command in its project, a claim of being finished is only a claim. */
async function needsProof(task: Task, { reads }: Scope): Promise<boolean> {
  if (!task.projectId) return false;
  return (await projects.get(reads, task.projectId))?.body.verify !== undefined;
}

async function assertUnused(task: Task, { reads }: Scope): Promise<void> {
  if (isHeld(task)) throw new Fault('conflict', `task ${task.id} is ${task.phase.state}: cancel it before deleting it`);
  const [waiting] = await reads.scan({ index: taskIndex.waits(task.id), limit: 1 });
  if (waiting) throw new Fault('conflict', `task ${waiting.key.id} waits for ${task.id}: change its dependencies first`);
  const [part] = await reads.scan({ index: taskIndex.parent(task.id), limit: 1 });
  if (part) throw new Fault('conflict', `task ${part.key.id} is a part of ${task.id}: delete it first`);
}
