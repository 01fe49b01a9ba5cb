import { z } from 'zod';
import type { Conversation, OfferedTool, Reply } from './conversation.ts';
import type { Protocol, StreamEvent } from './protocol.ts';

const FunctionTool = z.object({
  type: z.literal('function'),
  name: z.string(),
  description: z.string().default(''),
  parameters: z.unknown(),
});
const Tool = z.union([
  FunctionTool,
  z.object({
    type: z.literal('namespace'),
    name: z.string(),
    tools: z.array(z.union([FunctionTool, z.looseObject({ type: z.string() })])),
  }),
  z.looseObject({ type: z.string() }),
]);
const Parts = z.union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))]);
const Item = z.looseObject({
  type: z.string().default('message'),
  role: z.string().optional(),
  content: Parts.optional().catch(undefined),
  call_id: z.string().optional(),
  name: z.string().optional(),
  output: Parts.optional().catch(undefined),
});
const Request = z.object({ input: z.array(Item), tools: z.array(Tool).default([]) });
type Tool = z.output<typeof Tool>;

/** The Responses API of OpenAI. */
export const openaiResponses: Protocol = {
  name: 'openai-responses',
  path: /\/v1\/responses$/,
  read,
  stream: (reply, { model, id }) => {
    const response = { id: id('resp'), object: 'response', model, output: [] as object[] };
    const item = itemOf(reply, id);
    const events: StreamEvent[] = [
      { type: 'response.created', response: { ...response, status: 'in_progress' } },
      { type: 'response.output_item.added', output_index: 0, item },
      ...(reply.kind === 'text'
        ? [{ type: 'response.output_text.delta', item_id: item.id, output_index: 0, content_index: 0, delta: reply.text }]
        : []),
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { ...response, status: 'completed', output: [item], usage: USAGE } },
    ];
    return events.map((event, at) => ({ ...event, sequence_number: at }));
  },
  problem: (message) => ({ error: { type: 'invalid_request_error', code: 'invalid_request', message } }),
  besides: [{ path: /\/v1\/models$/, answer: () => ({ object: 'list', data: [], models: [] }) }],
};

const USAGE = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 10,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 110,
};

function itemOf(reply: Reply, id: (prefix: string) => string) {
  if (reply.kind === 'text')
    return {
      type: 'message',
      id: id('msg'),
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: reply.text, annotations: [] }],
    };
  const { name, namespace } = reply.tool;
  return {
    type: 'function_call',
    id: id('fc'),
    call_id: id('call'),
    status: 'completed',
    name,
    ...(namespace === undefined ? {} : { namespace }),
    arguments: JSON.stringify(reply.arguments),
  };
}

function read(body: unknown): Conversation {
  const { input, tools } = Request.parse(body);
  const from = input.findLastIndex(({ type, role }) => type === 'message' && role === 'user');
  const since = input.slice(from + 1);
  const names = new Map(since.filter(({ type }) => type === 'function_call').map(({ call_id, name }) => [call_id, name]));
  return {
    tools: tools.flatMap((tool) => offered(tool)),
    asked: textOf(input[from]?.content),
    answers: since.filter(({ type, role }) => type === 'function_call' || role === 'assistant').length,
    results: since
      .filter(({ type }) => type === 'function_call_output')
      .map(({ call_id, output }) => ({ tool: names.get(call_id) ?? '', text: textOf(output) })),
  };
}

function offered(tool: Tool, namespace?: string): OfferedTool[] {
  const named = FunctionTool.safeParse(tool);
  if (named.success) {
    const { name, description, parameters } = named.data;
    return [{ name, about: description, schema: parameters, ...(namespace === undefined ? {} : { namespace }) }];
  }
  const { name, tools } = tool as { name?: string; tools?: Tool[] };
  return tool.type === 'namespace' && name !== undefined ? (tools ?? []).flatMap((inner) => offered(inner, name)) : [];
}

const textOf = (parts: z.output<typeof Parts> | undefined): string =>
  typeof parts === 'string' ? parts : (parts ?? []).map(({ text = '' }) => text).join('\n');
