import type { Verdict } from '../../domain/agent/executor.ts';
import { isRecord } from '../agent-event.ts';
import { amountOf, type ClaudeFields, fieldsOf, listOf, textOf } from './fields.ts';

/** The reducer's state between two lines. */
export interface ClaudeState {
  readonly run: string;
  readonly tools?: readonly string[];
  /** Messages that were sent and not confirmed, with the id by which the program confirms them. */
  readonly unheard: readonly { readonly n: number; readonly id: string }[];
  /** Requests that wait for a person. */
  readonly pending: readonly ClaudeRequest[];
  /** Size of the model's window, how full it was last, and whether Fleet has asked for the size. */
  readonly window?: number;
  readonly filled?: number;
  readonly isAsked?: true;
  /** Kind of the last failed request to the provider, and until when the provider refuses. Both are dropped once it answers. */
  readonly problem?: string;
  readonly until?: string;
  /** Usage of answers that no result has reported yet, and the id of the last of them. */
  readonly since?: UsageSinceResult;
  /** The last result, while a message on its way may start another turn. */
  readonly held?: { readonly verdict: Verdict; readonly summary: string };
  readonly isOver?: true;
}

export interface UsageSinceResult {
  readonly message: string;
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
}

export interface ClaudeRequest {
  readonly request: string;
  readonly tool: string;
  readonly input: ClaudeFields;
}

/** The value as a state. A state of another version becomes an empty one. */
export function asState(value: unknown): ClaudeState {
  if (!isRecord(value)) return { run: '', unheard: [], pending: [] };
  const { run, tools, unheard, pending, window, filled, isAsked, problem, until, since, held, isOver } = value;
  return {
    run: textOf(run) ?? '',
    ...(Array.isArray(tools) ? { tools: texts(tools) } : {}),
    unheard: listOf(unheard).flatMap((one) => {
      const { n, id } = fieldsOf(one);
      return typeof n === 'number' && typeof id === 'string' ? [{ n, id }] : [];
    }),
    pending: listOf(pending).flatMap((one) => {
      const { request, tool, input } = fieldsOf(one);
      return typeof request === 'string' && typeof tool === 'string' ? [{ request, tool, input: fieldsOf(input) }] : [];
    }),
    ...(amountOf(window) === undefined ? {} : { window: window as number }),
    ...(amountOf(filled) === undefined ? {} : { filled: filled as number }),
    ...(isAsked === true ? { isAsked } : {}),
    ...(textOf(problem) === undefined ? {} : { problem: problem as string }),
    ...(textOf(until) === undefined ? {} : { until: until as string }),
    ...(isRecord(since) ? { since: since as unknown as UsageSinceResult } : {}),
    ...(isRecord(held) ? { held: held as unknown as NonNullable<ClaudeState['held']> } : {}),
    ...(isOver === true ? { isOver } : {}),
  };
}

const texts = (values: readonly unknown[]): string[] => values.filter((value) => typeof value === 'string');
