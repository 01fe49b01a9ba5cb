import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { anthropicMessages } from './anthropic-messages.ts';
import type { Conversation, Reply } from './conversation.ts';
import { openaiResponses } from './openai-responses.ts';
import type { Protocol, StreamEvent } from './protocol.ts';
import { replyOf, type Script, ScriptFault } from './script.ts';

const PROTOCOLS: readonly Protocol[] = [anthropicMessages, openaiResponses];

/** Plays scripts to coding agents on loopback, so that real ones can work without a model and without a key. */
export interface ModelServer extends AsyncDisposable {
  /** Puts a script up, and says where an agent that plays it finds its model. Each has a place of its own. */
  play(script: Script): Played;
}

export interface Played {
  /** Without `/v1`. */
  readonly url: string;
  /** What agents asked and were answered there, in order; requests without tools, which agents make on the side, are not among it. */
  readonly exchanges: readonly Exchange[];
  /** What went wrong, and what was asked for that there is not. */
  readonly faults: readonly string[];
}

export interface Exchange {
  readonly conversation: Conversation;
  readonly reply: Reply;
  /** As it came, for what no protocol has in common with another. */
  readonly body: unknown;
}

interface Stage {
  readonly script: Script;
  readonly exchanges: Exchange[];
  readonly faults: string[];
}

export async function modelServer(): Promise<ModelServer> {
  const stages = new Map<string, Stage>();
  let count = 0;
  const id = (prefix: string) => `${prefix}_${String(++count).padStart(8, '0')}`;
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://127.0.0.1');
    const stage = stages.get(pathname.split('/')[1] ?? '');
    if (!stage) return void response.writeHead(404).end();
    answer({ request, response, pathname }, stage, id).catch((error: unknown) => {
      stage.faults.push(String(error));
      response.writeHead(500).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    play: (script) => {
      const name = id('script');
      const stage: Stage = { script, exchanges: [], faults: [] };
      stages.set(name, stage);
      return { url: `http://127.0.0.1:${port}/${name}`, exchanges: stage.exchanges, faults: stage.faults };
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly pathname: string;
}

async function answer({ request, response, pathname }: Asked, stage: Stage, id: (prefix: string) => string): Promise<void> {
  const body = await bodyOf(request);
  const protocol = PROTOCOLS.find(({ path }) => path.test(pathname));
  if (!protocol || request.method !== 'POST') {
    const beside = PROTOCOLS.flatMap(({ besides = [] }) => besides).find(({ path }) => path.test(pathname));
    // Agents look whether anybody is there; no answer is an answer.
    return beside ? inJson(response, 200, beside.answer(body)) : void response.writeHead(404).end();
  }
  try {
    const conversation = protocol.read(body);
    const isBeside = conversation.tools.length === 0;
    const reply: Reply = isBeside ? { kind: 'text', text: 'ok' } : replyOf(stage.script, conversation);
    if (!isBeside) stage.exchanges.push({ conversation, reply, body });
    inEvents(response, protocol.stream(reply, { model: modelIn(body), id }));
  } catch (error) {
    if (!(error instanceof ScriptFault)) throw error;
    stage.faults.push(error.message);
    // No agent tries again what was called invalid.
    inJson(response, 400, protocol.problem(error.message));
  }
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString('utf8');
  return text === '' ? {} : (JSON.parse(text) as unknown);
}

const modelIn = (body: unknown): string => z.object({ model: z.string().default('model') }).parse(body).model;

const inJson = (response: ServerResponse, status: number, body: object): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

function inEvents(response: ServerResponse, events: readonly StreamEvent[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  response.end();
}
