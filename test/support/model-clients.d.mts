/** A client of a model as small as can be, written from the provider's documents and not from our server. */
export interface ModelClient {
  readonly name: string;
  path(streaming: boolean): string;
  begin(prompt: string): object[];
  request(conversation: readonly object[], streaming: boolean, tools: readonly string[]): object;
  /** Puts the pieces of a stream together, and reads an answer in one piece. */
  streamed(events: readonly Data[]): Told;
  whole(answer: Data): Told;
  result(call: ToldCall, text: string): object;
}

export interface Told {
  readonly text: string;
  readonly thought: string;
  readonly calls: readonly ToldCall[];
  readonly stop: string;
  readonly tokens: { readonly input: number; readonly output: number };
  /** What goes into the conversation. */
  readonly items: readonly object[];
}

export interface ToldCall {
  readonly id: string;
  readonly name: string;
  readonly given: unknown;
}

/** The words of others, which differ from one to the next. */
export type Data = object;

export const modelClients: readonly ModelClient[];

/** Splits a body as the standard of server-sent events says; data that is no JSON stays text. */
export function eventsIn(body: string): Data[];

export interface Asked {
  readonly conversation: readonly object[];
  readonly tools: readonly string[];
  readonly streaming?: boolean;
}

/** One request, and what was told. Fails unless it was answered. */
export function ask(client: ModelClient, url: string, asked: Asked): Promise<Told>;

export function post(client: ModelClient, url: string, asked: Asked): Promise<Response>;
