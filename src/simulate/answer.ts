import type { OfferedTool } from './conversation.ts';

/** An answer of the model, independent of the protocol. */
export interface Answer {
  readonly parts: readonly Part[];
  /** Why the answer ends. With tool calls and `end`, the model waits for their results. */
  readonly stop: Stop;
  readonly usage: Usage;
  /** Index of the answer in its turn. */
  readonly number: number;
}

export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thought'; readonly text: string }
  | { readonly kind: 'call'; readonly tool: OfferedTool; readonly arguments: Arguments };

export type Arguments = Readonly<Record<string, unknown>>;

export const STOPS = ['end', 'max_tokens', 'refusal'] as const;
export type Stop = (typeof STOPS)[number];

/** Tokens of one answer; `input` includes `cached`. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
}

export const callsIn = ({ parts }: Answer) => parts.flatMap((part) => (part.kind === 'call' ? [part] : []));

/** The pieces in which a text is streamed: single words. */
export const piecesOf = (text: string): readonly string[] => text.match(/\s*\S+\s*?(?=\s|$)|\s+$/g) ?? [];
