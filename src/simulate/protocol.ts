import type { ModelAnswer } from './answer.ts';
import type { ModelConversation } from './conversation.ts';
import type { ProviderQuota, ProviderRefusal, RefusalFacts } from './provider-faults.ts';

/** One provider protocol over HTTP. */
export interface Protocol {
  readonly name: string;
  /** Matches the end of the path; undefined if the request is not of this protocol. */
  matches(pathname: string, query: URLSearchParams): PathFacts | undefined;
  /** The answer to other requests of its agents. */
  sideAnswer(pathname: string, body: unknown): object | undefined;
  read(body: unknown): ModelConversation;
  /** Whether the request wants a streamed answer. */
  wantsStream(body: unknown, asking: PathFacts): boolean;
  /** The JSON schema the answer must match, if any. */
  schemaIn(body: unknown): unknown;
  whole(answer: ModelAnswer, needs: AnswerDeps): object;
  /** The answer as events, in order. */
  stream(answer: ModelAnswer, needs: AnswerDeps): readonly StreamFrame[];
  refusal(trouble: RefusalFacts): RefusalAnswer;
  /** Refusals that a streaming request gets as an event, not as a status. */
  readonly refusesInStream: readonly ProviderRefusal[];
  /** The event that reports an error inside a stream. */
  broken(trouble: RefusalFacts, needs: AnswerDeps): StreamFrame;
  quota(quota: ProviderQuota): Readonly<Record<string, string>>;
}

export interface PathFacts {
  /** The model, if the path names it. */
  readonly model?: string | undefined;
  readonly stream?: boolean | undefined;
}

export interface AnswerDeps {
  readonly model: string;
  readonly body: unknown;
  /** A new id, unique in this server. */
  unique(): string;
}

/** One event of a stream. */
export interface StreamFrame {
  readonly event?: string;
  readonly data: object | string;
}

export interface RefusalAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

export type RefusalTable = Readonly<Record<ProviderRefusal, { readonly status: number; readonly type: string }>>;

/** The retry-after header of refusals that have one. */
export const retryAfter = ({ kind, seconds }: RefusalFacts): Readonly<Record<string, string>> =>
  kind === 'rate_limit' || kind === 'overloaded' ? { 'retry-after': String(seconds) } : {};
