import type { Arguments, Stop, Usage } from '../answer.ts';
import type { FaultKind } from '../trouble.ts';

/** The behaviour of a simulated model, independent of the agent. */
export interface Scenario {
  /** The comment at the top of the scenario. */
  readonly about: string;
  /** One turn per message of a person; the last turn is played for all further messages. */
  readonly turns: readonly Turn[];
}

export interface Turn {
  /** The last answer has no tool calls, unless answers are repeated. */
  readonly answers: readonly AnswerPlan[];
  /** Index of the first answer to repeat for ever. */
  readonly repeatFrom?: number | undefined;
}

export interface AnswerPlan {
  readonly line: number;
  readonly parts: readonly PartPlan[];
  /** Faults that requests for this answer meet first. */
  readonly faults: readonly FaultPlan[];
  readonly stop: Stop;
  readonly usage?: Usage | undefined;
  /** Pause between two pieces of a stream, in milliseconds. */
  readonly paceMs: number;
  /** Whether the answer waits until it is released. */
  readonly isGated: boolean;
  readonly quota?: { readonly percent: number; readonly seconds: number } | undefined;
}

export type PartPlan = { readonly do: 'say'; readonly text: string } | { readonly do: 'think'; readonly text: string } | Deed;

/** An action to do with the agent's own tools. */
export type Deed =
  | { readonly do: 'write'; readonly file: string; readonly text: string }
  | { readonly do: 'edit'; readonly file: string; readonly from: string; readonly to: string }
  | { readonly do: 'read'; readonly file: string }
  | { readonly do: 'run'; readonly command: string }
  | { readonly do: 'call'; readonly tool: string; readonly arguments: Arguments; readonly ifOffered?: boolean };

export interface FaultPlan {
  readonly kind: FaultKind;
  /** How many requests for the answer meet the fault. */
  readonly times: number;
  /** Seconds after which a retry may succeed. */
  readonly seconds: number;
}
