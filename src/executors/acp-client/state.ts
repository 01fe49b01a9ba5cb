import { isRecord } from '../agent-event.ts';
import type { Job } from '../executor.ts';
import type { RpcId } from './rpc.ts';

/** What a request of ours was for. A prompt may carry a message that was said to the agent while it worked. */
export interface Waiting {
  readonly id: string;
  readonly what: 'initialize' | 'session' | 'again' | 'past' | 'model' | 'effort' | 'prompt';
  readonly n?: number;
}

/** What is needed to open the conversation, and no longer once the prompt is sent. */
export type Opening = Pick<Job, 'workDirectory' | 'mcp' | 'servers' | 'resume' | 'fork' | 'model' | 'effort'> & {
  readonly prompt: string;
};

/** A request of the agent that waits for a person. */
export interface Ask {
  readonly request: string;
  readonly id: RpcId;
  readonly options: readonly { readonly id: string; readonly name: string }[];
}

export interface OpenTool {
  readonly id: string;
  readonly name: string;
  /** It has been told to people. */
  readonly told: boolean;
}

export interface State {
  readonly run: string;
  /** How many requests were sent: each has a number of its own. */
  readonly sent: number;
  readonly waiting: readonly Waiting[];
  readonly opening?: Opening;
  readonly tools?: readonly string[];
  readonly maxTurns?: number;
  readonly maxBudgetUsd?: number;
  readonly session?: string;
  /** What it is saying or thinking: programs send it in pieces. */
  readonly words?: { readonly type: 'said' | 'thought'; readonly text: string };
  readonly said: string;
  readonly open: readonly OpenTool[];
  /** It has said or done anything in this run, and the last of it was something that it may not. */
  readonly acted: boolean;
  readonly denied: boolean;
  readonly asks: readonly Ask[];
  /** What the whole conversation has cost by the program's own word, and how much of it has been told. */
  readonly costUsd?: number;
  readonly toldUsd: number;
  /** What requests to the model took since the turn began, for programs that tell it of each. */
  readonly spent?: { readonly inputTokens: number; readonly outputTokens: number; readonly cachedTokens: number };
  /** How often it went back to its model in this run, and what that cost, for programs that tell of each time. */
  readonly steps: number;
  readonly stepsUsd: number;
  /** How often it had no room left, without coming any further in between. */
  readonly overflows: number;
  /** What it said of the failure of its model, before it says that the turn has failed. */
  readonly failure?: { readonly name?: string; readonly status?: number; readonly until?: string };
  readonly over: boolean;
}

export const freshState = (run: string): State => ({
  run,
  sent: 0,
  waiting: [],
  said: '',
  open: [],
  acted: false,
  denied: false,
  asks: [],
  toldUsd: 0,
  steps: 0,
  stepsUsd: 0,
  overflows: 0,
  over: false,
});

/** A state of another version is a fresh one: its lines mean nothing, and its exit is no success. */
export const asState = (state: unknown): State =>
  isRecord(state) && typeof state['run'] === 'string' && Array.isArray(state['waiting']) && Array.isArray(state['asks'])
    ? (state as unknown as State)
    : freshState('');
