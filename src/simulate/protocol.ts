import type { Answer } from './answer.ts';
import type { Conversation } from './conversation.ts';
import type { Quota, Refusal, Trouble } from './trouble.ts';

/** One way in which agents speak to models over HTTP. */
export interface Protocol {
  readonly name: string;
  /** Looks at the end of the address; undefined when it is not meant. */
  asks(pathname: string, query: URLSearchParams): Asking | undefined;
  /** What else its agents ask for, with the answer. */
  beside(pathname: string, body: unknown): object | undefined;
  read(body: unknown): Conversation;
  /** Whether a request, which may say so itself, wants its answer in pieces. */
  wantsStream(body: unknown, asking: Asking): boolean;
  /** A shape that an answer in JSON must have. */
  schemaIn(body: unknown): unknown;
  whole(answer: Answer, needs: AnswerNeeds): object;
  /** The same as events, in order. */
  stream(answer: Answer, needs: AnswerNeeds): readonly Frame[];
  refusal(trouble: Trouble): RefusalAnswer;
  /** What is told by such an event, to who wants a stream, and not by a status. */
  readonly refusesInStream: readonly Refusal[];
  /** An event that says inside of a stream that something broke. */
  broken(trouble: Trouble, needs: AnswerNeeds): Frame;
  quota(quota: Quota): Readonly<Record<string, string>>;
}

export interface Asking {
  /** Where the address says it. */
  readonly model?: string | undefined;
  readonly stream?: boolean | undefined;
}

export interface AnswerNeeds {
  readonly model: string;
  readonly body: unknown;
  /** Unlike any other of this server. */
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

/** Seconds as they stand in a header. */
export const retryAfter = ({ kind, seconds }: Trouble): Readonly<Record<string, string>> =>
  kind === 'rate_limit' || kind === 'overloaded' ? { 'retry-after': String(seconds) } : {};
