import type { AnswerUsage, StopReason, ToolArguments } from '../answer.ts';
import type { FaultKind } from '../provider-faults.ts';

/** The behaviour of a simulated model, independent of the agent. */
export interface ModelScenario {
  /** The comment at the top of the scenario. */
  readonly about: string;
  /** One turn per message of a person; the last turn is played for all further messages. */
  readonly turns: readonly ScenarioTurn[];
}

export interface ScenarioTurn {
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
  readonly stop: StopReason;
  readonly usage?: AnswerUsage | undefined;
  /** Pause between two pieces of a stream, in milliseconds. */
  readonly paceMs: number;
  /** Whether the answer waits until it is released. */
  readonly isGated: boolean;
  readonly quota?: { readonly percent: number; readonly seconds: number } | undefined;
}

export type PartPlan =
  | { readonly do: 'say'; readonly text: string }
  | { readonly do: 'think'; readonly text: string }
  | ScenarioDeed;

/** An action to do with the agent's own tools. */
export type ScenarioDeed =
  | { readonly do: 'write'; readonly file: string; readonly text: string }
  | { readonly do: 'edit'; readonly file: string; readonly from: string; readonly to: string }
  | { readonly do: 'read'; readonly file: string }
  | { readonly do: 'run'; readonly command: string }
  | { readonly do: 'call'; readonly tool: string; readonly arguments: ToolArguments; readonly ifOffered?: boolean };

export interface FaultPlan {
  readonly kind: FaultKind;
  /** How many requests for the answer meet the fault. */
  readonly times: number;
  /** Seconds after which a retry may succeed. */
  readonly seconds: number;
}
