import type { Outcome } from '../run/run.ts';
import type { Block } from './task.ts';

/* The block or failure reason of a task whose agent reported itself that it cannot go on. */

interface AgentEnd {
  readonly fence: string;
  readonly outcome: Outcome;
  /** The agent's own words. */
  readonly detail?: string | undefined;
}

const DETAIL_CHARACTERS = 500;

export const agentBlock = ({ detail, fence, outcome }: AgentEnd): Block => ({
  cause: 'agent',
  who: 'you',
  what: detail?.slice(0, DETAIL_CHARACTERS) || `${fence} ended as ${outcome}`,
});

export const agentFailureReason = ({ detail = '' }: AgentEnd): string =>
  `its agent reports failure: ${detail.slice(0, DETAIL_CHARACTERS)}`;
