import { type IncomingMessage, request } from 'node:http';
import type { LiveAnswer } from '../../src/wire/live.ts';
import { eventsIn, type SseEvent } from '../../src/wire/sse-text.ts';

export interface Where {
  readonly socket: string;
  readonly token: string;
}

/** Opens a stream at the socket of a home. Whatever ends it ends the text; nothing is asked again. */
export function openLive(
  { socket, token }: Where,
  target: string,
  signal: AbortSignal,
  headers: Readonly<Record<string, string>> = {},
): Promise<LiveAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        socketPath: socket,
        path: target,
        headers: { host: 'fleet', authorization: `Bearer ${token}`, ...headers },
        agent: false,
        signal,
      },
      (answer) => resolve({ status: answer.statusCode ?? 0, text: textOf(answer) }),
    );
    sent.on('error', reject);
    sent.end();
  });
}

async function* textOf(answer: IncomingMessage): AsyncGenerator<string> {
  try {
    for await (const part of answer.setEncoding('utf8')) yield part as string;
  } catch {
    // Broken off: what came until then counts.
  }
}

/** A client that believes what it is told: it keeps the last id it saw, and throws nothing away that comes twice. */
export class PlainClient {
  readonly seen: SseEvent[] = [];
  connections = 0;
  /** What became of it last: for whoever looks why a test failed. */
  last = '';
  readonly #where: () => Where;
  readonly #topic: string;
  readonly #stopped = new AbortController();
  #current = new AbortController();
  #done: Promise<void> | undefined;

  constructor(where: () => Where, topic: string) {
    this.#where = where;
    this.#topic = topic;
  }

  start(): this {
    this.#done = this.#run();
    return this;
  }

  /** Breaks the connection off; it comes back by itself. */
  drop(): void {
    this.#current.abort();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#current.abort();
    await this.#done;
  }

  hasEnded(): boolean {
    return this.seen.at(-1)?.event === 'end';
  }

  async #run(): Promise<void> {
    while (!this.#stopped.signal.aborted && !this.hasEnded()) {
      this.#current = new AbortController();
      await this.#once(this.#current.signal).catch((error: unknown) => {
        this.last = String(error);
      });
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async #once(signal: AbortSignal): Promise<void> {
    const last = this.seen.findLast(({ id }) => id !== undefined)?.id;
    const headers = last === undefined ? {} : { 'last-event-id': last };
    const { status, text } = await openLive(this.#where(), `/v1/live?topic=${this.#topic}`, signal, headers);
    this.last = `answered ${status}`;
    if (status !== 200) return;
    this.connections += 1;
    for await (const event of eventsIn(text)) {
      if (event.event !== 'bye') this.seen.push(event);
      if (signal.aborted) return;
    }
  }
}
