import { z } from 'zod';
import type { Conversation, Reply } from './conversation.ts';
import type { Protocol, StreamEvent } from './protocol.ts';

const Part = z.looseObject({ type: z.string(), text: z.string().optional() });
/** Of a text, a call of a tool, the result of one, or of what does not matter here. */
const Block = Part.extend({
  id: z.string().optional(),
  name: z.string().optional(),
  tool_use_id: z.string().optional(),
  content: z
    .union([z.string(), z.array(Part)])
    .optional()
    .catch(undefined),
});
const Request = z.object({
  messages: z.array(z.object({ role: z.string(), content: z.union([z.string(), z.array(Block)]) })),
  tools: z.array(z.object({ name: z.string(), description: z.string().default(''), input_schema: z.unknown() })).default([]),
});
type Content = string | z.output<typeof Block>[];

/** The Messages API of Anthropic, version 2023-06-01. */
export const anthropicMessages: Protocol = {
  name: 'anthropic-messages',
  path: /\/v1\/messages$/,
  read,
  stream: (reply, { model, id }) => [
    {
      type: 'message_start',
      message: {
        id: id('msg'),
        type: 'message',
        role: 'assistant',
        model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: USAGE,
      },
    },
    ...blockOf(reply, id('toolu')),
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: reply.kind === 'call' ? 'tool_use' : 'end_turn', stop_sequence: null },
      usage: { output_tokens: 10 },
    },
    { type: 'message_stop' },
  ],
  problem: (message) => ({ type: 'error', error: { type: 'invalid_request_error', message } }),
  besides: [
    {
      path: /\/v1\/messages\/count_tokens$/,
      answer: (body) => ({ input_tokens: Math.ceil(JSON.stringify(body).length / 4) }),
    },
  ],
};

const USAGE = { input_tokens: 100, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 1 };

function blockOf(reply: Reply, callId: string): StreamEvent[] {
  if (reply.kind === 'text')
    return [
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: reply.text } },
    ];
  return [
    {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'tool_use', id: callId, name: reply.tool.name, input: {} },
    },
    {
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'input_json_delta', partial_json: JSON.stringify(reply.arguments) },
    },
  ];
}

function read(body: unknown): Conversation {
  const { messages, tools } = Request.parse(body);
  // A message of a person holds no result of a tool; agents put reminders of their own beside results.
  const from = messages.findLastIndex(({ role, content }) => role === 'user' && blocks(content, 'tool_result').length === 0);
  const since = messages.slice(from + 1);
  const calls = since.flatMap(({ content }) => blocks(content, 'tool_use'));
  const names = new Map(calls.map(({ id, name }) => [id, name]));
  const results = since.flatMap(({ content }) => blocks(content, 'tool_result'));
  return {
    tools: tools.map(({ name, description, input_schema }) => ({ name, about: description, schema: input_schema })),
    asked: textOf(messages[from]?.content),
    answers: since.filter(({ role }) => role === 'assistant').length,
    results: results.map(({ tool_use_id, content }) => ({ tool: names.get(tool_use_id) ?? '', text: textOf(content) })),
  };
}

const blocks = (content: Content, kind: string) =>
  typeof content === 'string' ? [] : content.filter(({ type }) => type === kind);

const textOf = (content: string | readonly z.output<typeof Part>[] = ''): string =>
  typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('\n');
