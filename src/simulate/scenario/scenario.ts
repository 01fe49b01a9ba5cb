import type { Arguments, Stop, Usage } from '../answer.ts';
import type { FaultKind } from '../trouble.ts';

/** What a model does, told so that it fits every agent. */
export interface Scenario {
  /** The comment at its top. */
  readonly about: string;
  /** One for each time the agent is told something; who is told more often gets the last again. */
  readonly turns: readonly Turn[];
}

export interface Turn {
  /** The last of them makes no calls, unless some are repeated. */
  readonly answers: readonly AnswerPlan[];
  /** From which answer on they are given over and over. */
  readonly repeatFrom?: number | undefined;
}

export interface AnswerPlan {
  readonly line: number;
  readonly parts: readonly PartPlan[];
  /** What happens first, when this answer is asked for. */
  readonly faults: readonly FaultPlan[];
  readonly stop: Stop;
  readonly usage?: Usage | undefined;
  /** Between two pieces of a stream. */
  readonly paceMs: number;
  /** It is held back until somebody lets it go. */
  readonly isGated: boolean;
  readonly quota?: { readonly percent: number; readonly seconds: number } | undefined;
}

export type PartPlan = { readonly do: 'say'; readonly text: string } | { readonly do: 'think'; readonly text: string } | Deed;

/** What is done with whatever tool the agent has for it. */
export type Deed =
  | { readonly do: 'write'; readonly file: string; readonly text: string }
  | { readonly do: 'edit'; readonly file: string; readonly from: string; readonly to: string }
  | { readonly do: 'read'; readonly file: string }
  | { readonly do: 'run'; readonly command: string }
  | { readonly do: 'call'; readonly tool: string; readonly arguments: Arguments; readonly ifOffered?: boolean };

export interface FaultPlan {
  readonly kind: FaultKind;
  /** How many requests for the answer it meets. */
  readonly times: number;
  /** After which the provider wants to be asked again. */
  readonly seconds: number;
}
