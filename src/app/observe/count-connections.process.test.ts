import { createServer, get, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { admittedWeb } from '../../surfaces/http/admission.ts';
import type { WebDeps } from '../../surfaces/http/web.ts';
import { listenTcp } from '../serve/listen.ts';
import { countConnections, countStream } from './count-connections.ts';
import { openMeters } from './meters.ts';

const portOf = (server: Server) => (server.address() as AddressInfo).port;

it('counts web sockets only where somebody takes them up, from the first to the last', async () => {
  const meters = openMeters();
  const server = createServer((_request, response) => response.end('plain'));
  countConnections(server, meters);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const upgrade = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
  try {
    // Without anybody who takes it up it is a request like any other, and is answered.
    const plain = connect(portOf(server), '127.0.0.1', () => plain.write(upgrade));
    const answer = await new Promise<string>((resolve) => plain.once('data', (bytes) => resolve(String(bytes))));
    expect(answer).toContain('200 OK');
    plain.destroy();
    server.on('upgrade', (_request, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n');
      socket.resume().once('end', () => socket.end());
    });
    const live = connect(portOf(server), '127.0.0.1', () => live.write(upgrade));
    await expect.poll(() => meters.text()).toContain('fleet_live_clients{kind="websocket"} 1');
    live.destroy();
    await expect.poll(() => meters.text()).toContain('fleet_live_clients{kind="websocket"} 0');
    await expect.poll(() => meters.text()).toContain('fleet_http_connections 0');
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

it('counts streams of events while they are open, and requests under their templates', async () => {
  const meters = openMeters();
  const answers: string[] = [];
  const needs: WebDeps = {
    version: '0',
    identify: async () => ({ id: 'owner', name: 'you', role: 'admin' }),
    callAs: () => () => Promise.reject(new Error('nothing is called')),
    redeem: () => Promise.reject(new Error('nothing is redeemed')),
    rules: () => ({ hosts: new Set([`127.0.0.1:${port.value}`]), origins: new Set(), rate: 100, runRate: 100 }),
    within: () => undefined,
    revision: () => undefined,
    now: () => 0,
    elapsed: () => 0,
    id: () => 'made-here',
    log: () => undefined,
    onAnswer: ({ method, route, status }) => void answers.push(`${method} ${route} ${status}`),
    onStream: (response) => countStream(response, 'events', meters),
  };
  const port = { value: 0 };
  const web = admittedWeb(needs);
  const endless = () =>
    new ReadableStream({ pull: (to) => new Promise<void>(() => to.enqueue(new TextEncoder().encode('data: 1\n\n'))) });
  web.get('/v1/things/ready', (asked) => asked.text('ready'));
  web.get('/v1/things/:id', (asked) => asked.text('one'));
  web.get('/v1/events', () => new Response(endless(), { headers: { 'content-type': 'text/event-stream' } }));
  web.route('/sub', new Hono().get('/:name/x', (asked) => asked.text('x')) as never);
  const listener = await listenTcp({ web, onUpgrade: (_request, socket) => socket.destroy() }, { port: 0, bind: '127.0.0.1' });
  port.value = listener.port;
  const at = (path: string, token = true) =>
    fetch(`http://127.0.0.1:${listener.port}${path}`, token ? { headers: { authorization: 'Bearer t' } } : {});
  try {
    const options = { port: listener.port, host: '127.0.0.1', path: '/v1/events', headers: { authorization: 'Bearer t' } };
    const request = get(options, (response) => response.resume());
    request.on('error', () => undefined);
    await expect.poll(() => meters.text()).toContain('fleet_live_clients{kind="events"} 1');
    request.destroy();
    await expect.poll(() => meters.text()).toContain('fleet_live_clients{kind="events"} 0');
    answers.length = 0;
    for (const path of ['/v1/things/ready', '/v1/things/secret-7', '/sub/secret-8/x', '/secret-9']) await (await at(path)).text();
    const refused = await at('/v1/things/secret-7', false);
    expect(refused.headers.get('x-request-id')).toBe('made-here');
    expect(answers).toEqual([
      'GET /v1/things/ready 200',
      'GET /v1/things/:id 200',
      'GET /sub/:name/x 200',
      'GET none 404',
      'GET /v1/things/:id 401',
    ]);
  } finally {
    await listener.close();
  }
});
