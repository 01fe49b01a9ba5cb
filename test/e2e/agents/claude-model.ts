import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the model does at its nth answer of a conversation, and what goes wrong before it does so. */
export interface Answer {
  readonly say?: string;
  readonly call?: string;
  readonly with?: Readonly<Record<string, unknown>> | ((body: string) => Readonly<Record<string, unknown>>);
  readonly stop?: 'refusal' | 'max_tokens';
  readonly inputTokens?: number;
  /** The first requests for this answer meet these instead. */
  readonly first?: readonly Trouble[];
  /** Every request for it does. */
  readonly always?: Trouble;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Trouble =
  | {
      readonly status: number;
      readonly type: string;
      readonly message?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | 'hang'
  | 'drop';

export interface ClaudeModel extends AsyncDisposable {
  /** Where agents find it, without `/v1`. */
  readonly url: string;
  /** Puts answers up for conversations whose first message names the stage. */
  play(answers: readonly Answer[]): Stage;
}

export interface Stage {
  readonly name: string;
  /** Bodies of requests with tools, as they came, and the keys they came with. */
  readonly asked: readonly string[];
  readonly keys: readonly string[];
}

interface Playing {
  readonly answers: readonly Answer[];
  readonly asked: string[];
  readonly keys: string[];
  readonly tries: number[];
}

/** The Messages API of Anthropic on loopback. Which answer is due is told by the conversation, so that repeated requests do no harm. */
export async function claudeModel(): Promise<ClaudeModel> {
  const stages = new Map<string, Playing>();
  let count = 0;
  const id = (prefix: string): string => `${prefix}_${String(++count).padStart(8, '0')}`;
  const server = createServer((request, response) => {
    answer(request, response, { stages, id }).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    play: (answers) => {
      const name = id('stage');
      const stage: Playing = { answers, asked: [], keys: [], tries: [] };
      stages.set(name, stage);
      return { name, asked: stage.asked, keys: stage.keys };
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Body {
  readonly model: string;
  readonly messages: readonly { readonly role: string }[];
  readonly tools?: readonly { readonly name: string }[];
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { stages, id }: { stages: ReadonlyMap<string, Playing>; id: (prefix: string) => string },
): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString('utf8');
  if (!/\/v1\/messages(?:\?|$)/.test(request.url ?? '')) return void response.writeHead(404).end();
  const body = JSON.parse(text) as Body;
  const stage = stages.get(/stage_\d+/.exec(text)?.[0] ?? '');
  if (!stage || (body.tools ?? []).length === 0) return streamed(response, body.model, { say: 'ok' }, id);
  stage.asked.push(text);
  stage.keys.push(String(request.headers['x-api-key'] ?? request.headers.authorization ?? ''));
  const at = body.messages.filter(({ role }) => role === 'assistant').length;
  const due = stage.answers[Math.min(at, stage.answers.length - 1)] ?? { say: 'ok' };
  const tries = stage.tries[at] ?? 0;
  stage.tries[at] = tries + 1;
  const trouble = due.first?.[tries] ?? due.always;
  if (trouble === 'hang') return;
  if (trouble === 'drop') return void response.destroy();
  if (trouble) {
    const error = { type: 'error', error: { type: trouble.type, message: trouble.message ?? trouble.type } };
    return void response
      .writeHead(trouble.status, { 'content-type': 'application/json', ...trouble.headers })
      .end(JSON.stringify(error));
  }
  const given = typeof due.with === 'function' ? due.with(text) : due.with;
  const tool = due.call === undefined ? undefined : toolCalled(due.call, body);
  streamed(response, body.model, { ...due, ...(given ? { with: given } : {}), ...(tool ? { call: tool } : {}) }, id);
}

const toolCalled = (name: string, { tools = [] }: Body): string =>
  tools.find((tool) => tool.name === name || tool.name.endsWith(`__${name}`))?.name ?? name;

function streamed(response: ServerResponse, model: string, due: Answer, id: (prefix: string) => string): void {
  const usage = {
    input_tokens: due.inputTokens ?? 100,
    cache_creation_input_tokens: 20,
    cache_read_input_tokens: 50,
    output_tokens: 1,
  };
  const message = {
    id: id('msg'),
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  };
  const block =
    due.call === undefined
      ? { start: { type: 'text', text: '' }, delta: { type: 'text_delta', text: due.say ?? 'ok' } }
      : {
          start: { type: 'tool_use', id: id('toolu'), name: due.call, input: {} },
          delta: { type: 'input_json_delta', partial_json: JSON.stringify(due.with ?? {}) },
        };
  const stop = due.stop ?? (due.call === undefined ? 'end_turn' : 'tool_use');
  const events = [
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block: block.start },
    { type: 'content_block_delta', index: 0, delta: block.delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 10 } },
    { type: 'message_stop' },
  ];
  response.writeHead(200, { 'content-type': 'text/event-stream', ...due.headers });
  for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  response.end();
}
