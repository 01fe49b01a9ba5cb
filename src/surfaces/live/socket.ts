import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';
import { Fault, isFault } from '../../domain/fault.ts';
import { LIMITS } from '../../domain/limits.ts';
import { type Problem, problemOf } from '../../wire/problem.ts';
import { assertDoor, assertNeighbour, bearerIn, callerOf } from '../http/admission.ts';
import { rateLimit } from '../http/rate-limit.ts';
import type { WebDeps } from '../http/web.ts';
import type { Admission, Hub } from './hub.ts';
import type { StreamEnd, Wire } from './pipe.ts';
import { LIVE } from './sse.ts';

const HELLO_MS = 5_000;
/** Sockets that have not yet said who they are. */
const UNKNOWN = 100;

const Message = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('hello'), token: z.string().max(8_192) }),
  z.strictObject({
    type: z.literal('subscribe'),
    topics: z.array(z.string().max(300)),
    after: z.array(z.string().max(300)).optional(),
  }),
  z.strictObject({ type: z.literal('unsubscribe'), topics: z.array(z.string().max(300)) }),
]);
type Message = z.infer<typeof Message>;

/** Codes with which a socket is closed: those of the protocol, and 4401 for a token that opens nothing. */
const CODES: Readonly<Record<StreamEnd, number>> = {
  stopping: 1001,
  lagging: 1013,
  unauthenticated: 4401,
  over: 1000,
  failed: 1011,
};

type Needs = Pick<WebDeps, 'identify' | 'rules' | 'elapsed' | 'log' | 'connected'>;

/** `isLocal`: by a socket of the home, which no browser can reach. */
type Upgraded = IncomingMessage & { readonly isLocal?: boolean; readonly isForRuns?: boolean };
export type OnUpgrade = (request: Upgraded, socket: Duplex, head: Buffer) => void;

/** The same streams over a WebSocket. A browser cannot send its token with the request, so it may say it first. */
export function socketDoor(hub: Hub, needs: Needs): OnUpgrade {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: LIMITS.liveMessageBytes.value,
  });
  const within = rateLimit(needs);
  let unknown = 0;

  const entered = async ({ headers, url, isLocal, isForRuns, socket }: Upgraded): Promise<Admission | undefined> => {
    if (!isLocal) assertNeighbour(headers, needs);
    if (new URL(url ?? '', 'http://fleet').pathname !== LIVE) throw new Fault('not_found', 'nothing can be upgraded there');
    if (headers.authorization === undefined) {
      if (unknown >= UNKNOWN) throw new Fault('limit', 'too many clients have not said who they are');
      return undefined;
    }
    const caller = await callerOf(headers.authorization, headers['fleet-as'], needs);
    assertDoor(caller, isForRuns);
    needs.connected?.(socket, caller);
    const entry = { token: bearerIn(headers.authorization) ?? '', caller };
    hub.assertRoom(entry);
    return entry;
  };

  const greeted = (client: WebSocket, socket: Duplex, isForRuns: boolean | undefined) => {
    unknown += 1;
    const late = setTimeout(() => client.close(4401, 'no hello in time'), HELLO_MS);
    socket.once('close', () => {
      clearTimeout(late);
      unknown -= 1;
    });
    client.once('message', (text) => {
      clearTimeout(late);
      hello(text, needs, { socket, isForRuns }).then(
        (entry) => serve(client, socket, entry),
        (error: unknown) => refuse(client, error),
      );
    });
  };

  const serve = (client: WebSocket, socket: Duplex, entry: Admission) => {
    try {
      new Talk(client, { hub, within, log: needs.log }, { entry, wire: wireOf(client, socket) }).begin();
    } catch (error) {
      refuse(client, error);
    }
  };

  return (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    entered(request).then(
      (entry) =>
        server.handleUpgrade(request, socket, head, (client) => {
          client.on('error', () => client.terminate());
          if (entry) serve(client, socket, entry);
          else greeted(client, socket, request.isForRuns);
        }),
      (error: unknown) => turnAway(socket, problemFor(error)),
    );
  };
}

interface Door {
  readonly socket: Duplex;
  readonly isForRuns: boolean | undefined;
}

async function hello(text: RawData, needs: Needs, { socket, isForRuns }: Door): Promise<Admission> {
  const message = messageIn(text);
  if (message.type !== 'hello') throw new Fault('unauthenticated', 'say hello first: {"type":"hello","token":"…"}');
  const caller = await callerOf(`Bearer ${message.token}`, undefined, needs);
  assertDoor(caller, isForRuns);
  needs.connected?.(socket, caller);
  return { token: message.token, caller };
}

function messageIn(text: RawData): Message {
  try {
    return Message.parse(JSON.parse((text as Buffer).toString('utf8')));
  } catch (error) {
    throw new Fault('invalid', 'the message is none of hello, subscribe and unsubscribe', {}, { cause: error });
  }
}

function wireOf(client: WebSocket, socket: Duplex): Wire {
  let answered = true;
  client.on('pong', () => {
    answered = true;
  });
  return {
    socket,
    write: ({ socket: text }) => client.send(text, { binary: false }),
    beat: () => {
      if (!answered) return client.terminate();
      answered = false;
      client.ping();
    },
    end: (why) => client.close(CODES[why], why),
  };
}

interface Around {
  readonly hub: Hub;
  readonly within: WebDeps['within'];
  log(event: string, fields: Record<string, unknown>): void;
}

/** What one client says, one message after the other: it is not listened to while the one before is carried out. */
class Talk {
  readonly #client: WebSocket;
  readonly #around: Around;
  readonly #connection: ReturnType<Hub['connect']>;

  constructor(client: WebSocket, around: Around, { entry, wire }: { entry: Admission; wire: Wire }) {
    this.#client = client;
    this.#around = around;
    this.#connection = around.hub.connect(entry, wire);
  }

  begin(): void {
    this.#client.on('message', (text) => {
      this.#client.pause();
      void this.#heard(text).finally(() => this.#client.resume());
    });
    this.#say({ type: 'ready' });
  }

  async #heard(text: RawData): Promise<void> {
    try {
      this.#around.within(this.#connection.caller.id);
      const message = messageIn(text);
      if (message.type === 'hello') throw new Fault('conflict', 'you have said hello already');
      if (message.type === 'subscribe') await this.#subscribe(message.topics, message.after ?? []);
      else this.#unsubscribe(message.topics);
    } catch (error) {
      this.#say({ type: 'error', problem: problemFor(error) });
      if (!isFault(error)) this.#around.log('live.bug', { message: error instanceof Error ? error.message : String(error) });
    }
  }

  async #subscribe(topics: readonly string[], after: readonly string[]): Promise<void> {
    const { hub } = this.#around;
    const wishes = await hub.wishes(topics, after, this.#connection.call);
    this.#say({ type: 'subscribed', topics: wishes.map(({ topic }) => topic.text) });
    for (const wish of wishes) hub.follow(this.#connection, wish);
  }

  #unsubscribe(topics: readonly string[]): void {
    for (const topic of topics) {
      this.#connection.topics.get(topic)?.();
      this.#connection.topics.delete(topic);
    }
    this.#say({ type: 'unsubscribed', topics });
  }

  #say(message: object): void {
    this.#client.send(JSON.stringify(message));
  }
}

function refuse(client: WebSocket, error: unknown): void {
  const problem = problemFor(error);
  client.send(JSON.stringify({ type: 'error', problem }));
  client.close(problem.code === 'unauthenticated' ? 4401 : 1008, problem.code);
}

const problemFor = (error: unknown): Problem =>
  problemOf(isFault(error) ? error : new Fault('unavailable', 'this is a fault in Fleet, not in your request'));

function turnAway(socket: Duplex, problem: Problem): void {
  const body = JSON.stringify(problem);
  socket.end(
    `HTTP/1.1 ${problem.status} ${problem.title}\r\ncontent-type: application/problem+json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
