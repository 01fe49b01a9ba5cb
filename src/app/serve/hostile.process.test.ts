import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServerHouse, serverHouse } from '../../../test/support/server-house.ts';
import { LIMITS } from '../../domain/limits.ts';
import { PUBLIC } from '../../surfaces/http/admission.ts';

let place: ServerHouse;
let port: string;

beforeAll(async () => {
  place = await serverHouse({ FLEET_RATE_LIMIT: '100000' });
  port = new URL(place.url).port;
});

afterAll(async () => {
  await place[Symbol.asyncDispose]();
});

const filled = (route: string) => {
  const [method = '', path = ''] = route.split(' ');
  return { method, path: path.replaceAll(/:\w+/g, 'task_00000000000000000000000000').replace('*', 'x') };
};

describe('every route there is', () => {
  it('asks for a token, but for the few that are said to be open [T1]', async () => {
    const routes = [...new Set(place.server.routes)];
    expect(routes.length).toBeGreaterThan(60);
    const open: string[] = [];
    for (const route of routes) {
      const { method, path } = filled(route);
      // As a browser asks: it is shown more than a program.
      const headers = { accept: 'text/html,*/*' };
      const { status } = await place.ask(path, { method, headers, ...(method === 'GET' ? {} : { body: {} }) });
      if (status !== 401) open.push(route);
    }
    expect(open.toSorted()).toEqual(routes.filter((route) => PUBLIC.includes(route)).toSorted());
  });

  it('is closed to a name that is not ours [T2]', async () => {
    for (const route of place.server.routes)
      for (const host of [
        `evil.test:${port}`,
        'evil.test',
        `127.0.0.1.evil.test:${port}`,
        'fleet',
        `fleet:${port}`,
        'localhost',
        '127.0.0.1:1',
      ]) {
        const { method, path } = filled(route);
        const { status } = await place.ask(path, { method, token: place.admin, headers: { host } });
        expect(`${route} as ${host}: ${status}`).toBe(`${route} as ${host}: 403`);
      }
  });

  it('is closed to pages of other origins [T3]', async () => {
    const origins = [
      'null',
      'http://evil.test',
      `http://localhost.evil:${port}`,
      `http://127.0.0.1.evil:${port}`,
      `http://evil.test:${port}`,
      `https://127.0.0.1:${port}`,
      'http://127.0.0.1',
      'http://127.0.0.1:1',
      `http://127.0.0.1:${port}.evil.test`,
      `http://127.0.0.1:${port}/`,
      `HTTP://127.0.0.1:${port}`,
      'file://',
    ];
    for (const route of place.server.routes.filter((one) => !one.startsWith('GET ')))
      for (const origin of origins) {
        const { method, path } = filled(route);
        const { status } = await place.ask(path, { method, token: place.admin, headers: { origin }, body: {} });
        expect(`${route} from ${origin}: ${status}`).toBe(`${route} from ${origin}: 403`);
      }
    const own = await place.ask('/v1/tasks', { token: place.admin, headers: { origin: `http://localhost:${port}` } });
    expect(own.status).toBe(200);
    expect(own.headers['access-control-allow-origin']).toBeUndefined();
  });

  it('takes commands as JSON alone, and no token from an address [T3] [T4]', async () => {
    const raw = JSON.stringify({ prompt: 'x', directory: place.directory });
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonp',
    ])
      expect(
        (await place.ask('/v1/tasks', { method: 'POST', token: place.admin, raw, headers: { 'content-type': type } })).status,
      ).toBe(415);
    for (const name of ['token', 'access_token', 'authorization', 'key'])
      expect((await place.ask(`/v1/tasks?${name}=${place.admin}`)).status).toBe(401);
    expect((await place.ask('/v1/tasks', { headers: { cookie: `token=${place.admin}` } })).status).toBe(401);
    expect((await place.ask('/v1/tasks', { headers: { 'x-role': 'admin', 'fleet-as': 'admin' } })).status).toBe(401);
    expect(JSON.stringify(place.logged)).not.toContain(place.admin);
  });

  it('believes nothing a caller says of itself [T6]', async () => {
    const monitor = await place.tokenFor('monitor');
    const headers = { 'fleet-as': 'admin', 'x-role': 'admin', role: 'admin', scopes: 'admin' };
    const { status } = await place.ask('/v1/tasks?role=admin&scopes=admin', { token: monitor, headers });
    expect(status).toBe(400);
    const body = { name: 'x', role: 'admin', caller: { role: 'admin' } };
    expect((await place.ask('/v1/tokens', { method: 'POST', token: monitor, headers, body })).status).toBe(403);
    const lead = await place.tokenFor('team-lead');
    const mint = (wish: object) => place.ask('/v1/tokens', { method: 'POST', token: lead, body: { name: 'x', ...wish } });
    expect((await mint({ role: 'admin' })).status).toBe(403);
    expect((await mint({ role: 'host', host: 'box' })).status).toBe(403);
    expect((await mint({ role: 'worker', days: 3_000 })).status).toBe(403);
    expect((await mint({ role: 'worker', days: 1 })).status).toBe(201);
    const bound = await place.tokenFor('team-lead', { name: 'bound', team: 'web', days: 2 });
    const wider = await place.ask('/v1/tokens', {
      method: 'POST',
      token: bound,
      body: { name: 'x', role: 'worker', team: 'ops', days: 1 },
    });
    expect(wider.status).toBe(403);
    const same = await place.ask('/v1/tokens', { method: 'POST', token: bound, body: { name: 'y', role: 'worker', days: 1 } });
    expect(same.json.team).toBe('web');
  });
});

describe('what is sent', () => {
  it('is bounded in length and depth [T23]', async () => {
    const post = (raw: string) => place.ask('/v1/tasks', { method: 'POST', token: place.admin, raw });
    expect((await post(`{"prompt":"${'x'.repeat(LIMITS.requestBytes.value)}"}`)).status).toBe(413);
    expect((await post(`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`)).status).toBe(400);
    expect((await post('['.repeat(100_000))).json.detail).toContain('levels deep');
    expect((await post('{"prompt":')).status).toBe(400);
    expect((await post('"text"')).json.detail).toContain('not a JSON object');
    // Sent piece by piece, its length unsaid.
    const chunked = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), '127.0.0.1');
      socket.write(
        `POST /v1/tasks HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${place.admin}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`,
      );
      const piece = Buffer.alloc(1 << 20, 120);
      for (let at = 0; at < 6; at += 1) {
        socket.write(`${piece.length.toString(16)}\r\n`);
        socket.write(piece);
        socket.write('\r\n');
      }
      socket.once('data', (data) => {
        resolve(data.toString('latin1', 0, 12));
        socket.destroy();
      });
      socket.once('error', reject);
    });
    expect(chunked).toBe('HTTP/1.1 413');
  });

  it('changes no prototype and no field that is not declared [T24]', async () => {
    const keys = ['__proto__', 'constructor', 'prototype', 'id', 'phase', 'createdBy', 'seq', 'depth'];
    for (const key of keys) {
      const raw = `{"prompt":"x","directory":${JSON.stringify(place.directory)},"${key}":{"polluted":true}}`;
      expect((await place.ask('/v1/tasks', { method: 'POST', token: place.admin, raw })).status).toBe(400);
    }
    const raw = `{"prompt":"x","directory":${JSON.stringify(place.directory)},"metadata":{"__proto__":{"polluted":true},"constructor":{"a":1}}}`;
    const { status, json } = await place.ask('/v1/tasks', { method: 'POST', token: place.admin, raw });
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    if (status === 201) expect(json.metadata.polluted).toBeUndefined();
  });

  it('finds no file outside, however it is written [T14]', async () => {
    const words = [
      '..',
      '%2e%2e',
      '..%2f..',
      '%252e%252e%252f',
      '..%5c..',
      '%00',
      'task_x%00',
      '/etc/passwd',
      '%2fetc%2fpasswd',
      '....//',
      '~',
      '.',
      '%c0%ae',
    ];
    for (const word of words)
      for (const path of [`/v1/tasks/${word}`, `/v1/runs/${word}/log`, `/v1/tasks/${word}/diff`, `/docs/${word}`, `/${word}`]) {
        const { status, text } = await place.ask(path, { token: place.admin });
        expect([400, 404]).toContain(status);
        expect(text).not.toContain('root:');
      }
  });

  it('is data and never a part of a query [T25]', async () => {
    const words = ["' OR 1=1 --", '"; DROP TABLE rows; --', '%', '_', "x' UNION SELECT 1", '\\', '~', '/', 'task.all'];
    for (const word of words)
      for (const field of ['tag', 'assignee', 'team', 'cursor', 'project', 'parent', 'state']) {
        const { status, json } = await place.ask(`/v1/tasks?${field}=${encodeURIComponent(word)}`, { token: place.admin });
        expect([200, 400, 404]).toContain(status);
        if (status === 200) expect(json.items).toEqual([]);
      }
  });

  // A pattern that looks again and again would take hours for these, and the test has a bound.
  it('does not hold the server up, however long and odd [T22]', async () => {
    const odd = [
      'a'.repeat(1_000_000),
      `${' '.repeat(500_000)}x`,
      `${'a.'.repeat(400_000)}!`,
      `${'-'.repeat(1_000_000)}`,
      '\u3000'.repeat(300_000),
    ];
    for (const text of odd)
      for (const field of ['title', 'executor', 'baseRef', 'notBefore', 'tag', 'assignee', 'model']) {
        const value = field === 'executor' || field === 'tag' ? [text] : text;
        const { status } = await place.ask('/v1/tasks', {
          method: 'POST',
          token: place.admin,
          body: { prompt: 'x', directory: place.directory, [field]: value },
        });
        expect(status).toBe(400);
      }
  });
});

describe('what is told', () => {
  it('of a fault of ours is a number, and the log has the rest [T33]', async () => {
    await using broken = await serverHouse();
    await broken.house.store.close();
    const { status, json, text, headers } = await broken.ask('/v1/status', { token: broken.admin });
    // A store that is gone is no bug, but its words must not name files either.
    expect(status).toBe(503);
    expect(headers['retry-after']).toBe('1');
    expect(json.code).toBe('unavailable');
    expect(text).not.toContain(broken.directory);
    expect(text).not.toMatch(/at .*\.ts|node:|SQL/);
  });

  it('carries the headers that keep a browser from acting on it', async () => {
    for (const path of ['/v1/tasks', '/docs', '/login', '/nowhere', '/openapi.json']) {
      const { headers } = await place.ask(path, { token: place.admin });
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['referrer-policy']).toBe('no-referrer');
      expect(headers['content-security-policy']).toContain("default-src 'none'");
      expect(headers['content-security-policy']).not.toContain('unsafe');
    }
  });
});

describe('one who asks too often', () => {
  it('waits, and nobody else does [T28]', async () => {
    await using slow = await serverHouse({ FLEET_RATE_LIMIT: '5' });
    const eager = await slow.tokenFor('monitor');
    const answers = await Promise.all(Array.from({ length: 200 }, () => slow.ask('/v1/tasks', { token: eager })));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(100);
    expect(refused[0]?.headers['retry-after']).toBe('1');
    expect((await slow.ask('/v1/tasks', { token: slow.admin })).status).toBe(200);
  });
});

describe('a link', () => {
  it('signs one browser in, once [T4]', async () => {
    const { json } = await place.ask('/v1/tokens/link', { method: 'POST', token: place.admin, body: {} });
    const redeem = (code: unknown) => place.ask('/v1/login', { method: 'POST', body: { code } });
    expect((await redeem(`${json.code}x`)).status).toBe(401);
    expect((await redeem('nonsense')).status).toBe(401);
    expect((await redeem(7)).status).toBe(400);
    const both = await Promise.all([redeem(json.code), redeem(json.code)]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401]);
    const token = both.find(({ status }) => status === 200)?.json.token;
    expect((await place.ask('/v1/tasks', { token })).status).toBe(200);
    expect((await redeem(json.code)).status).toBe(401);
  });
});
