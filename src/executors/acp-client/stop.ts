import type { Verdict } from '../../domain/agent/executor.ts';
import type { AgentEvent } from '../executor.ts';
import { ended } from './failure.ts';
import { notice } from './rpc.ts';
import type { State } from './state.ts';
import { type Next, next, uttered } from './updates.ts';

/** It is told to stop, and its run is over: what it still does is no part of it. */
export function stopped(before: State, verdict: Verdict, summary: string, first: readonly AgentEvent[] = []): Next {
  if (before.over) return next(before);
  const { state, events } = uttered(before);
  const cancel = notice('session/cancel', { sessionId: state.session ?? '' });
  return next({ ...state, over: true }, [...events, ...first, ...ended(verdict, summary)], [cancel]);
}

/** Whether it has spent what it may, in dollars or in ways to its model. */
export function overspent(state: State, goesOn: boolean): string | undefined {
  const { maxTurns, maxBudgetUsd, steps, stepsUsd } = state;
  if (maxBudgetUsd !== undefined && goesOn && spentUsd(state) + stepsUsd >= maxBudgetUsd)
    return `it has spent ${maxBudgetUsd} dollars`;
  if (maxTurns !== undefined && goesOn && steps >= maxTurns) return `it went to its model ${steps} times`;
  return undefined;
}

const spentUsd = ({ costUsd = 0, toldUsd }: State): number => Math.max(0, costUsd - toldUsd);
