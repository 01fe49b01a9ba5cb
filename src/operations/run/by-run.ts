import type { Caller } from '../../domain/authority.ts';
import { Fault } from '../../domain/fault.ts';
import type { Holder, Task } from '../../domain/task/task.ts';
import { reportOf } from '../../domain/work/report.ts';
import type { Write } from '../../store/port.ts';
import { reports } from '../../store/records/findings.ts';
import { changeWrites } from '../../store/records/journal.ts';
import type { Versioned } from '../../store/records/record.ts';
import { tasks } from '../../store/records/tasks.ts';
import { findTask } from '../find.ts';
import { type Handlers, plan, type Scope } from '../scope.ts';
import { reviewTaskHandler } from '../task/review.ts';
import { runContextHandler } from './context.ts';
import { assertOwn, ownRun } from './own-run.ts';

type ByRun = 'run.context' | 'report.submit' | 'inbox.read' | 'task.review';

export const byRunHandlers: Pick<Handlers, ByRun> = {
  'run.context': runContextHandler,

  'task.review': reviewTaskHandler,

  'report.submit': async (input, scope) => {
    const { run, task } = await ownRun(scope);
    const before = await reports.get(scope.reads, run.body.id);
    const report = reportOf({ runId: run.body.id, taskId: task.body.id, at: scope.now, submitted: input });
    return plan(report, [reports.put(report, before?.version ?? 'absent')]);
  },

  'inbox.read': async ({ task, after, peek }, scope) => {
    const { seen, hears } = await readerOf(task, scope);
    const items = seen.body.messages.filter(({ n, state }) => n > after && state === 'waiting');
    const writes = hears && !peek && items.length > 0 ? heard(seen, new Set(items.map(({ n }) => n)), scope) : [];
    const told = writes.length > 0 ? items.map((message) => ({ ...message, state: 'heard' as const })) : items;
    return plan({ taskId: seen.body.id, items: told }, writes);
  },
};

/** Whoever does the work hears what is said to it; everybody else only looks. */
async function readerOf(named: string | undefined, scope: Scope): Promise<{ seen: Versioned<Task>; hears: boolean }> {
  if (scope.caller.run) {
    const { task } = await ownRun(scope);
    assertOwn(named, task.body.id);
    return { seen: task, hears: true };
  }
  if (named === undefined) throw new Fault('invalid', 'task: say whose messages');
  const seen = await findTask(scope, named);
  const { phase } = seen.body;
  return {
    seen,
    hears: phase.state === 'running' && phase.holder.kind === 'claim' && isClaimant(phase.holder, scope.caller),
  };
}

const isClaimant = (holder: Extract<Holder, { kind: 'claim' }>, { id, name }: Caller): boolean =>
  holder.agent === name && (holder.callerId === undefined || holder.callerId === id);

function heard(seen: Versioned<Task>, numbers: ReadonlySet<number>, { caller, now }: Scope): Write[] {
  const messages = seen.body.messages.map((message) =>
    numbers.has(message.n) ? { ...message, state: 'heard' as const } : message,
  );
  const note = { what: 'heard', data: { messages: [...numbers] } };
  return changeWrites(tasks, seen, { ...seen.body, messages, updatedAt: now }, { author: { by: caller.name, at: now }, note });
}
