import type { Task } from '../task/task.ts';
import type { Watch } from './run.ts';
import { budgetedTokens, type Usage, usageSum } from './usage.ts';

type Limited = Pick<Task, 'maxBudgetUsd' | 'maxTokens' | 'maxTurns' | 'usage' | 'turns'>;
type RunUsage = Pick<Watch, 'usage' | 'turns' | 'openTools'> | undefined;

/** Which budget of the task all its runs together have used up; undefined if none. */
export function overBudget(task: Limited, watch: RunUsage): string | undefined {
  const usage = usageSum(task.usage, watch?.usage);
  const { maxBudgetUsd, maxTokens, maxTurns } = task;
  const cost = usage?.costUsd ?? 0;
  if (maxBudgetUsd !== undefined && cost >= maxBudgetUsd)
    return `it has cost $${cost.toFixed(2)}, and $${maxBudgetUsd} is the most it may cost`;
  const tokens = usage ? budgetedTokens(usage) : 0;
  if (maxTokens !== undefined && tokens >= maxTokens) return `it has used ${tokens} tokens of at most ${maxTokens}`;
  const turns = task.turns + (watch?.turns?.count ?? 0);
  // An agent that calls a tool after its last turn has begun another turn.
  const isOver = maxTurns !== undefined && (turns > maxTurns || (turns === maxTurns && (watch?.openTools.length ?? 0) > 0));
  return isOver ? `it has taken ${turns} turns, and ${maxTurns} are the most it may take` : undefined;
}

/** Which budget leaves nothing for a further run; undefined if none. */
export function exhaustedBudget(task: Limited): string | undefined {
  const over = overBudget(task, undefined);
  if (over !== undefined || task.maxTurns === undefined || task.turns < task.maxTurns) return over;
  return `it has taken ${task.turns} turns, and ${task.maxTurns} are the most it may take`;
}

/** The budget of a task with parts, and what the task and everything below it have used together. */
export interface SharedBudget {
  readonly task: Pick<Task, 'id' | 'maxBudgetUsd' | 'maxTokens'>;
  readonly usage: Usage | undefined;
  /** Dollars that others who share it may take before anybody can look: a turn of each that is at work. Asked for before a start. */
  readonly aheadUsd?: number | undefined;
}

/** Whether a task uses the budget of its parent: every part does. A review that a person asks for does not. */
export const sharesBudget = ({ parentId, reviews, creatorId }: Pick<Task, 'parentId' | 'reviews' | 'creatorId'>): boolean =>
  parentId !== undefined && (reviews === undefined || creatorId?.startsWith('run_') === true);

/** Which shared budget is used up by all tasks that share it; undefined if none. */
export function overSharedBudget(budgets: readonly SharedBudget[]): string | undefined {
  for (const { task, usage, aheadUsd = 0 } of budgets) {
    const { maxBudgetUsd = Infinity, maxTokens = Infinity } = task;
    const [cost, tokens] = [usage?.costUsd ?? 0, usage ? budgetedTokens(usage) : 0];
    const whose = `task ${task.id.slice(-8)} and its parts have`;
    if (cost >= maxBudgetUsd) return `${whose} cost $${cost.toFixed(2)} together, and $${maxBudgetUsd} is the most they may cost`;
    if (aheadUsd > 0 && cost + aheadUsd >= maxBudgetUsd)
      return `${whose} cost $${cost.toFixed(2)} together, those at work may take $${aheadUsd.toFixed(2)} more at any moment, and $${maxBudgetUsd} is the most they may cost`;
    if (tokens >= maxTokens) return `${whose} used ${tokens} tokens together, of at most ${maxTokens}`;
  }
  return undefined;
}

/** What a turn of a run costs, by the dearest it has told; before that, by what a turn has cost those who share its budget. */
export function turnUsd({ usage, turns }: Pick<Watch, 'usage' | 'turns'>): number | undefined {
  const told = (turns?.spent ?? []).flatMap(({ costUsd }) => (costUsd === undefined ? [] : [costUsd]));
  if (told.length > 0) return Math.max(...told);
  return usage?.costUsd === undefined || !turns ? undefined : usage.costUsd / turns.count;
}

/** What is left of its dollars, and of those it shares, for a program that keeps to a budget by itself. */
export function dollarsLeft({ maxBudgetUsd, usage }: Limited, shared: readonly SharedBudget[]): number | undefined {
  const left = [{ task: { maxBudgetUsd }, usage }, ...shared].flatMap((one) =>
    one.task.maxBudgetUsd === undefined ? [] : [Math.max(0, one.task.maxBudgetUsd - (one.usage?.costUsd ?? 0))],
  );
  return left.length === 0 ? undefined : Math.min(...left);
}
