import { describe, expect, it } from 'vitest';
import { modelServer } from '../../test/support/model-server.ts';
import { LIMITS } from '../domain/limits.ts';
import { conversationOf } from './conversation.ts';
import { openLedger } from './ledger.ts';

const exchange = (body: string) => ({
  protocol: 'p',
  model: 'm',
  conversation: conversationOf([], []),
  isBeside: false,
  body,
});

describe('the ledger of a simulated model', () => {
  it('stays within its limit by dropping the oldest requests of all runs', () => {
    const ledger = openLedger(10);
    for (const body of ['1', '2', '3']) ledger.addExchange('a', exchange(body), 4);
    ledger.addExchange('b', exchange('4'), 4);
    expect(ledger.known('a')?.exchanges.map(({ body }) => body)).toEqual(['3']);
    expect(ledger.known('b')?.exchanges.map(({ body }) => body)).toEqual(['4']);
    ledger.addExchange('b', exchange('5'), 1_000);
    expect(ledger.known('b')?.exchanges.map(({ body }) => body)).toEqual(['5']);
  });

  it('drops the oldest run if there are too many', () => {
    const ledger = openLedger();
    for (let run = 0; run <= LIMITS.simulatedRuns.value; run += 1) ledger.record(String(run));
    expect(ledger.known('0')).toBeUndefined();
    expect(ledger.known('1')).toBeDefined();
  });

  it('is shown to a caller that knows the name of the run, and to no web page', async () => {
    await using models = await modelServer();
    const { url } = models.run('hello', 'mine');
    const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi.' }], tools: [{ name: 'Bash' }] });
    await fetch(`${url}/v1/messages`, { method: 'POST', body });
    const told = (await (await fetch(`${models.url}/__requests/mine`)).json()) as object;
    expect(told).toMatchObject({
      problems: [],
      requests: [{ protocol: 'anthropic-messages', model: 'm', conversation: { asked: 'Hi.' }, body: { model: 'm' } }],
    });
    expect((await fetch(`${models.url}/__requests/other`)).status).toBe(404);
    const headers = { origin: 'http://example.invalid' };
    for (const path of ['/__requests/mine', '/s/hello/mine/v1/messages'])
      expect((await fetch(`${models.url}${path}`, { method: 'POST', headers, body })).status).toBe(403);
  });

  it.each([
    ['/s/nothing/r/v1/messages', '{}', 404],
    ['/s/hello', '{}', 404],
    ['/', '{}', 404],
    ['/s/hello/r/v1/messages', '{', 400],
    ['/s/hello/r/v1/messages', '[]', 400],
    ['/s/hello/r/v1/messages', '{"messages":"many"}', 400],
    ['/s/%ff/%/v1/messages', '{}', 404],
  ])('answers %s with %s by %i', async (path, body, status) => {
    await using models = await modelServer();
    expect((await fetch(`${models.url}${path}`, { method: 'POST', body })).status).toBe(status);
  });
});
