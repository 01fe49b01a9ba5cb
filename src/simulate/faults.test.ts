import { describe, expect, it, vi } from 'vitest';
import { ask, eventsIn, modelClients, post } from '../../test/support/model-clients.mjs';
import { modelServer } from '../../test/support/model-server.ts';
import type { ProviderRefusal } from './provider-faults.ts';
import { parseScenario } from './scenario/parse-scenario.ts';

const TOOLS = ['Write', 'Bash'];

/** The documented refusals of each provider: status, and a word in the body. */
const EXPECTED: Readonly<Record<ProviderRefusal, Readonly<Record<string, readonly [number, string]>>>> = {
  rate_limit: by([429, 'rate_limit_error'], [429, 'rate_limit_exceeded'], [429, 'RESOURCE_EXHAUSTED']),
  quota_spent: by([429, 'rate_limit_error'], [429, 'usage_limit_reached'], [429, 'QuotaFailure']),
  credit: by([400, 'credit balance'], [429, 'insufficient_quota'], [429, 'RESOURCE_EXHAUSTED']),
  overloaded: by([529, 'overloaded_error'], [503, 'server_is_overloaded'], [503, 'UNAVAILABLE']),
  server_error: by([500, 'api_error'], [500, 'server_error'], [500, 'INTERNAL']),
  unauthorized: by([401, 'authentication_error'], [401, 'invalid_api_key'], [401, 'API_KEY_INVALID']),
  forbidden: by([403, 'permission_error'], [403, 'permission_denied'], [403, 'PERMISSION_DENIED']),
  bad_request: by([400, 'invalid_request_error'], [400, 'invalid_request_error'], [400, 'INVALID_ARGUMENT']),
  unknown_model: by([404, 'not_found_error'], [404, 'model_not_found'], [404, 'NOT_FOUND']),
  context_full: by([400, 'prompt is too long'], [400, 'context_length_exceeded'], [400, 'INVALID_ARGUMENT']),
};

type Words = readonly [number, string];
function by(anthropic: Words, openai: Words, gemini: Words): Readonly<Record<string, Words>> {
  return { 'Anthropic Messages': anthropic, 'OpenAI Responses': openai, 'OpenAI Chat Completions': openai, Gemini: gemini };
}

describe.each(modelClients)('a simulated provider over $name', (client) => {
  const request = { conversation: client.begin('Go.'), tools: TOOLS, streaming: false };

  it.each(Object.keys(EXPECTED) as ProviderRefusal[])('refuses twice by %s, then answers', async (kind) => {
    await using models = await modelServer();
    const played = models.play(parseScenario(`fault ${kind} 2x 30s\nsay Well.`));
    for (const _ of [1, 2]) {
      const answer = await post(client, played.url, request);
      const [status, word] = EXPECTED[kind][client.name] ?? [];
      expect(answer.status).toBe(status);
      expect(await answer.text()).toContain(word);
      if (kind === 'rate_limit') expect(answer.headers.get('retry-after')).toBe('30');
    }
    expect(await ask(client, played.url, request)).toMatchObject({ text: 'Well.' });
    expect(played.exchanges.map(({ fault }) => fault)).toEqual([kind, kind, undefined]);
  });

  it('counts faults per conversation and answer', async () => {
    await using models = await modelServer();
    const { url } = models.play(parseScenario('run ls\nfault overloaded\nsay Well.'));
    const statuses: number[] = [];
    for (const prompt of ['One.', 'Two.']) {
      const first = await ask(client, url, { ...request, conversation: client.begin(prompt) });
      const results = first.calls.map((call) => client.result(call, 'a b'));
      const conversation = [...client.begin(prompt), ...first.items, ...results];
      for (const _ of [1, 2]) statuses.push((await post(client, url, { ...request, conversation })).status);
    }
    expect(statuses.map((status) => status === 200)).toEqual([false, true, false, true]);
  });

  it('recognises a conversation that was never answered and has grown', async () => {
    await using models = await modelServer();
    const { url } = models.play(parseScenario('fault overloaded\nsay Well.'));
    const told = async (...said: string[]): Promise<boolean> => {
      const conversation = said.flatMap((text) => client.begin(text));
      return (await post(client, url, { ...request, conversation })).ok;
    };
    expect(await told('One.')).toBe(false);
    expect(await told('One.', 'Go on.')).toBe(true);
    expect(await told('Two.', 'One.')).toBe(false);
  });

  it('recognises an agent of Fleet by its task, also in a new conversation', async () => {
    await using models = await modelServer();
    const { url } = models.play(parseScenario('fault overloaded\nsay Well.'));
    const told = async (text: string): Promise<boolean> =>
      (await post(client, url, { ...request, conversation: client.begin(text) })).ok;
    const [one, other] = ['task_01m7jjsrvhy9j78wkx409cyae2', 'task_01m7jjsrvhy9j78wkx409cyae3'];
    expect(await told(`Write.\n\nTask ${one}: Write.`)).toBe(false);
    expect(await told(`Write.\n\nYou have worked on this before.\n\nTask ${one}: Write.`)).toBe(true);
    expect(await told(`Write.\n\nTask ${other}: Write.`)).toBe(false);
  });

  it('plays one fault after the other, and `always` for ever', async () => {
    await using models = await modelServer();
    const { url } = models.play(parseScenario('fault server_error\nfault unauthorized always\nsay Well.'));
    const statuses: number[] = [];
    for (const _ of [1, 2, 3, 4]) statuses.push((await post(client, url, request)).status);
    expect(statuses).toEqual([500, 401, 401, 401]);
  });

  it.each(['truncate', 'malformed', 'stream_error', 'drop'])('breaks a stream by %s, once', async (kind) => {
    await using models = await modelServer();
    const { url } = models.play(parseScenario(`fault ${kind}\nsay One two three four five six seven.`));
    const streaming = { ...request, streaming: true };
    const answer = await post(client, url, streaming);
    expect(answer.status).toBe(200);
    if (kind === 'drop') await expect(answer.text()).rejects.toThrow('terminated');
    else {
      const events = eventsIn(await answer.text());
      expect(() => client.streamed(events)).toThrow();
      expect(events.some((event) => typeof event === 'string')).toBe(kind === 'malformed');
      if (kind === 'stream_error') expect(JSON.stringify(events.at(-1))).toMatch(/api_error|server_error|INTERNAL/);
    }
    expect(await ask(client, url, streaming)).toMatchObject({ text: 'One two three four five six seven.' });
  });

  it.each(['truncate', 'malformed', 'stream_error', 'drop'])('breaks an unstreamed answer by %s', async (kind) => {
    await using models = await modelServer();
    const { url } = models.play(parseScenario(`fault ${kind}\nsay Well.`));
    await expect(post(client, url, request).then((answer) => answer.json())).rejects.toThrow();
  });

  it('sends no byte if it hangs, and stops in the middle if it stalls', async () => {
    await using models = await modelServer();
    const hanging = models.run('hang', 'h');
    const streaming = { ...request, streaming: true };
    const gone = new AbortController();
    const answer = fetch(`${hanging.url}${client.path(true)}`, {
      method: 'POST',
      signal: gone.signal,
      body: JSON.stringify(client.request(request.conversation, true, TOOLS)),
    });
    await vi.waitFor(() => expect(hanging.exchanges).toHaveLength(1));
    gone.abort();
    await expect(answer).rejects.toThrow('aborted');
    expect((await ask(client, hanging.url, streaming)).calls).toHaveLength(1);
    const stalled = await post(client, models.run('stall', 's').url, streaming);
    const reader = stalled.body?.getReader();
    expect((await reader?.read())?.done).toBe(false);
    await reader?.cancel();
  });

  it('streams slowly, in more than one piece', async () => {
    await using models = await modelServer();
    const { url } = models.play(parseScenario('slow 5\nsay One two three four.'));
    const answer = await post(client, url, { ...request, streaming: true });
    const pieces: string[] = [];
    const decoder = new TextDecoder();
    for await (const piece of answer.body ?? []) pieces.push(decoder.decode(piece as Uint8Array));
    expect(pieces.length).toBeGreaterThan(2);
    expect(client.streamed(eventsIn(pieces.join('')))).toMatchObject({ text: 'One two three four.' });
  });

  it('holds an answer back until it is released, or lets it pass if it was released before', async () => {
    await using models = await modelServer();
    const played = models.play(parseScenario('gate\nsay Well.'));
    const answer = ask(client, played.url, request);
    await vi.waitFor(() => expect(played.exchanges).toHaveLength(1));
    played.release();
    expect(await answer).toMatchObject({ text: 'Well.' });
    played.release();
    expect(await ask(client, played.url, request)).toMatchObject({ text: 'Well.' });
  });
});

describe('a simulated provider besides answers', () => {
  const [anthropic, responses] = modelClients;
  if (!anthropic || !responses) throw new Error('there are four');
  const asking = (client: typeof anthropic) => ({ conversation: client.begin('Go.'), tools: TOOLS });

  it('reports quota windows to subscriptions', async () => {
    await using models = await modelServer();
    const { headers } = await post(anthropic, models.run('quota-warning', 'w').url, asking(anthropic));
    expect(headers.get('anthropic-ratelimit-unified-status')).toBe('allowed_warning');
    expect(headers.get('anthropic-ratelimit-unified-5h-utilization')).toBe('0.95');
    const spent = await post(anthropic, models.run('quota-spent', 's').url, asking(anthropic));
    expect(spent.status).toBe(429);
    expect(spent.headers.get('anthropic-ratelimit-unified-status')).toBe('rejected');
    expect(Number(spent.headers.get('anthropic-ratelimit-unified-reset')) * 1000).toBeGreaterThan(Date.now());
    const codex = await post(responses, models.run('quota-spent', 'c').url, asking(responses));
    expect(await codex.json()).toMatchObject({ error: { type: 'usage_limit_reached', resets_in_seconds: 3600 } });
  });

  it('reports a prompt that is too long inside a stream of Responses', async () => {
    await using models = await modelServer();
    const answer = await post(responses, models.run('context-full', 'c').url, asking(responses));
    expect(answer.status).toBe(200);
    expect(eventsIn(await answer.text())).toMatchObject([
      { type: 'response.failed', response: { error: { code: 'context_length_exceeded' } } },
    ]);
  });

  it('counts tokens, lists no models and answers health checks', async () => {
    await using models = await modelServer();
    const { url } = models.run('hello', 'r');
    const posted = async (path: string) => (await fetch(`${url}${path}`, { method: 'POST', body: '{"messages":[]}' })).json();
    expect(await posted('/v1/messages/count_tokens?beta=true')).toEqual({ input_tokens: 4 });
    expect(await posted('/v1beta/models/m:countTokens')).toEqual({ totalTokens: 4 });
    expect((await fetch(`${url}/api/hello`, { method: 'HEAD' })).status).toBe(200);
    expect(await (await fetch(`${url}/v1/models`)).json()).toMatchObject({ data: [] });
    expect((await fetch(`${url}/v1/nothing`)).status).toBe(404);
  });

  it('plays no scenario to a request for memories', async () => {
    await using models = await modelServer();
    const played = models.run('happy', 'r');
    const conversation = anthropic.begin(
      'You are now acting as the managed memory extraction subagent for an AI coding assistant.',
    );
    expect(await ask(anthropic, played.url, { conversation, tools: TOOLS })).toMatchObject({ text: 'ok', calls: [] });
    expect(played.exchanges).toEqual([]);
  });

  it('answers side requests in the schema they ask for', async () => {
    await using models = await modelServer();
    const { url } = models.run('happy', 'r');
    const responseJsonSchema = {
      type: 'OBJECT',
      properties: { reasoning: { type: 'STRING' }, complexity_score: { type: 'INTEGER', minimum: 5 } },
      required: ['reasoning', 'complexity_score'],
    };
    const contents = [{ role: 'user', parts: [{ text: 'How hard is it?' }] }];
    const body = JSON.stringify({ contents, generationConfig: { responseJsonSchema } });
    const answer = await fetch(`${url}/v1beta/models/m:generateContent`, { method: 'POST', body });
    const told = (await answer.json()) as { candidates: { content: { parts: { text: string }[] } }[] };
    expect(JSON.parse(told.candidates[0]?.content.parts[0]?.text ?? '')).toEqual({ reasoning: 'ok', complexity_score: 5 });
  });
});
