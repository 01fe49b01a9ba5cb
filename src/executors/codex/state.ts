import { isRecord } from '../agent-event.ts';
import type { Job, Step } from '../executor.ts';
import type { RequestId } from './rpc.ts';
import type { QuotaWindow } from './usage.ts';

/** A message of Fleet that codex has not shown to its model yet. */
export interface UnheardMessage {
  readonly n: number;
  /** Id of the request with the message. */
  readonly id: string;
  /** The turn that took the message. */
  readonly turn?: string;
}

/** A request of codex that a person must answer. */
export interface CodexRequest {
  readonly request: string;
  readonly id: RequestId;
  readonly kind: 'command' | 'patch' | 'permissions' | 'questions';
  readonly questions?: readonly string[];
}

/** The reducer's state between two lines. Every field is bounded, because the row of the run holds the state. */
export interface CodexState {
  readonly run: string;
  /** How many requests were sent; ids are made of this number. */
  readonly sent: number;
  readonly directory: string;
  readonly tools?: readonly string[] | undefined;
  readonly sandboxed?: boolean | undefined;
  readonly model?: string | undefined;
  readonly effort?: string | undefined;
  /** The prompt, until it is sent. */
  readonly prompt?: string | undefined;
  /** The request that opens the thread, until the thread is open. */
  readonly opening?: { readonly id: string; readonly fresh: boolean } | undefined;
  readonly thread?: string | undefined;
  /** The running turn. */
  readonly turn?: string | undefined;
  /** Turns of this run: usage of earlier turns was counted already. */
  readonly turns: readonly string[];
  readonly unheard: readonly UnheardMessage[];
  /** Whether the model has not answered the last message yet. */
  readonly unanswered: boolean;
  readonly pending: readonly CodexRequest[];
  /** Ids of patches that stay in the directory. */
  readonly patches: readonly string[];
  readonly windows: readonly QuotaWindow[];
  /** How many retries codex has reported in a row. */
  readonly tries: number;
  /** The last words of this turn. */
  readonly said: string;
  /** Whether the agent has said or done anything in this turn. */
  readonly stirred: boolean;
  readonly ended: boolean;
}

/** The agent reads a longer prompt from its file, because the state must hold the prompt until the thread is open. */
const INLINE_PROMPT = 24_000;

export const firstState = (job: Job): CodexState => ({
  run: job.runId,
  sent: 0,
  directory: job.workDirectory,
  ...(job.tools === undefined ? {} : { tools: job.tools }),
  ...(job.sandboxed ? { sandboxed: true } : {}),
  ...(job.model === undefined ? {} : { model: job.model }),
  ...(job.effort === undefined ? {} : { effort: job.effort }),
  prompt:
    JSON.stringify(job.prompt).length <= INLINE_PROMPT
      ? job.prompt
      : `Your task is written in the file ${job.promptFile}. Read the whole file first, in pieces if need be, and then do what it says.`,
  turns: [],
  unheard: [],
  unanswered: false,
  pending: [],
  patches: [],
  windows: [],
  tries: 0,
  said: '',
  stirred: false,
  ended: false,
});

/** Whether a value is a state of this version. The lines of a run of another version are not understood. */
export const isState = (value: unknown): value is CodexState =>
  isRecord(value) && typeof value['run'] === 'string' && Array.isArray(value['turns']);

export const unchanged = (state: unknown): Step => ({ state, events: [], send: [] });
