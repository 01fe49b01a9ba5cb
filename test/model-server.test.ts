import { describe, expect, it } from 'vitest';
import { modelServer, type Played } from './models/model-server.ts';
import type { Script } from './models/script.ts';

const script: Script = [
  { call: 'add', with: { a: 1, b: 2 } },
  { call: 'add', with: (results) => ({ a: Number(results[0]?.text), b: 10 }) },
  { say: 'It is 13.' },
];

interface Event {
  readonly type: string;
  readonly content_block?: { readonly type: string; readonly id: string; readonly name: string };
  readonly delta?: { readonly text: string; readonly partial_json: string };
  readonly item?: Item;
}

interface Item {
  readonly type: string;
  readonly call_id: string;
  readonly namespace: string;
  readonly name: string;
  readonly arguments: string;
  readonly content: readonly { readonly text: string }[];
}

const eventOf = (events: readonly Event[], kind: string): Event => {
  const found = events.find(({ type }) => type === kind);
  if (!found) throw new Error(`no ${kind} among ${events.map(({ type }) => type).join(', ')}`);
  return found;
};

/** A client as small as can be: sends the conversation so far, and answers what came and how the conversation goes on. */
interface Client {
  readonly path: string;
  begin(prompt: string): object[];
  request(conversation: readonly object[], withTools: boolean): object;
  /** What came of one answer: items for the conversation, and the call in it. */
  read(events: readonly Event[]): {
    items: object[];
    call?: { id: string; name: string; given: string };
    text?: string;
  };
  result(callId: string, text: string): object;
}

const messages: Client = {
  path: '/v1/messages',
  begin: (prompt) => [{ role: 'user', content: prompt }],
  request: (conversation, withTools) => ({
    model: 'm',
    stream: true,
    messages: conversation,
    tools: withTools ? [{ name: 'mcp__calc__add', description: 'adds', input_schema: { type: 'object' } }] : [],
  }),
  read: (events) => {
    const { content_block: start } = eventOf(events, 'content_block_start');
    const { delta } = eventOf(events, 'content_block_delta');
    if (!start || !delta) throw new Error('a block without content');
    if (start.type === 'text') return { items: [], text: delta.text };
    return {
      items: [{ role: 'assistant', content: [{ ...start, input: JSON.parse(delta.partial_json) }] }],
      call: { id: start.id, name: start.name, given: delta.partial_json },
    };
  },
  result: (id, text) => ({
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: id, content: [{ type: 'text', text }] }],
  }),
};

const responses: Client = {
  path: '/v1/responses',
  begin: (prompt) => [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: prompt }] }],
  request: (conversation, withTools) => {
    const add = { type: 'function', name: 'add', description: 'adds', parameters: { type: 'object' } };
    const tools = withTools ? [{ type: 'web_search' }, { type: 'namespace', name: 'mcp__calc', tools: [add] }] : [];
    return { model: 'm', stream: true, input: conversation, tools };
  },
  read: (events) => {
    const { item } = eventOf(events, 'response.output_item.done');
    if (!item) throw new Error('nothing came out');
    if (item.type === 'message') return { items: [], text: item.content[0]?.text ?? '' };
    return { items: [item], call: { id: item.call_id, name: `${item.namespace}__${item.name}`, given: item.arguments } };
  },
  result: (call_id, output) => ({ type: 'function_call_output', call_id, output }),
};

async function asked({ url }: Played, path: string, body: object) {
  const answer = await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body) });
  const text = await answer.text();
  if (answer.status !== 200) return { status: answer.status, events: [], text };
  const lines = text.split('\n').filter((line) => line.startsWith('data: '));
  return { status: 200, events: lines.map((line) => JSON.parse(line.slice(6)) as Event), text };
}

describe.each([messages, responses])('a model that plays a script over $path', (client) => {
  it('calls tools by the end of their names, makes arguments from results, and says the last word', async () => {
    await using server = await modelServer();
    const played = server.play(script);
    let conversation = client.begin('What is 1 + 2 + 10?');
    const calls: string[] = [];
    for (let said: string | undefined; said === undefined; ) {
      const { events } = await asked(played, client.path, client.request(conversation, true));
      const { items, call, text } = client.read(events);
      said = text;
      if (!call) break;
      calls.push(`${call.name} ${call.given}`);
      const { a, b } = JSON.parse(call.given) as { a: number; b: number };
      conversation = [...conversation, ...items, client.result(call.id, String(a + b))];
    }
    expect(calls).toEqual(['mcp__calc__add {"a":1,"b":2}', 'mcp__calc__add {"a":3,"b":10}']);
    expect(played.exchanges.map(({ reply }) => reply.kind)).toEqual(['call', 'call', 'text']);
    const last = played.exchanges.at(-1)?.conversation;
    expect(last).toMatchObject({ asked: 'What is 1 + 2 + 10?', answers: 2, results: [{ text: '3' }, { text: '13' }] });
  });

  it('is not put out of step by a request that comes twice, or that offers no tools', async () => {
    await using server = await modelServer();
    const played = server.play(script);
    const request = client.request(client.begin('Go.'), true);
    const beside = await asked(played, client.path, client.request(client.begin('A title for this?'), false));
    const [first, again] = [await asked(played, client.path, request), await asked(played, client.path, request)];
    expect(client.read(beside.events).text).toBe('ok');
    expect(client.read(again.events).call?.given).toBe(client.read(first.events).call?.given);
    expect(played.exchanges).toHaveLength(2);
  });

  it('refuses for good what its script cannot go on with, and keeps it for the test to see', async () => {
    await using server = await modelServer();
    const played = server.play([{ call: 'subtract', with: {} }]);
    const { status, text } = await asked(played, client.path, client.request(client.begin('Go.'), true));
    expect(status).toBe(400);
    expect(text).toContain('0 tools are called subtract');
    expect(played.faults).toHaveLength(1);
  });
});
