import { z } from 'zod';
import type { AnswerPart, AnswerUsage, ModelAnswer } from '../answer.ts';
import { piecesOf } from '../answer.ts';
import { type ConversationEntry, conversationOf } from '../conversation.ts';
import { type AnswerDeps, type Protocol, type RefusalTable, retryAfter } from '../protocol.ts';
import type { RefusalFacts } from '../provider-faults.ts';

const RequestPart = z.looseObject({
  text: z.string().optional(),
  thought: z.boolean().optional(),
  functionCall: z.looseObject({ name: z.string() }).optional(),
  functionResponse: z.looseObject({ name: z.string(), response: z.unknown() }).optional(),
});
const Content = z.looseObject({ role: z.string().default('user'), parts: z.array(RequestPart).default([]) });
const Declaration = z.looseObject({
  name: z.string(),
  description: z.string().default(''),
  parameters: z.unknown().optional(),
  parametersJsonSchema: z.unknown().optional(),
});
const Request = z.object({
  contents: z.array(Content),
  tools: z.array(z.looseObject({ functionDeclarations: z.array(Declaration).optional() })).default([]),
});
const Format = z.object({
  generationConfig: z.looseObject({ responseJsonSchema: z.unknown().optional(), responseSchema: z.unknown().optional() }),
});

const REFUSALS: RefusalTable = {
  rate_limit: { status: 429, type: 'RESOURCE_EXHAUSTED' },
  quota_spent: { status: 429, type: 'RESOURCE_EXHAUSTED' },
  credit: { status: 429, type: 'RESOURCE_EXHAUSTED' },
  overloaded: { status: 503, type: 'UNAVAILABLE' },
  server_error: { status: 500, type: 'INTERNAL' },
  unauthorized: { status: 401, type: 'UNAUTHENTICATED' },
  forbidden: { status: 403, type: 'PERMISSION_DENIED' },
  bad_request: { status: 400, type: 'INVALID_ARGUMENT' },
  unknown_model: { status: 404, type: 'NOT_FOUND' },
  context_full: { status: 400, type: 'INVALID_ARGUMENT' },
};

const METHOD = /\/models\/([^/:]+):(generateContent|streamGenerateContent|countTokens)$/;

/** The API of Gemini, v1beta. */
export const gemini: Protocol = {
  name: 'gemini',
  matches: (pathname) => {
    const [, model, method] = METHOD.exec(pathname) ?? [];
    return method === undefined || method === 'countTokens' ? undefined : { model, stream: method === 'streamGenerateContent' };
  },
  sideAnswer: (pathname, body) =>
    METHOD.exec(pathname)?.[2] === 'countTokens' ? { totalTokens: Math.ceil(JSON.stringify(body).length / 4) } : undefined,
  read,
  wantsStream: (_body, { stream }) => stream === true,
  schemaIn: (body) => {
    const format = Format.safeParse(body).data?.generationConfig;
    return format?.responseJsonSchema ?? format?.responseSchema;
  },
  whole: (answer, needs) => ({
    ...candidate(
      answer.parts.map((part) => partOf(part)),
      FINISH[answer.stop],
    ),
    ...around(answer, needs),
  }),
  stream: (answer, needs) => {
    const whole = around(answer, needs);
    const pieces = answer.parts.flatMap((part) => piecesIn(part));
    return [
      ...pieces.map((part) => ({ data: { ...candidate([partOf(part)]), ...whole } })),
      { data: { ...candidate([], FINISH[answer.stop]), ...whole } },
    ];
  },
  refusal: (trouble) => ({ status: REFUSALS[trouble.kind].status, headers: retryAfter(trouble), body: problem(trouble) }),
  refusesInStream: [],
  broken: (trouble) => ({ data: problem(trouble) }),
  quota: () => ({}),
};

function problem({ kind, message, seconds }: RefusalFacts) {
  const { status, type } = REFUSALS[kind];
  const details = {
    rate_limit: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${seconds}s` }],
    quota_spent: [
      {
        '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
        violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel', quotaMetric: 'generate_requests' }],
      },
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${seconds}s` },
    ],
    unauthorized: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID', domain: 'googleapis.com' }],
  }[kind as string];
  return { error: { code: status, status: type, message, ...(details ? { details } : {}) } };
}

const FINISH = { end: 'STOP', max_tokens: 'MAX_TOKENS', refusal: 'SAFETY' } as const;

const candidate = (parts: readonly object[], finishReason?: string) => ({
  candidates: [{ index: 0, content: { role: 'model', parts }, ...(finishReason === undefined ? {} : { finishReason }) }],
});

const around = ({ usage }: ModelAnswer, { model, unique }: AnswerDeps) => ({
  usageMetadata: usageOf(usage),
  modelVersion: model,
  responseId: unique(),
});

const usageOf = ({ input, output, cached }: AnswerUsage) => ({
  promptTokenCount: input,
  candidatesTokenCount: output,
  totalTokenCount: input + output,
  ...(cached > 0 ? { cachedContentTokenCount: cached } : {}),
});

const piecesIn = (part: AnswerPart): AnswerPart[] =>
  part.kind === 'call' ? [part] : piecesOf(part.text).map((text) => ({ kind: part.kind, text }));

const partOf = (part: AnswerPart): object => {
  if (part.kind === 'text') return { text: part.text };
  if (part.kind === 'thought') return { text: part.text, thought: true };
  return { functionCall: { name: part.tool.name, args: part.arguments } };
};

function read(body: unknown) {
  const { contents, tools } = Request.parse(body);
  return conversationOf(
    contents.flatMap(({ role, parts }) => entriesOf(role, parts)),
    tools.flatMap(({ functionDeclarations = [] }) =>
      functionDeclarations.map(({ name, description, parameters, parametersJsonSchema }) => ({
        name,
        about: description,
        schema: parametersJsonSchema ?? parameters,
      })),
    ),
  );
}

function entriesOf(role: string, parts: readonly z.output<typeof RequestPart>[]): ConversationEntry[] {
  if (role === 'model')
    return parts.map(({ functionCall }) => (functionCall ? { by: 'model', call: { name: functionCall.name } } : { by: 'model' }));
  const results = parts.flatMap(({ functionResponse }) => (functionResponse ? [functionResponse] : []));
  // Texts beside results are the agent's reminders.
  if (results.length > 0) return results.map(({ name, response }) => ({ by: 'tool', tool: name, text: textIn(response) }));
  const text = parts.flatMap((part) => (part.text === undefined ? [] : [part.text])).join('\n');
  return [{ by: 'person', text }];
}

function textIn(response: unknown): string {
  const { output, error } = z.object({ output: z.unknown(), error: z.unknown() }).partial().safeParse(response).data ?? {};
  const said = output ?? error ?? response;
  return typeof said === 'string' ? said : JSON.stringify(said);
}
