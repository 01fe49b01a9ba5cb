import type { Task } from '../task/task.ts';
import type { Watch } from './run.ts';
import { added, budgetedTokens } from './usage.ts';

type Limited = Pick<Task, 'maxBudgetUsd' | 'maxTokens' | 'maxTurns' | 'usage' | 'turns'>;
type Seen = Pick<Watch, 'usage' | 'turns' | 'openTools'> | undefined;

/** Which budget of the task is used up, by all its runs together; undefined while there is something left. */
export function overBudget(task: Limited, watch: Seen): string | undefined {
  const usage = added(task.usage, watch?.usage);
  const { maxBudgetUsd, maxTokens, maxTurns } = task;
  const cost = usage?.costUsd ?? 0;
  if (maxBudgetUsd !== undefined && cost >= maxBudgetUsd)
    return `it has cost $${cost.toFixed(2)}, and $${maxBudgetUsd} is the most it may cost`;
  const tokens = usage ? budgetedTokens(usage) : 0;
  if (maxTokens !== undefined && tokens >= maxTokens) return `it has used ${tokens} tokens of at most ${maxTokens}`;
  const turns = task.turns + (watch?.turns?.count ?? 0);
  // Who has used the last turn and calls a tool has begun another.
  const isOver = maxTurns !== undefined && (turns > maxTurns || (turns === maxTurns && (watch?.openTools.length ?? 0) > 0));
  return isOver ? `it has taken ${turns} turns, and ${maxTurns} are the most it may take` : undefined;
}

/** Nothing is left to begin with. */
export function hasNothingLeft(task: Limited): string | undefined {
  const over = overBudget(task, undefined);
  if (over !== undefined || task.maxTurns === undefined || task.turns < task.maxTurns) return over;
  return `it has taken ${task.turns} turns, and ${task.maxTurns} are the most it may take`;
}

/** What is left of its dollars, for a program that keeps to a budget by itself. */
export const dollarsLeft = ({ maxBudgetUsd, usage }: Limited): number | undefined =>
  maxBudgetUsd === undefined ? undefined : Math.max(0, maxBudgetUsd - (usage?.costUsd ?? 0));
