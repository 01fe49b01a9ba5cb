import { isRecord } from '../agent-event.ts';
import type { Job, Step } from '../executor.ts';
import type { RequestId } from './rpc.ts';
import type { Window } from './usage.ts';

/** A message of ours that the agent has not shown to its model yet. */
export interface Unheard {
  readonly n: number;
  /** Id of the request that carried it. */
  readonly id: string;
  /** The turn that took it. */
  readonly turn?: string;
}

/** A request of codex that a person has to answer. */
export interface Pending {
  readonly request: string;
  readonly id: RequestId;
  readonly kind: 'command' | 'patch' | 'permissions' | 'questions';
  readonly questions?: readonly string[];
}

/** All that is remembered between two lines. Everything in it is bounded: it is kept in the row of the run. */
export interface State {
  readonly run: string;
  /** Requests sent so far; ids are made of it. */
  readonly sent: number;
  readonly directory: string;
  readonly tools?: readonly string[] | undefined;
  readonly sandboxed?: boolean | undefined;
  readonly model?: string | undefined;
  readonly effort?: string | undefined;
  /** What the thread is told first, until it is. */
  readonly prompt?: string | undefined;
  /** Id of the request that opens the thread, until there is one. */
  readonly opening?: { readonly id: string; readonly fresh: boolean } | undefined;
  readonly thread?: string | undefined;
  /** The turn that goes on. */
  readonly turn?: string | undefined;
  /** Turns that began in this run: what others have spent was counted before. */
  readonly turns: readonly string[];
  readonly unheard: readonly Unheard[];
  /** The last thing in its turn is a message of ours: its model has not said anything to it. */
  readonly unanswered: boolean;
  readonly pending: readonly Pending[];
  /** Patches that stay in the directory. */
  readonly patches: readonly string[];
  readonly windows: readonly Window[];
  /** How often it has said in a row that it tries again. */
  readonly tries: number;
  /** What it said last in this turn. */
  readonly said: string;
  /** It has said or done something in this turn. */
  readonly stirred: boolean;
  readonly ended: boolean;
}

/** A longer prompt is read from its file: until the thread is there it would have to be kept. */
const INLINE_PROMPT = 24_000;

export const firstState = (job: Job): State => ({
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

/** Only what was made here is one; of a run of another version nothing is understood any more. */
export const isState = (value: unknown): value is State =>
  isRecord(value) && typeof value['run'] === 'string' && Array.isArray(value['turns']);

export const nothing = (state: unknown): Step => ({ state, events: [], send: [] });
