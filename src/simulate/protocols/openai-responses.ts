import { z } from 'zod';
import { type AnswerPart, type AnswerUsage, type ModelAnswer, piecesOf, type ToolArguments } from '../answer.ts';
import { type ConversationEntry, callId, conversationOf, type OfferedTool } from '../conversation.ts';
import type { AnswerDeps, Protocol, StreamFrame } from '../protocol.ts';
import { openaiProblem, openaiQuota, openaiRefusal } from './openai.ts';

const FunctionTool = z.object({
  type: z.literal('function'),
  name: z.string(),
  description: z.string().default(''),
  parameters: z.unknown().optional(),
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
type Tool = z.output<typeof Tool>;
const Parts = z.union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))]);
const Item = z.looseObject({
  type: z.string().default('message'),
  role: z.string().optional(),
  content: Parts.nullish().catch(undefined),
  call_id: z.string().nullish(),
  name: z.string().optional(),
  output: Parts.optional().catch(undefined),
});
/** For models it knows, Codex offers one tool that runs a program, and the program calls the others. */
const AdditionalTools = z.object({ type: z.literal('additional_tools'), tools: z.array(Tool) });
const CodeTool = z.object({ type: z.literal('custom'), name: z.literal('exec'), description: z.string() });
const Request = z.object({
  input: z.union([z.string().transform((text) => [Item.parse({ role: 'user', content: text })]), z.array(Item)]),
  tools: z.array(Tool).default([]),
});

/** The Responses API of OpenAI. */
export const openaiResponses: Protocol = {
  name: 'openai-responses',
  matches: (pathname) => (pathname.endsWith('/responses') ? {} : undefined),
  sideAnswer: (pathname) => (pathname.endsWith('/models') ? { object: 'list', data: [], models: [] } : undefined),
  read,
  wantsStream: (body) => z.object({ stream: z.literal(true) }).safeParse(body).success,
  schemaIn: (body) =>
    z.object({ text: z.object({ format: z.object({ schema: z.unknown() }) }) }).safeParse(body).data?.text.format.schema,
  whole: (answer, needs) => finished(answer, needs, itemsOf(answer, needs)),
  stream: (answer, needs) => {
    const items = itemsOf(answer, needs);
    const end = finished(answer, needs, items);
    const begun = { ...end, status: 'in_progress', output: [], usage: null, incomplete_details: null };
    return numbered([
      { type: 'response.created', response: begun },
      { type: 'response.in_progress', response: begun },
      ...items.flatMap(({ part, item }, index) => itemEvents(part, item, index)),
      { type: end.status === 'completed' ? 'response.completed' : 'response.incomplete', response: end },
    ]);
  },
  refusal: openaiRefusal,
  refusesInStream: ['context_full'],
  broken: (trouble, { model, unique }) => {
    const { code, message } = openaiProblem(trouble);
    const response = {
      id: `resp_${unique()}`,
      object: 'response',
      model,
      status: 'failed',
      output: [],
      error: { code, message },
    };
    return { event: 'response.failed', data: { type: 'response.failed', sequence_number: 99, response } };
  },
  quota: openaiQuota,
};

type Item = { readonly id: string; readonly type: string; readonly [field: string]: unknown };
type Made = { readonly part: AnswerPart; readonly item: Item };

const numbered = (events: readonly { readonly type: string; readonly [field: string]: unknown }[]): StreamFrame[] =>
  events.map((event, at) => ({ event: event.type, data: { ...event, sequence_number: at } }));

function finished(answer: ModelAnswer, { model, unique }: AnswerDeps, items: readonly Made[]) {
  const isWhole = answer.stop !== 'max_tokens';
  return {
    id: `resp_${unique()}`,
    object: 'response',
    created_at: 1_700_000_000,
    model,
    status: isWhole ? 'completed' : 'incomplete',
    incomplete_details: isWhole ? null : { reason: 'max_output_tokens' },
    error: null,
    output: items.map(({ item }) => item),
    usage: usageOf(answer.usage),
  };
}

const usageOf = ({ input, output, cached }: AnswerUsage) => ({
  input_tokens: input,
  input_tokens_details: { cached_tokens: cached },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: input + output,
});

const itemsOf = (answer: ModelAnswer, needs: AnswerDeps): Made[] =>
  answer.parts.map((part) => ({ part, item: itemOf(part, answer, needs) }));

function itemOf(part: AnswerPart, { number, stop }: ModelAnswer, { unique }: AnswerDeps): Item {
  if (part.kind === 'thought')
    return { type: 'reasoning', id: `rs_${unique()}`, summary: [{ type: 'summary_text', text: part.text }] };
  if (part.kind === 'text') {
    const content =
      stop === 'refusal' ? { type: 'refusal', refusal: part.text } : { type: 'output_text', text: part.text, annotations: [] };
    return { type: 'message', id: `msg_${unique()}`, role: 'assistant', status: 'completed', content: [content] };
  }
  const { name, namespace, inCode } = part.tool;
  if (inCode)
    return {
      type: 'custom_tool_call',
      id: `ctc_${unique()}`,
      call_id: callId('call', number, unique()),
      status: 'completed',
      name: inCode.name,
      ...(inCode.namespace === undefined ? {} : { namespace: inCode.namespace }),
      input: programOf(name, part.arguments),
    };
  return {
    type: 'function_call',
    id: `fc_${unique()}`,
    call_id: callId('call', number, unique()),
    status: 'completed',
    name,
    ...(namespace === undefined ? {} : { namespace }),
    arguments: JSON.stringify(part.arguments),
  };
}

/** A program that finds the tool itself, Fleet's first, because the request does not list every tool. */
const programOf = (tool: string, given: ToolArguments): string => {
  const ends = [`mcp__fleet__${tool}`, tool, `__${tool}`].map((end) => JSON.stringify(end));
  return `const ends = [${ends.join(', ')}];
const name = ends.map((end) => ALL_TOOLS.find((one) => one.name.endsWith(end))?.name).find((found) => found);
if (!name) throw new Error(${JSON.stringify(`no tool is called ${tool}`)});
text(await tools[name](${JSON.stringify(given)}));`;
};

function itemEvents(part: AnswerPart, item: Item, output_index: number) {
  const at = { item_id: item.id, output_index };
  return [
    { type: 'response.output_item.added', output_index, item: { ...item, ...begun(item) } },
    ...deltas(part, item).map(([type, delta, more]) => ({ type: `response.${type}.delta`, ...at, ...more, delta })),
    { type: 'response.output_item.done', output_index, item },
  ];
}

function deltas(part: AnswerPart, { input }: Item): (readonly [string, unknown, object?])[] {
  if (part.kind === 'text') return piecesOf(part.text).map((text) => ['output_text', text, { content_index: 0 }]);
  if (part.kind === 'thought') return piecesOf(part.text).map((text) => ['reasoning_summary_text', text, { summary_index: 0 }]);
  return [input === undefined ? ['function_call_arguments', JSON.stringify(part.arguments)] : ['custom_tool_call_input', input]];
}

/** An item as it is before its pieces. */
const begun = (item: Item): object => ({
  ...('status' in item ? { status: 'in_progress' } : {}),
  ...('content' in item ? { content: [] } : {}),
  ...('summary' in item ? { summary: [] } : {}),
  ...('arguments' in item ? { arguments: '' } : {}),
  ...('input' in item ? { input: '' } : {}),
});

function read(body: unknown) {
  const { input, tools } = Request.parse(body);
  return conversationOf(
    input.flatMap((item) => entriesOf(item)),
    [...tools, ...input.flatMap((item) => AdditionalTools.safeParse(item).data?.tools ?? [])].flatMap((tool) => offered(tool)),
  );
}

function entriesOf({ type, role, content, call_id, name, output }: z.output<typeof Item>): ConversationEntry[] {
  const id = call_id ?? undefined;
  if (type.endsWith('_call_output')) return [{ by: 'tool', id, text: textOf(output) }];
  if (type.endsWith('_call')) return [{ by: 'model', call: { id, name: name ?? type.replace(/_call$/, '') } }];
  if (type === 'reasoning' || role === 'assistant') return [{ by: 'model' }];
  return type === 'message' && role === 'user' ? [{ by: 'person', text: textOf(content) }] : [];
}

function offered(tool: Tool, namespace?: string): OfferedTool[] {
  const named = FunctionTool.safeParse(tool);
  if (named.success) {
    const { name, description, parameters } = named.data;
    return [{ name, about: description, schema: parameters, ...(namespace === undefined ? {} : { namespace }) }];
  }
  const code = CodeTool.safeParse(tool);
  if (code.success) return insideOf(code.data, namespace);
  const { name, tools } = tool as { name?: string; tools?: Tool[] };
  return tool.type === 'namespace' && name !== undefined ? (tools ?? []).flatMap((inner) => offered(inner, name)) : [];
}

/** The tools that a program can call, from the description of the tool that runs it. */
function insideOf({ name, description }: z.output<typeof CodeTool>, namespace?: string): OfferedTool[] {
  const names = [...description.matchAll(/^### `(\w+)`/gm)].map((match) => match[1] ?? '');
  const schema = { type: 'object', properties: { cmd: { type: 'string' } }, required: ['cmd'] };
  return names.map((inner) => ({ name: inner, about: '', schema, inCode: { name, namespace } }));
}

const textOf = (parts: z.output<typeof Parts> | null | undefined): string =>
  typeof parts === 'string' ? parts : (parts ?? []).map(({ text = '' }) => text).join('\n');
