import { z } from 'zod';
import { type AnswerPart, type AnswerUsage, callsIn, type ModelAnswer, piecesOf } from '../answer.ts';
import { type ConversationEntry, callId, conversationOf } from '../conversation.ts';
import { type AnswerDeps, type Protocol, type RefusalTable, retryAfter } from '../protocol.ts';
import type { RefusalFacts } from '../provider-faults.ts';

const Text = z.looseObject({ type: z.string(), text: z.string().optional() });
/** A text, a tool call, a tool result, or another block, which is ignored. */
const Block = Text.extend({
  id: z.string().optional(),
  name: z.string().optional(),
  tool_use_id: z.string().optional(),
  content: z
    .union([z.string(), z.array(Text)])
    .optional()
    .catch(undefined),
});
const Message = z.object({ role: z.string(), content: z.union([z.string(), z.array(Block)]) });
const Request = z.object({
  messages: z.array(Message),
  tools: z
    .array(z.object({ name: z.string(), description: z.string().default(''), input_schema: z.unknown().optional() }))
    .default([]),
});

const REFUSALS: RefusalTable = {
  rate_limit: { status: 429, type: 'rate_limit_error' },
  quota_spent: { status: 429, type: 'rate_limit_error' },
  credit: { status: 400, type: 'invalid_request_error' },
  overloaded: { status: 529, type: 'overloaded_error' },
  server_error: { status: 500, type: 'api_error' },
  unauthorized: { status: 401, type: 'authentication_error' },
  forbidden: { status: 403, type: 'permission_error' },
  bad_request: { status: 400, type: 'invalid_request_error' },
  unknown_model: { status: 404, type: 'not_found_error' },
  context_full: { status: 400, type: 'invalid_request_error' },
};

/** The Messages API of Anthropic, version 2023-06-01. */
export const anthropicMessages: Protocol = {
  name: 'anthropic-messages',
  matches: (pathname) => (pathname.endsWith('/v1/messages') ? {} : undefined),
  sideAnswer: (pathname, body) =>
    pathname.endsWith('/v1/messages/count_tokens') ? { input_tokens: Math.ceil(JSON.stringify(body).length / 4) } : undefined,
  read,
  wantsStream: (body) => z.object({ stream: z.literal(true) }).safeParse(body).success,
  schemaIn: (body) =>
    z.object({ output_config: z.object({ format: z.object({ schema: z.unknown() }) }) }).safeParse(body).data?.output_config
      .format.schema,
  whole: (answer, needs) => ({
    ...message(needs),
    content: answer.parts.map((part) => blockOf(part, answer, needs)),
    stop_reason: stopReason(answer),
    usage: usageOf(answer.usage),
  }),
  stream: (answer, needs) =>
    [
      { type: 'message_start', message: { ...message(needs), usage: { ...usageOf(answer.usage), output_tokens: 1 } } },
      ...answer.parts.flatMap((part, index) => blockEvents(part, index, blockOf(part, answer, needs))),
      {
        type: 'message_delta',
        delta: { stop_reason: stopReason(answer), stop_sequence: null },
        usage: { output_tokens: answer.usage.output },
      },
      { type: 'message_stop' },
    ].map((data) => ({ event: data.type, data })),
  refusal: (trouble) => ({
    status: REFUSALS[trouble.kind].status,
    headers: { ...retryAfter(trouble), ...limitHeaders(trouble) },
    body: problem(trouble),
  }),
  refusesInStream: [],
  broken: (trouble) => ({ event: 'error', data: problem(trouble) }),
  quota: ({ percent, until }) => unified(percent >= 100 ? 'rejected' : 'allowed_warning', percent, until),
};

const problem = ({ kind, message: text }: RefusalFacts) => ({
  type: 'error',
  error: { type: REFUSALS[kind].type, message: text },
  request_id: 'req_simulated',
});

function limitHeaders({ kind, until }: RefusalFacts): Record<string, string> {
  if (kind === 'quota_spent') return unified('rejected', 100, until);
  if (kind !== 'rate_limit') return {};
  const reset = new Date(until).toISOString();
  return {
    'anthropic-ratelimit-requests-limit': '50',
    'anthropic-ratelimit-requests-remaining': '0',
    'anthropic-ratelimit-requests-reset': reset,
  };
}

/** The quota headers of a subscription. */
function unified(status: 'allowed_warning' | 'rejected', percent: number, until: number): Record<string, string> {
  const reset = String(Math.ceil(until / 1000));
  const name = 'anthropic-ratelimit-unified';
  return {
    [`${name}-status`]: status,
    [`${name}-reset`]: reset,
    [`${name}-representative-claim`]: 'five_hour',
    [`${name}-5h-status`]: status,
    [`${name}-5h-reset`]: reset,
    [`${name}-5h-utilization`]: String(percent / 100),
    ...(status === 'allowed_warning' ? { [`${name}-5h-surpassed-threshold`]: '0.9' } : {}),
  };
}

const message = ({ model, unique }: AnswerDeps) => ({
  id: `msg_${unique()}`,
  type: 'message',
  role: 'assistant',
  model,
  content: [] as object[],
  stop_reason: null,
  stop_sequence: null,
});

const usageOf = ({ input, output, cached }: AnswerUsage) => ({
  input_tokens: input - cached,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: cached,
  output_tokens: output,
});

function stopReason(answer: ModelAnswer): string {
  if (answer.stop !== 'end') return answer.stop;
  return callsIn(answer).length > 0 ? 'tool_use' : 'end_turn';
}

function blockOf(part: AnswerPart, { number }: ModelAnswer, { unique }: AnswerDeps) {
  if (part.kind === 'text') return { type: 'text', text: part.text };
  if (part.kind === 'thought') return { type: 'thinking', thinking: part.text, signature: 'c2ltdWxhdGVk' };
  return { type: 'tool_use', id: callId('toolu', number, unique()), name: part.tool.name, input: part.arguments };
}

function blockEvents(part: AnswerPart, index: number, block: ReturnType<typeof blockOf>) {
  const delta = (change: object) => ({ type: 'content_block_delta', index, delta: change });
  const pieces =
    part.kind === 'text'
      ? piecesOf(part.text).map((text) => delta({ type: 'text_delta', text }))
      : part.kind === 'thought'
        ? [
            ...piecesOf(part.text).map((thinking) => delta({ type: 'thinking_delta', thinking })),
            delta({ type: 'signature_delta', signature: 'c2ltdWxhdGVk' }),
          ]
        : [delta({ type: 'input_json_delta', partial_json: JSON.stringify(part.arguments) })];
  return [
    { type: 'content_block_start', index, content_block: { ...block, ...EMPTY[part.kind] } },
    ...pieces,
    { type: 'content_block_stop', index },
  ];
}

const EMPTY = { text: { text: '' }, thought: { thinking: '', signature: '' }, call: { input: {} } } as const;

function read(body: unknown) {
  const { messages, tools } = Request.parse(body);
  return conversationOf(
    messages.flatMap(({ role, content }) =>
      entriesOf(role, typeof content === 'string' ? [{ type: 'text', text: content }] : content),
    ),
    tools.map(({ name, description, input_schema }) => ({ name, about: description, schema: input_schema })),
  );
}

function entriesOf(role: string, blocks: readonly z.output<typeof Block>[]): ConversationEntry[] {
  if (role === 'assistant')
    return blocks.map(({ type, id, name }) =>
      type === 'tool_use' && name !== undefined ? { by: 'model', call: { id, name } } : { by: 'model' },
    );
  if (role !== 'user') return interjected(textOf(blocks));
  const results = blocks.filter(({ type }) => type === 'tool_result');
  // Texts beside results are the agent's reminders: a person's message holds no result.
  if (results.length > 0) return results.map(({ tool_use_id: id, content }) => ({ by: 'tool', id, text: textOf(content) }));
  return [{ by: 'person', text: textOf(blocks) }];
}

/** A message that a person sent while Claude Code was working, which it passes on as a system message. */
function interjected(text: string): ConversationEntry[] {
  const said = /^The user sent a new message while you were working:\n(.*?)(?:\n\nThis is how |$)/s.exec(text)?.[1];
  return said === undefined ? [] : [{ by: 'person', text: said }];
}

const textOf = (content: string | readonly z.output<typeof Text>[] = ''): string =>
  typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('\n');
