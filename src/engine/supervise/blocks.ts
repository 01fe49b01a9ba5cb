import type { Executor } from '../../domain/agent/executor.ts';
import type { JournalNote } from '../../domain/journal/entry.ts';
import { overBudget } from '../../domain/run/budget.ts';
import type { Outcome, Run, Watch } from '../../domain/run/run.ts';
import type { Block, Task } from '../../domain/task/task.ts';
import type { UnsavedWork } from './deps.ts';

/* What a person is told who must act before a run makes sense again. */

export const budgetBlock = (taskId: string, why: string): Block => ({
  cause: 'budget',
  who: 'you',
  what: `${why}; its work is kept: raise the limit with \`fleet task edit\`, then \`fleet task resume ${taskId.slice(-8)}\``,
});

export const unkeptText = ({ why, path }: UnsavedWork): string => `${why}; its files are in ${path}`;

/** Its files are all there, and nothing but a person will touch them. */
export const asideBlock = (taskId: string, unkept: UnsavedWork): Block => ({
  cause: 'aside',
  who: 'you',
  what: `what it left could not be kept: ${unkeptText(unkept)}; take from there what you need; \`fleet task retry ${taskId.slice(-8)}\` begins anew, \`fleet workspace delete ${unkept.workspaceId}\` removes them`,
  workspaceId: unkept.workspaceId,
});

interface Over {
  readonly detail: string;
  readonly run: Run;
  readonly task: Task;
  readonly executor: Executor | undefined;
  /** Which budget that it shares is used up. */
  readonly shared: string | undefined;
}

/** Undefined where its outcome is for nobody to act upon. */
export function blockAfter(outcome: Outcome, { detail, run, task, executor, shared }: Over): Block | undefined {
  if (outcome === 'auth_required') {
    const login = executor?.program?.login;
    const how = login ? `to sign in: ${login}` : 'sign it in';
    const said = detail ? ` (${detail})` : '';
    return {
      cause: 'login',
      who: 'you',
      what: `${run.executor} is not signed in${said}: ${how}, then \`fleet task resume ${task.id.slice(-8)}\``,
    };
  }
  if (outcome !== 'over_budget') return undefined;
  // A run may also be ended because it had too many processes: no money helps there.
  const isSpent = run.watch?.verdict === 'over_budget' || (overBudget(task, run.watch) ?? shared) !== undefined;
  return isSpent ? budgetBlock(task.id, detail || 'what it may cost is used up') : undefined;
}

/** Said once, when the first turn without a price is seen: a budget that cannot be kept must not look as if it were. */
export function budgetNote(task: Task, { watch: before }: Run, now: Watch): JournalNote | undefined {
  const isNew = now.usage?.unpriced !== undefined && before?.usage?.unpriced === undefined;
  if (!isNew || task.maxBudgetUsd === undefined || task.usage?.unpriced !== undefined) return undefined;
  const model = now.turns?.spent?.findLast(({ costUsd }) => costUsd === undefined)?.model;
  const why = `nobody knows what ${model ?? 'its model'} costs: its budget of $${task.maxBudgetUsd} cannot be kept${
    task.maxTokens === undefined ? '; a limit of tokens can, or a price in prices.toml' : ', that of its tokens can'
  }`;
  return { what: 'budget unknown', why };
}
