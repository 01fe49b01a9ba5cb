import type { Verdict } from '../../domain/agent/executor.ts';
import type { AgentEvent } from '../executor.ts';
import { ended } from './failure.ts';
import { notification } from './rpc.ts';
import type { AcpState } from './state.ts';
import { type AcpStep, acpStep, flushWords } from './updates.ts';

/** Cancels the agent and ends the run; later output is ignored. */
export function stopRun(before: AcpState, verdict: Verdict, summary: string, first: readonly AgentEvent[] = []): AcpStep {
  if (before.over) return acpStep(before);
  const { state, events } = flushWords(before);
  const cancel = notification('session/cancel', { sessionId: state.session ?? '' });
  return acpStep({ ...state, over: true }, [...events, ...first, ...ended(verdict, summary)], [cancel]);
}

/** Which limit the agent has used up, of dollars or of requests to its model; undefined if none. */
export function exceededLimit(state: AcpState, goesOn: boolean): string | undefined {
  const { maxTurns, maxBudgetUsd, steps, stepsUsd } = state;
  if (maxBudgetUsd !== undefined && goesOn && spentUsd(state) + stepsUsd >= maxBudgetUsd)
    return `it has spent ${maxBudgetUsd} dollars`;
  if (maxTurns !== undefined && goesOn && steps >= maxTurns) return `it went to its model ${steps} times`;
  return undefined;
}

const spentUsd = ({ costUsd = 0, toldUsd }: AcpState): number => Math.max(0, costUsd - toldUsd);
