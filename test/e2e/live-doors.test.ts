import { readFile } from 'node:fs/promises';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { type RawData, WebSocket } from 'ws';
import { openServices } from '../../src/app/open-services.ts';
import { type FaultHouse, faultHouse } from '../fixtures/fault-house.ts';
import { fullOnly } from '../full-only.ts';
import { openLive, PlainClient } from '../support/live-client.ts';

interface Door {
  readonly house: FaultHouse;
  readonly url: URL;
  readonly admin: string;
  readonly socket: string;
}

async function opened(house: FaultHouse): Promise<Door> {
  const engine = await house.up();
  await vi.waitFor(() => expect(engine.log()).toContain('http.listening'), 10_000);
  const { url, socket } = JSON.parse(await readFile(join(house.home, 'up.json'), 'utf8')) as { url: string; socket: string };
  return { house, url: new URL(url), socket, admin: (await readFile(join(house.home, 'admin.token'), 'utf8')).trim() };
}

type Headers = Readonly<Record<string, string>>;

/** The status a request is answered with; of a stream that opens, and of a socket that is accepted, too. */
function statusOf({ url }: Door, path: string, headers: Headers): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent: ClientRequest = request({ hostname: url.hostname, port: url.port, path, headers, agent: false });
    const answered = (answer: IncomingMessage) => {
      resolve(answer.statusCode ?? 0);
      sent.destroy();
    };
    sent.on('response', answered);
    sent.on('upgrade', (answer, socket) => {
      answered(answer);
      socket.destroy();
    });
    sent.on('error', reject);
    sent.end();
  });
}

const UPGRADE: Headers = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

interface Said {
  readonly type: string;
  readonly topics?: readonly string[];
  readonly items?: readonly { readonly id?: string; readonly event: string; readonly data: unknown }[];
  readonly problem?: { readonly code: string };
}

/** A WebSocket and everything it was told. */
function talk({ url }: Door, headers: Headers = {}) {
  const client = new WebSocket(`ws://${url.host}/v1/live`, { headers });
  const said: Said[] = [];
  let closed: number | undefined;
  client.on('message', (text: RawData) => said.push(JSON.parse((text as Buffer).toString()) as Said));
  client.on('close', (code) => {
    closed = code;
  });
  client.on('error', () => undefined);
  return {
    client,
    said,
    closed: () => closed,
    items: () => said.flatMap(({ items = [] }) => items),
    say: async (message: unknown) => {
      await vi.waitFor(() => expect(client.readyState).toBe(WebSocket.OPEN));
      client.send(typeof message === 'string' ? message : JSON.stringify(message));
    },
  };
}

async function tokenFor({ url, admin }: Door, name: string, role: string): Promise<{ id: string; token: string }> {
  const headers = { authorization: `Bearer ${admin}`, 'content-type': 'application/json' };
  const answer = await fetch(new URL('/v1/tokens', url), { method: 'POST', headers, body: JSON.stringify({ name, role }) });
  return (await answer.json()) as { id: string; token: string };
}

describe('the doors of live streams', () => {
  it('stay shut to other sites, other names and without a token, as events and as sockets [API-04]', async () => {
    await using house = await faultHouse();
    const door = await opened(house);
    const { port } = door.url;
    const good = { authorization: `Bearer ${door.admin}` };
    const path = '/v1/live?topic=board';
    const origins = [
      'null',
      'http://evil.test',
      `http://localhost.evil:${port}`,
      `http://127.0.0.1.evil:${port}`,
      `http://localhost:${Number(port) + 1}`,
      `https://localhost:${port}`,
      `http://localhost:${port}@evil.test`,
      `http://localhost:${port}/`,
      'file://',
      '',
    ];
    for (const more of [{}, UPGRADE]) {
      for (const origin of origins) expect(await statusOf(door, path, { ...good, ...more, origin }), origin).toBe(403);
      for (const host of ['evil.test', `evil.test:${port}`, `localhost.evil:${port}`, '127.0.0.1'])
        expect(await statusOf(door, path, { ...good, ...more, host }), host).toBe(403);
      for (const token of ['x', `${door.admin}x`, door.admin.slice(0, -2), `${door.admin.split('.').slice(0, 2).join('.')}.`])
        expect(await statusOf(door, path, { ...more, authorization: `Bearer ${token}` })).toBe(401);
    }
    expect(await statusOf(door, path, {})).toBe(401);
    expect(await statusOf(door, `${path}&token=${door.admin}`, {})).toBe(401);
    expect(await statusOf(door, `${path}&access_token=x`, good)).toBe(400);
    expect(await statusOf(door, path, { ...good, origin: `http://localhost:${port}` })).toBe(200);
    expect(await statusOf(door, path, { ...good, ...UPGRADE, origin: `http://localhost:${port}` })).toBe(101);
    expect(await statusOf(door, '/v1/other', { ...good, ...UPGRADE })).toBe(404);
    for (const wrong of ['', '?topic=', '?topic=task/x', '?topic=board&after=board', '?topic=inbox/me'])
      expect([400, 404]).toContain(await statusOf(door, `/v1/live${wrong}`, good));
  });

  fullOnly('ask a socket without a token to say who it is, and do nothing for it before [API-04]', async () => {
    await using house = await faultHouse();
    const door = await opened(house);
    const [known, first, wrong, garbage, mute] = Array.from({ length: 5 }, () => talk(door)) as [Talk, Talk, Talk, Talk, Talk];
    await known.say({ type: 'hello', token: door.admin });
    await vi.waitFor(() => expect(known.said).toEqual([{ type: 'ready' }]));
    await first.say({ type: 'subscribe', topics: ['board'] });
    await wrong.say({ type: 'hello', token: `${door.admin}x` });
    await garbage.say('{"type":'.repeat(1_000));
    await vi.waitFor(() => expect([first, wrong, garbage].map((one) => one.closed())).toEqual([4401, 4401, 1008]), 5_000);
    expect([first, wrong, garbage].map(({ said }) => said.map(({ type }) => type))).toEqual([['error'], ['error'], ['error']]);
    for (const bad of ['null', '[]', '{"type":"subscribe","topics":["x"]}', '{"type":"subscribe","topics":[],"more":1}'])
      await known.say(bad);
    await vi.waitFor(() => expect(known.said.filter(({ problem }) => problem?.code === 'invalid')).toHaveLength(4));
    await known.say(`"${'x'.repeat(70_000)}"`);
    await vi.waitFor(() => expect([known.closed(), mute.closed()]).toEqual([1009, 4401]), 10_000);
  });

  it('open to what is one’s own and to nothing else, and close when the token ends [API-04]', async () => {
    await using house = await faultHouse();
    const door = await opened(house);
    const create = async (...flags: string[]) =>
      (await house.ok(['task', 'create', '--directory', house.work, '--prompt', 'x', '--draft', '--json', ...flags])).json<{
        id: string;
      }>().id;
    const [mine, theirs] = [await create('--assignee', 'ann'), await create('--assignee', 'bob')];
    const ann = await tokenFor(door, 'ann', 'worker');
    const as = { authorization: `Bearer ${ann.token}` };
    expect(await statusOf(door, `/v1/live?topic=task/${theirs}`, as)).toBe(404);
    expect(await statusOf(door, `/v1/live?topic=task/${mine}&topic=task/${theirs}`, as)).toBe(404);
    const where = () => ({ socket: door.socket, token: ann.token });
    const [own, board] = [new PlainClient(where, `task/${mine}`).start(), new PlainClient(where, 'board').start()];
    expect(await statusOf(door, `/v1/live?topic=inbox/${theirs}`, as)).toBe(404);
    const inbox = new PlainClient(where, `inbox/${mine}`).start();
    const socket = talk(door, as);
    try {
      await socket.say({ type: 'subscribe', topics: [`task/${theirs}`] });
      await vi.waitFor(() => expect(socket.said.at(-1)).toMatchObject({ type: 'error', problem: { code: 'not_found' } }));
      await socket.say({ type: 'subscribe', topics: [`task/${mine}`] });
      await vi.waitFor(() => expect([own.seen.length, socket.items().length]).toEqual([1, 1]));
      await house.ok(['task', 'comment', theirs, 'secret of bob']);
      await house.ok(['task', 'comment', mine, 'for ann']);
      await vi.waitFor(() => expect([own.seen.length, socket.items().length]).toEqual([2, 2]));
      await vi.waitFor(() => expect(board.seen.at(-1)?.data).toContain(mine));
      expect(board.seen.map(({ data }) => data).join()).not.toContain(theirs);
      for (const text of ['one', 'two']) await house.ok(['task', 'send', mine, text]);
      await vi.waitFor(() => expect(inbox.seen.map(({ id }) => id)).toEqual([`inbox/${mine}@1`, `inbox/${mine}@2`]));
      expect(inbox.seen.map(({ data }) => JSON.parse(data).text)).toEqual(['one', 'two']);
      await vi.waitFor(() => expect([own.seen.length, socket.items().length]).toEqual([4, 4]));
      // It becomes somebody else's while it is followed.
      await house.ok(['task', 'edit', mine, '--assignee', 'bob']);
      await vi.waitFor(() => expect(socket.items().at(-1)).toEqual({ event: 'gone', data: { topic: `task/${mine}` } }), 5_000);
      expect(socket.items()).toHaveLength(5);
      await house.ok(['token', 'revoke', ann.id]);
      await vi.waitFor(() => expect(socket.closed()).toBe(4401), 10_000);
      expect(await statusOf(door, '/v1/live?topic=board', as)).toBe(401);
    } finally {
      await Promise.all([own.stop(), board.stop(), inbox.stop()]);
      socket.client.terminate();
    }
  });

  it('tell the same over a socket as over events, and have room for so many of one token [API-04]', async () => {
    await using house = await faultHouse();
    const door = await opened(house);
    const task = await house.create('echo one\necho two >&2\nexit 0');
    await house.settled([task]);
    const [run] = await house.runs(task);
    const topics = [`run/${run?.id}`, `task/${task}`];
    const socket = talk(door, { authorization: `Bearer ${door.admin}` });
    const where = () => ({ socket: door.socket, token: door.admin });
    const clients = topics.map((topic) => new PlainClient(where, topic).start());
    try {
      await socket.say({ type: 'subscribe', topics });
      const told = (topic: string) => socket.items().filter(({ id }) => id?.startsWith(`${topic}@`));
      await vi.waitFor(() => {
        for (const [n, topic] of topics.entries()) {
          const events = clients[n]?.seen.map(({ id, event, data }) => ({ id, event, data: JSON.parse(data) as unknown }));
          expect(events?.length).toBeGreaterThan(2);
          expect(told(topic)).toEqual(events);
        }
      });
      await socket.say({ type: 'unsubscribe', topics: [`task/${task}`] });
      await vi.waitFor(() => expect(socket.said.at(-1)?.type).toBe('unsubscribed'));
      const id = told(`task/${task}`)[1]?.id ?? '';
      await socket.say({ type: 'subscribe', topics: [`task/${task}`], after: [id] });
      await vi.waitFor(() =>
        expect(told(`task/${task}`).filter((item) => item.id === told(`task/${task}`)[2]?.id)).toHaveLength(2),
      );
      await socket.say({ type: 'subscribe', topics: [`task/${task}`], after: [`task/${task}@999`] });
      await vi.waitFor(() => expect(socket.said.at(-1)).toMatchObject({ type: 'error', problem: { code: 'conflict' } }));
    } finally {
      await Promise.all(clients.map((client) => client.stop()));
      socket.client.terminate();
    }
    const many = Array.from({ length: 130 }, () => new AbortController());
    const statuses = await Promise.all(
      many.map(async ({ signal }) => (await openLive(where(), '/v1/live?topic=board', signal)).status),
    );
    for (const one of many) one.abort();
    expect(statuses.filter((status) => status === 200)).toHaveLength(100);
    expect(statuses.filter((status) => status === 429)).toHaveLength(30);
    await vi.waitFor(async () =>
      expect(await statusOf(door, '/v1/live?topic=board', { authorization: `Bearer ${door.admin}` })).toBe(200),
    );
  });

  it('keep little for a reader that has stopped reading, and it misses nothing when it goes on [API-04] [R43]', async () => {
    await using house = await faultHouse();
    const door = await opened(house);
    const lines = 40_000;
    const task = await house.create(
      `i=0; while [ $i -lt 40 ]; do i=$((i + 1)); seq -f "line %.0f $(printf %0900d 0)" $((i * 1000 - 999)) $((i * 1000)); done\nexit 0`,
    );
    await vi.waitFor(async () => expect(await house.runs(task)).toHaveLength(1), 20_000);
    const [run] = await house.runs(task);
    const where = { socket: door.socket, token: door.admin };
    const stopped = new AbortController();
    const slow = await openLive(where, `/v1/live?topic=run/${run?.id}`, stopped.signal);
    const reader = slow.text[Symbol.asyncIterator]();
    await reader.next();
    const quick = new PlainClient(() => where, `run/${run?.id}`).start();
    try {
      // Everything has gone past the reader that stands still: 36 MB, of which little may be kept for it.
      await vi.waitFor(() => expect(quick.hasEnded()).toBe(true), 60_000);
      const count = (texts: readonly string[]) => texts.filter((data) => data.includes('"text":"line ')).length;
      expect(count(quick.seen.map(({ data }) => data))).toBe(lines);
      let rest = '';
      let seen = 0;
      for (let part = await reader.next(); !part.done; part = await reader.next()) {
        const cut = (rest + part.value).split('\n\n');
        rest = cut.pop() ?? '';
        for (const block of cut) {
          const n = /"text":"line (\d+) /.exec(block)?.[1];
          if (n === undefined) continue;
          seen += 1;
          expect(Number(n)).toBe(seen);
        }
      }
      expect(seen).toBe(lines);
    } finally {
      stopped.abort();
      await quick.stop();
    }
  });

  fullOnly('are told of what another process writes to the same home [API-04]', async () => {
    await using house = await faultHouse();
    const door = await opened(house);
    const task = (await house.ok(['task', 'create', '--directory', house.work, '--prompt', 'x', '--draft', '--json'])).json<{
      id: string;
    }>().id;
    const client = new PlainClient(() => ({ socket: door.socket, token: door.admin }), `task/${task}`).start();
    const elsewhere = await openServices(house.env, house.directory);
    try {
      await vi.waitFor(() => expect(client.seen).toHaveLength(1));
      for (let n = 0; n < 120; n += 1) await elsewhere.call('task.comment', { id: task, text: `note ${n}` });
      await vi.waitFor(() => expect(client.seen.length).toBeGreaterThanOrEqual(121), 10_000);
      expect(client.seen.map(({ id }) => Number(id?.split('@')[1]))).toEqual(Array.from({ length: 121 }, (_, n) => n + 1));
    } finally {
      await client.stop();
      await elsewhere.close();
    }
  });
});

type Talk = ReturnType<typeof talk>;
