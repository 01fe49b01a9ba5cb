/** Clients of models as small as can be, written from the providers' documents and not from our server. Types: `model-clients.d.mts`. */

const SCHEMA = {
  type: 'object',
  properties: { file_path: { type: 'string' }, content: { type: 'string' }, command: { type: 'string' } },
  required: [],
};

const anthropic = {
  name: 'Anthropic Messages',
  path: () => '/v1/messages',
  begin: (prompt) => [{ role: 'user', content: prompt }],
  request: (messages, stream, tools) => ({
    model: 'm',
    max_tokens: 100,
    stream,
    messages,
    tools: tools.map((name) => ({ name, description: name, input_schema: SCHEMA })),
  }),
  streamed: (events) => {
    const message = events.find(({ type }) => type === 'message_start')?.message;
    const content = [];
    const json = [];
    for (const { type, index, content_block: block, delta, usage } of events) {
      if (type === 'content_block_start') content[index] = { ...block };
      const at = content[index];
      if (delta?.type === 'text_delta') at.text += delta.text;
      if (delta?.type === 'thinking_delta') at.thinking += delta.thinking;
      if (delta?.type === 'input_json_delta') json[index] = (json[index] ?? '') + delta.partial_json;
      if (type === 'content_block_stop' && at.type === 'tool_use') at.input = JSON.parse(json[index]);
      if (type === 'message_delta')
        Object.assign(message, { stop_reason: delta.stop_reason, usage: { ...message.usage, ...usage } });
    }
    if (events.at(-1)?.type !== 'message_stop') throw new Error('the stream has no end');
    return anthropic.whole({ ...message, content });
  },
  whole: ({ content, stop_reason, usage }) => ({
    text: joined(content, 'text'),
    thought: joined(content, 'thinking'),
    calls: content.filter(({ type }) => type === 'tool_use').map(({ id, name, input }) => ({ id, name, given: input })),
    stop: stop_reason,
    tokens: { input: usage.input_tokens + usage.cache_read_input_tokens, output: usage.output_tokens },
    items: [{ role: 'assistant', content }],
  }),
  result: ({ id }, text) => ({
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: id, content: [{ type: 'text', text }] }],
  }),
};

const responses = {
  name: 'OpenAI Responses',
  path: () => '/v1/responses',
  begin: (prompt) => [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: prompt }] }],
  request: (input, stream, tools) => {
    const functions = tools.map((name) => ({ type: 'function', name, description: name, parameters: SCHEMA }));
    return { model: 'm', stream, input, tools: tools.length === 0 ? [] : [{ type: 'web_search' }, ...functions] };
  },
  streamed: (events) => {
    const text = events.filter(({ type }) => type === 'response.output_text.delta').map(({ delta }) => delta);
    const items = events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item);
    const end = events.at(-1);
    if (!/^response\.(completed|incomplete)$/.test(end?.type)) throw new Error(`the stream ends with ${end?.type}`);
    const told = responses.whole({ ...end.response, output: items });
    if (told.stop !== 'refusal' && text.join('') !== told.text)
      throw new Error(`deltas say ${text.join('')}, items ${told.text}`);
    return told;
  },
  whole: ({ output, status, usage }) => {
    const messages = output.filter(({ type }) => type === 'message').flatMap(({ content }) => content);
    return {
      text: messages.map(({ text = '', refusal = '' }) => text + refusal).join(''),
      thought: output.flatMap(({ summary = [] }) => summary.map(({ text }) => text)).join(''),
      calls: output
        .filter(({ type }) => type === 'function_call')
        .map(({ call_id, name, namespace, arguments: given }) => ({
          id: call_id,
          name: namespace === undefined ? name : `${namespace}__${name}`,
          given: JSON.parse(given),
        })),
      stop: messages.some(({ type }) => type === 'refusal') ? 'refusal' : status,
      tokens: { input: usage.input_tokens, output: usage.output_tokens },
      items: output,
    };
  },
  result: ({ id }, output) => ({ type: 'function_call_output', call_id: id, output }),
};

const chat = {
  name: 'OpenAI Chat Completions',
  path: () => '/v1/chat/completions',
  begin: (prompt) => [
    { role: 'system', content: 'work' },
    { role: 'user', content: prompt },
  ],
  request: (messages, stream, tools) => ({
    model: 'm',
    stream,
    stream_options: { include_usage: true },
    messages,
    tools: tools.map((name) => ({ type: 'function', function: { name, description: name, parameters: SCHEMA } })),
  }),
  streamed: (events) => {
    if (events.at(-1) !== '[DONE]') throw new Error('the stream has no end');
    const message = { role: 'assistant', content: '', reasoning_content: '', tool_calls: [] };
    let finish_reason = '';
    for (const { choices } of events.slice(0, -1)) {
      const [choice] = choices;
      message.content += choice?.delta.content ?? '';
      message.reasoning_content += choice?.delta.reasoning_content ?? '';
      for (const { index, ...call } of choice?.delta.tool_calls ?? []) {
        const before = message.tool_calls[index];
        if (before) before.function.arguments += call.function.arguments;
        else message.tool_calls[index] = call;
      }
      finish_reason = choice?.finish_reason ?? finish_reason;
    }
    return chat.whole({ choices: [{ message, finish_reason }], usage: events.at(-2).usage });
  },
  whole: ({ choices: [{ message, finish_reason }], usage }) => ({
    text: message.content ?? '',
    thought: message.reasoning_content ?? '',
    calls: (message.tool_calls ?? []).map(({ id, function: called }) => ({
      id,
      name: called.name,
      given: JSON.parse(called.arguments),
    })),
    stop: finish_reason,
    tokens: { input: usage.prompt_tokens, output: usage.completion_tokens },
    items: [message],
  }),
  result: ({ id }, content) => ({ role: 'tool', tool_call_id: id, content }),
};

const gemini = {
  name: 'Gemini',
  path: (streaming) => `/v1beta/models/m:${streaming ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  begin: (prompt) => [{ role: 'user', parts: [{ text: prompt }] }],
  request: (contents, _streaming, tools) => ({
    contents,
    tools:
      tools.length === 0
        ? []
        : [{ functionDeclarations: tools.map((name) => ({ name, description: name, parametersJsonSchema: SCHEMA })) }],
  }),
  streamed: (events) => {
    const parts = events.flatMap(({ candidates: [candidate] }) => candidate.content.parts);
    const { candidates, usageMetadata } = events.at(-1);
    if (!candidates[0].finishReason) throw new Error('the stream has no end');
    return gemini.whole({
      candidates: [{ content: { role: 'model', parts }, finishReason: candidates[0].finishReason }],
      usageMetadata,
    });
  },
  whole: ({ candidates: [{ content, finishReason }], usageMetadata }) => {
    const texts = content.parts.filter(({ text }) => text !== undefined);
    return {
      text: joined(
        texts.filter(({ thought }) => !thought),
        'text',
      ),
      thought: joined(
        texts.filter(({ thought }) => thought),
        'text',
      ),
      calls: content.parts
        .filter(({ functionCall }) => functionCall)
        .map(({ functionCall: { name, args } }) => ({ id: name, name, given: args })),
      stop: finishReason,
      tokens: { input: usageMetadata.promptTokenCount, output: usageMetadata.candidatesTokenCount },
      items: [content],
    };
  },
  result: ({ name }, text) => ({ role: 'user', parts: [{ functionResponse: { name, response: { output: text } } }] }),
};

const joined = (parts, field) => parts.map((part) => part[field] ?? '').join('');

export const modelClients = [anthropic, responses, chat, gemini];

/** Splits a body as the standard of server-sent events says; data that is no JSON stays text. */
export function eventsIn(body) {
  return body
    .split('\n\n')
    .map((block) =>
      block
        .split('\n')
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).trimStart())
        .join('\n'),
    )
    .filter((data) => data !== '')
    .map((data) => {
      try {
        return JSON.parse(data);
      } catch {
        return data;
      }
    });
}

/** One request, and what was told. Fails unless it was answered. */
export async function ask(client, url, { conversation, tools, streaming = true }) {
  const answer = await post(client, url, { conversation, tools, streaming });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${answer.status} ${text}`);
  return streaming ? client.streamed(eventsIn(text)) : client.whole(JSON.parse(text));
}

export const post = (client, url, { conversation, tools, streaming = true }) =>
  fetch(`${url}${client.path(streaming)}`, {
    method: 'POST',
    body: JSON.stringify(client.request(conversation, streaming, tools)),
  });
