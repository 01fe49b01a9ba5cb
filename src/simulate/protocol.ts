import type { Answer } from './answer.ts';
import type { Conversation } from './conversation.ts';
import type { Quota, Refusal, Trouble } from './trouble.ts';

/** One provider protocol over HTTP. */
export interface Protocol {
  readonly name: string;
  /** Matches the end of the path; undefined if the request is not of this protocol. */
  asks(pathname: string, query: URLSearchParams): Asking | undefined;
  /** The answer to other requests of its agents. */
  beside(pathname: string, body: unknown): object | undefined;
  read(body: unknown): Conversation;
  /** Whether the request wants a streamed answer. */
  wantsStream(body: unknown, asking: Asking): boolean;
  /** The JSON schema the answer must match, if any. */
  schemaIn(body: unknown): unknown;
  whole(answer: Answer, needs: AnswerNeeds): object;
  /** The answer as events, in order. */
  stream(answer: Answer, needs: AnswerNeeds): readonly Frame[];
  refusal(trouble: Trouble): RefusalAnswer;
  /** Refusals that a streaming request gets as an event, not as a status. */
  readonly refusesInStream: readonly Refusal[];
  /** The event that reports an error inside a stream. */
  broken(trouble: Trouble, needs: AnswerNeeds): Frame;
  quota(quota: Quota): Readonly<Record<string, string>>;
}

export interface Asking {
  /** The model, if the path names it. */
  readonly model?: string | undefined;
  readonly stream?: boolean | undefined;
}

export interface AnswerNeeds {
  readonly model: string;
  readonly body: unknown;
  /** A new id, unique in this server. */
  unique(): string;
}

/** One event of a stream. */
export interface Frame {
  readonly event?: string;
  readonly data: object | string;
}

export interface RefusalAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

export type RefusalTable = Readonly<Record<Refusal, { readonly status: number; readonly type: string }>>;

/** The retry-after header of refusals that have one. */
export const retryAfter = ({ kind, seconds }: Trouble): Readonly<Record<string, string>> =>
  kind === 'rate_limit' || kind === 'overloaded' ? { 'retry-after': String(seconds) } : {};
