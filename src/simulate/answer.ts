import type { OfferedTool } from './conversation.ts';

/** What the model answers, whatever protocol says it. */
export interface Answer {
  readonly parts: readonly Part[];
  /** Why it ends where it ends; with calls among its parts and `end`, it waits for what they come to. */
  readonly stop: Stop;
  readonly usage: Usage;
  /** Its place among the answers of its turn. */
  readonly number: number;
}

export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thought'; readonly text: string }
  | { readonly kind: 'call'; readonly tool: OfferedTool; readonly arguments: Arguments };

export type Arguments = Readonly<Record<string, unknown>>;

export const STOPS = ['end', 'max_tokens', 'refusal'] as const;
export type Stop = (typeof STOPS)[number];

/** Tokens of one answer; those from the cache are among those read. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
}

export const callsIn = ({ parts }: Answer) => parts.flatMap((part) => (part.kind === 'call' ? [part] : []));

/** The pieces in which a text is streamed: words, as a model makes them. */
export const piecesOf = (text: string): readonly string[] => text.match(/\s*\S+\s*?(?=\s|$)|\s+$/g) ?? [];
