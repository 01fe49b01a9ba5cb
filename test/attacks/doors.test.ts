import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/domain/limits.ts';
import { type ServerHouse, serverHouse } from '../support/server-house.ts';

/** Just enough for a full batch at once, and so slow that no machine is too slow to flood it. */
const RATE = 11;
const FLOOD = RATE * 10 + 500;

let place: ServerHouse;

beforeAll(async () => {
  place = await serverHouse({ FLEET_RATE_LIMIT: String(RATE) });
});

afterAll(async () => {
  await place[Symbol.asyncDispose]();
});

describe('an attacker without a token', () => {
  it('makes the server read no more than a code can be long', async () => {
    expect((await place.ask('/v1/login', { method: 'POST', body: { code: 'x'.repeat(2_000) } })).status).toBe(413);
  });

  it('keeps nobody from signing in, by asking whatever can be asked as often as it goes [T28]', async () => {
    const { code } = await place.house.call('token.link', {});
    const health = await many(FLOOD, () => statusOf('GET', '/health'));
    expect(health).toContain(429);
    const guesses = await many(FLOOD, () => login('01234567890123456789012345.guessed'));
    expect(guesses).toContain(429);
    expect(new Set(guesses)).toEqual(new Set([401, 429]));
    expect(await login(code)).toBe(200);
    expect(await login(code)).not.toBe(200);
  });
});

describe('an attacker with a token', () => {
  it('gains nothing by putting a hundred calls into one request: each counts [T28]', async () => {
    const token = await place.tokenFor('monitor', { name: 'batcher' });
    const id = await session(token);
    const statuses: number[] = [];
    for (let n = 0; n < 4; n += 1) statuses.push((await batch(token, id, LIMITS.batchCalls.value)).status);
    expect(statuses[0]).toBe(200);
    expect(statuses).toContain(429);
    const other = await place.tokenFor('monitor', { name: 'patient' });
    expect((await batch(other, await session(other), LIMITS.batchCalls.value + 1)).status).toBe(429);
    expect((await place.ask('/v1/tasks', { token: other })).status).toBe(200);
  });

  it('gains nothing by it over the other transports of MCP either [T28]', async () => {
    const token = await place.tokenFor('monitor', { name: 'streamer' });
    const calls = (count: number) => Array.from({ length: count }, (_, n) => ({ jsonrpc: '2.0', id: n + 10, method: 'ping' }));
    const { path, end } = await eventStream(token);
    const statuses: number[] = [];
    for (let n = 0; n < 4; n += 1)
      statuses.push((await place.ask(path, { method: 'POST', token, body: calls(LIMITS.batchCalls.value) })).status);
    end();
    expect(statuses).toContain(429);
    // A run sends its calls one by one, and each is a request.
    const task = await place.house.call('task.create', { prompt: 'x', directory: place.directory });
    const run = await place.runOf(task.id);
    expect((await place.ask('/mcp/run', { method: 'POST', token: run.token, body: calls(2) })).status).toBe(400);
  });

  it('is one caller: no other letter in the place of the last of its token opens anything [T5]', async () => {
    const token = await place.tokenFor('monitor', { name: 'many letters' });
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const spelled = [...letters].map((letter) => `${token.slice(0, -1)}${letter}`);
    const admitted = (await Promise.all(spelled.map((text) => place.ask('/v1/tasks', { token: text })))).filter(
      ({ status }) => status === 200,
    );
    expect(admitted).toHaveLength(1);
  });
});

const many = <Value>(times: number, ask: () => Promise<Value>): Promise<Value[]> =>
  Promise.all(Array.from({ length: times }, ask));

const login = (code: string): Promise<number> => statusOf('POST', '/v1/login', JSON.stringify({ code }));

const statusOf = (method: string, path: string, body?: string): Promise<number> =>
  new Promise((resolve, reject) => {
    request(`${place.url}${path}`, { method, headers: { 'content-type': 'application/json' } }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
    })
      .once('error', reject)
      .end(body);
  });

const rpc = (token: string, headers: Record<string, string>, body: unknown) =>
  place.ask('/mcp', { method: 'POST', token, headers: { accept: 'application/json, text/event-stream', ...headers }, body });

async function session(token: string): Promise<string> {
  const params = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const { headers } = await rpc(token, {}, { jsonrpc: '2.0', id: 1, method: 'initialize', params });
  return String(headers['mcp-session-id']);
}

/** Where messages of a stream of events are posted to. */
const eventStream = (token: string): Promise<{ path: string; end(): void }> =>
  new Promise((resolve, reject) => {
    const asked = request(`${place.url}/mcp/sse`, { agent: false, headers: { authorization: `Bearer ${token}` } }, (answer) => {
      answer.setEncoding('utf8').on('error', () => undefined);
      answer.once('data', (text: string) => resolve({ path: /data: (\S+)/.exec(text)?.[1] ?? '', end: () => asked.destroy() }));
    });
    asked.once('error', reject).end();
  });

const batch = (token: string, id: string, calls: number) =>
  rpc(
    token,
    { 'mcp-session-id': id },
    Array.from({ length: calls }, (_, n) => ({ jsonrpc: '2.0', id: n + 10, method: 'ping' })),
  );
