import type { Conversation, Reply } from './conversation.ts';

/** One way in which agents speak to models over HTTP. */
export interface Protocol {
  readonly name: string;
  /** What a request for an answer is sent to; it stands at the end of the address. */
  readonly path: RegExp;
  read(body: unknown): Conversation;
  /** The events of one streamed answer, in order. */
  stream(reply: Reply, needs: AnswerNeeds): readonly StreamEvent[];
  /** How it says that something is wrong with the request. */
  problem(message: string): object;
  /** What else its agents ask for, with the answer. */
  readonly besides?: readonly { readonly path: RegExp; answer(body: unknown): object }[];
}

export interface AnswerNeeds {
  readonly model: string;
  /** Unlike any other of this server. */
  id(prefix: string): string;
}

export interface StreamEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}
