import type { Outcome } from '../run/run.ts';
import type { Block } from './task.ts';

/* What people read of a task whose agent has said itself why it goes no further. */

interface Said {
  readonly fence: string;
  readonly outcome: Outcome;
  /** In its own words. */
  readonly detail?: string | undefined;
}

const MOST = 500;

export const stopOf = ({ detail, fence, outcome }: Said): Block => ({
  cause: 'agent',
  who: 'you',
  what: detail?.slice(0, MOST) || `${fence} ended as ${outcome}`,
});

export const failureOf = ({ detail = '' }: Said): string => `its agent reports failure: ${detail.slice(0, MOST)}`;
