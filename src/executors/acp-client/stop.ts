import type { Verdict } from '../../domain/agent/executor.ts';
import type { AgentEvent } from '../executor.ts';
import { ended } from './failure.ts';
import { notice } from './rpc.ts';
import type { State } from './state.ts';
import { type Next, next, uttered } from './updates.ts';

/** Cancels the agent and ends the run; later output is ignored. */
export function stopped(before: State, verdict: Verdict, summary: string, first: readonly AgentEvent[] = []): Next {
  if (before.over) return next(before);
  const { state, events } = uttered(before);
  const cancel = notice('session/cancel', { sessionId: state.session ?? '' });
  return next({ ...state, over: true }, [...events, ...first, ...ended(verdict, summary)], [cancel]);
}

/** Which limit the agent has used up, of dollars or of requests to its model; undefined if none. */
export function overspent(state: State, goesOn: boolean): string | undefined {
  const { maxTurns, maxBudgetUsd, steps, stepsUsd } = state;
  if (maxBudgetUsd !== undefined && goesOn && spentUsd(state) + stepsUsd >= maxBudgetUsd)
    return `it has spent ${maxBudgetUsd} dollars`;
  if (maxTurns !== undefined && goesOn && steps >= maxTurns) return `it went to its model ${steps} times`;
  return undefined;
}

const spentUsd = ({ costUsd = 0, toldUsd }: State): number => Math.max(0, costUsd - toldUsd);
