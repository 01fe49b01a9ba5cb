import { z } from 'zod';
import { type AnswerPart, type AnswerUsage, callsIn, type ModelAnswer, piecesOf } from '../answer.ts';
import { type ConversationEntry, callId, conversationOf } from '../conversation.ts';
import type { AnswerDeps, Protocol, StreamFrame } from '../protocol.ts';
import { openaiProblem, openaiQuota, openaiRefusal } from './openai.ts';

const Content = z.union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))]);
const Message = z.looseObject({
  role: z.string(),
  content: Content.nullish(),
  tool_call_id: z.string().optional(),
  tool_calls: z.array(z.looseObject({ id: z.string(), function: z.object({ name: z.string() }) })).nullish(),
});
const Request = z.object({
  messages: z.array(Message),
  tools: z
    .array(
      z.looseObject({
        function: z.object({ name: z.string(), description: z.string().default(''), parameters: z.unknown().optional() }),
      }),
    )
    .nullish(),
});

/** The Chat Completions API of OpenAI, which many other providers offer too. */
export const openaiChat: Protocol = {
  name: 'openai-chat',
  matches: (pathname) => (pathname.endsWith('/chat/completions') ? {} : undefined),
  sideAnswer: () => undefined,
  read,
  wantsStream: (body) => z.object({ stream: z.literal(true) }).safeParse(body).success,
  schemaIn: (body) =>
    z.object({ response_format: z.object({ json_schema: z.object({ schema: z.unknown() }) }) }).safeParse(body).data
      ?.response_format.json_schema.schema,
  whole: (answer, needs) => ({
    ...head(needs, 'chat.completion'),
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: textIn(answer, 'text') || null,
          ...(textIn(answer, 'thought') === '' ? {} : { reasoning_content: textIn(answer, 'thought') }),
          ...(callsIn(answer).length === 0 ? {} : { tool_calls: callsOf(answer, needs) }),
        },
        logprobs: null,
        finish_reason: finishReason(answer),
      },
    ],
    usage: usageOf(answer.usage),
  }),
  stream: (answer, needs) => {
    const chunk = head(needs, 'chat.completion.chunk');
    const choice = (delta: object, finish_reason: string | null = null): StreamFrame => ({
      data: { ...chunk, choices: [{ index: 0, delta, logprobs: null, finish_reason }] },
    });
    const calls = callsOf(answer, needs);
    return [
      choice({ role: 'assistant', content: '' }),
      ...answer.parts.flatMap((part) => pieces(part).map((delta) => choice(delta))),
      ...calls.flatMap(({ function: { name, arguments: given }, ...call }, index) => [
        choice({ tool_calls: [{ index, ...call, function: { name, arguments: '' } }] }),
        choice({ tool_calls: [{ index, function: { arguments: given } }] }),
      ]),
      choice({}, finishReason(answer)),
      ...(wantsUsage(needs.body) ? [{ data: { ...chunk, choices: [], usage: usageOf(answer.usage) } }] : []),
      { data: '[DONE]' },
    ];
  },
  refusal: openaiRefusal,
  refusesInStream: [],
  broken: (trouble) => ({ data: { error: openaiProblem(trouble) } }),
  quota: openaiQuota,
};

const head = ({ model, unique }: AnswerDeps, object: string) => ({
  id: `chatcmpl-${unique()}`,
  object,
  created: 1_700_000_000,
  model,
  system_fingerprint: null,
});

const wantsUsage = (body: unknown): boolean =>
  z.object({ stream_options: z.object({ include_usage: z.literal(true) }) }).safeParse(body).success;

const textIn = ({ parts }: ModelAnswer, kind: 'text' | 'thought'): string =>
  parts.flatMap((part) => (part.kind === kind ? [part.text] : [])).join('\n');

function pieces(part: AnswerPart): object[] {
  if (part.kind === 'call') return [];
  return piecesOf(part.text).map((text) => (part.kind === 'text' ? { content: text } : { reasoning_content: text }));
}

const callsOf = (answer: ModelAnswer, { unique }: AnswerDeps) =>
  callsIn(answer).map(({ tool, arguments: given }) => ({
    id: callId('call', answer.number, unique()),
    type: 'function',
    function: { name: tool.name, arguments: JSON.stringify(given) },
  }));

const FINISH = { end: 'stop', max_tokens: 'length', refusal: 'content_filter' } as const;

const finishReason = (answer: ModelAnswer): string =>
  answer.stop === 'end' && callsIn(answer).length > 0 ? 'tool_calls' : FINISH[answer.stop];

const usageOf = ({ input, output, cached }: AnswerUsage) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  prompt_tokens_details: { cached_tokens: cached },
  completion_tokens_details: { reasoning_tokens: 0 },
});

function read(body: unknown) {
  const { messages, tools } = Request.parse(body);
  return conversationOf(
    messages.flatMap((message) => entriesOf(message)),
    (tools ?? []).map(({ function: { name, description, parameters } }) => ({ name, about: description, schema: parameters })),
  );
}

function entriesOf({ role, content, tool_call_id: id, tool_calls }: z.output<typeof Message>): ConversationEntry[] {
  if (role === 'tool') return [{ by: 'tool', id, text: textOf(content) }];
  if (role === 'user') return [{ by: 'person', text: textOf(content) }];
  if (role !== 'assistant') return [];
  const calls = (tool_calls ?? []).map((call) => ({ by: 'model' as const, call: { id: call.id, name: call.function.name } }));
  return calls.length > 0 ? calls : [{ by: 'model' }];
}

const textOf = (content: z.output<typeof Content> | null | undefined): string =>
  typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join('\n');
