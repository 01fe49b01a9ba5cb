import { isRecord } from '../agent-event.ts';
import type { Job } from '../executor.ts';
import type { RpcId } from './rpc.ts';

/** A request of Fleet without an answer, and its purpose. `n` is the number of the message that a prompt carries. */
export interface SentRequest {
  readonly id: string;
  readonly what: 'initialize' | 'session' | 'again' | 'past' | 'model' | 'effort' | 'prompt';
  readonly n?: number;
}

/** The data that opening the conversation needs. It is dropped once the prompt is sent. */
export type AcpOpening = Pick<Job, 'workDirectory' | 'mcp' | 'servers' | 'resume' | 'fork' | 'model' | 'effort'> & {
  readonly prompt: string;
};

/** A request of the agent that waits for a person. */
export interface OpenPermission {
  readonly request: string;
  readonly id: RpcId;
  readonly options: readonly { readonly id: string; readonly name: string }[];
}

export interface OpenTool {
  readonly id: string;
  readonly name: string;
  /** Whether its event was emitted. */
  readonly told: boolean;
}

export interface AcpState {
  readonly run: string;
  /** How many requests were sent; ids are made of this number. */
  readonly sent: number;
  readonly waiting: readonly SentRequest[];
  readonly opening?: AcpOpening;
  readonly tools?: readonly string[];
  readonly maxTurns?: number;
  readonly maxBudgetUsd?: number;
  readonly session?: string;
  /** The text the agent is saying or thinking, which programs send in pieces. */
  readonly words?: { readonly type: 'said' | 'thought'; readonly text: string };
  readonly said: string;
  readonly open: readonly OpenTool[];
  /** Whether the agent has said or done anything in this run, and whether its last act was denied. */
  readonly acted: boolean;
  readonly denied: boolean;
  readonly asks: readonly OpenPermission[];
  /** The cost of the whole conversation as the program states it, and how much of it was emitted. */
  readonly costUsd?: number;
  readonly toldUsd: number;
  /** The usage since the turn began, for programs that report each request to the model. */
  readonly spent?: { readonly inputTokens: number; readonly outputTokens: number; readonly cachedTokens: number };
  /** The number and cost of requests to the model in this run, for programs that report each. */
  readonly steps: number;
  readonly stepsUsd: number;
  /** How often in a row the window overflowed without progress in between. */
  readonly overflows: number;
  /** The model's failure, which the program reports before the failure of the turn. */
  readonly failure?: { readonly name?: string; readonly status?: number; readonly until?: string };
  readonly over: boolean;
}

export const freshState = (run: string): AcpState => ({
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

/** The value as a state. A state of another version becomes a fresh one, whose lines mean nothing and whose exit is no success. */
export const asState = (state: unknown): AcpState =>
  isRecord(state) && typeof state['run'] === 'string' && Array.isArray(state['waiting']) && Array.isArray(state['asks'])
    ? (state as unknown as AcpState)
    : freshState('');
