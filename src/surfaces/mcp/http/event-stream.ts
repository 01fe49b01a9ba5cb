import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { parseJSONRPCMessage } from '@modelcontextprotocol/server';
import { Fault } from '../../../domain/fault.ts';

const KEEP_ALIVE_MS = 15_000;
/** Messages for a client that reads no more; past it the stream is given up. */
const WAITING = 1_000;

/** The transport of the first protocol: answers over one long stream of events, requests as posts of their own. */
export class EventStream implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  readonly #encoder = new TextEncoder();
  readonly #place: string;
  #writer: ReadableStreamDefaultController<Uint8Array> | undefined;
  #beating: NodeJS.Timeout | undefined;

  /** `place`: where the client is to post to. */
  constructor(place: string) {
    this.#place = place;
  }

  /** The stream, as the answer to the request that opened it. */
  readonly body = new ReadableStream<Uint8Array>(
    {
      start: (writer) => {
        this.#writer = writer;
      },
      cancel: () => this.close(),
    },
    { highWaterMark: WAITING },
  );

  async start(): Promise<void> {
    this.#write(`event: endpoint\ndata: ${this.#place}\n\n`);
    this.#beating = setInterval(() => this.#write(': still here\n\n'), KEEP_ALIVE_MS).unref();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  }

  /** A message that the client has posted. */
  receive(body: unknown): void {
    this.onmessage?.(messageIn(body));
  }

  async close(): Promise<void> {
    const writer = this.#writer;
    if (!writer) return;
    this.#writer = undefined;
    clearInterval(this.#beating);
    try {
      writer.close();
    } catch {
      // The client has closed it.
    }
    this.onclose?.();
  }

  #write(text: string): void {
    if (!this.#writer) return;
    if ((this.#writer.desiredSize ?? 1) <= 0) void this.close();
    else this.#writer.enqueue(this.#encoder.encode(text));
  }
}

/** One message of the protocol; whatever else was sent is told as a refusal. */
export function messageIn(body: unknown): JSONRPCMessage {
  try {
    return parseJSONRPCMessage(body);
  } catch (error) {
    throw new Fault('invalid', 'the body is not a JSON-RPC message', {}, { cause: error });
  }
}
