import type { OfferedTool } from './conversation.ts';

/** An answer of the model, independent of the protocol. */
export interface ModelAnswer {
  readonly parts: readonly AnswerPart[];
  /** Why the answer ends. With tool calls and `end`, the model waits for their results. */
  readonly stop: StopReason;
  readonly usage: AnswerUsage;
  /** Index of the answer in its turn. */
  readonly number: number;
}

export type AnswerPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thought'; readonly text: string }
  | { readonly kind: 'call'; readonly tool: OfferedTool; readonly arguments: ToolArguments };

export type ToolArguments = Readonly<Record<string, unknown>>;

export const STOP_REASONS = ['end', 'max_tokens', 'refusal'] as const;
export type StopReason = (typeof STOP_REASONS)[number];

/** Tokens of one answer; `input` includes `cached`. */
export interface AnswerUsage {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
}

export const callsIn = ({ parts }: ModelAnswer) => parts.flatMap((part) => (part.kind === 'call' ? [part] : []));

/** The pieces in which a text is streamed: single words. */
export const piecesOf = (text: string): readonly string[] => text.match(/\s*\S+\s*?(?=\s|$)|\s+$/g) ?? [];
