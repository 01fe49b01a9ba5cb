import type { Verdict } from '../../domain/agent/executor.ts';
import { isRecord } from '../agent-event.ts';
import { amountOf, type Fields, fieldsOf, listOf, textOf } from './fields.ts';

/** What a run of it knows between two lines. */
export interface State {
  readonly run: string;
  readonly tools?: readonly string[];
  /** Messages that were sent, and by which name the program confirms them. */
  readonly unheard: readonly { readonly n: number; readonly id: string }[];
  /** Requests that a person is asked about. */
  readonly pending: readonly Pending[];
  /** Size of the model's window, and how full it was last. */
  readonly window?: number;
  readonly filled?: number;
  readonly isAsked?: true;
  /** Kind of the last failure of a request to the provider, and until when that provider has refused; forgotten once it answers. */
  readonly problem?: string;
  readonly until?: string;
  /** What answers of the model took that no result has told of yet, and the name of the last of them. */
  readonly since?: Since;
  /** How it went so far, when something that was sent to it may still change that. */
  readonly held?: { readonly verdict: Verdict; readonly summary: string };
  readonly isOver?: true;
}

export interface Since {
  readonly message: string;
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
}

export interface Pending {
  readonly request: string;
  readonly tool: string;
  readonly input: Fields;
}

/** A state of another version is one of a run that was told nothing. */
export function asState(value: unknown): State {
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
    ...(isRecord(since) ? { since: since as unknown as Since } : {}),
    ...(isRecord(held) ? { held: held as unknown as NonNullable<State['held']> } : {}),
    ...(isOver === true ? { isOver } : {}),
  };
}

const texts = (values: readonly unknown[]): string[] => values.filter((value) => typeof value === 'string');
