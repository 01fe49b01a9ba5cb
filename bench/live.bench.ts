/** Live streams: how many clients one event reaches in a second, and what one that does not read costs. */
import { fork } from 'node:child_process';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Happening } from '../src/surfaces/live/batch.ts';
import { Feed, type FeedSource } from '../src/surfaces/live/feed.ts';
import { Follower } from '../src/surfaces/live/follower.ts';
import { Pipe } from '../src/surfaces/live/pipe.ts';
import { sseWire } from '../src/surfaces/live/sse.ts';
import { measure } from './measure.ts';

const CLIENTS = 1_000;
const EVENTS = 100;
const BATCH = 20;
const MB = 1_024 * 1_024;
const STALLED_MB = 20;
const TOPIC = 'task/task_01m7hnrk6p04eq5pszar9y8xw1';

const entry = { at: '2030-01-01T12:00:00.000Z', by: 'you', what: 'comment', why: 'a line of an agent. '.repeat(12) };
const elapsed = () => performance.now();
const nothing = () => undefined;
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A history that has grown by some events, of which a page holds as many as are told together. */
class History implements FeedSource {
  length = 0;
  together = 1;

  async read([after = 0]: readonly number[]) {
    await turn();
    const count = Math.min(this.together, this.length - after);
    const happenings = Array.from({ length: count }, (_, index): Happening => {
      const n = after + index + 1;
      return { event: 'entry', data: { n, ...entry }, lane: 0, at: n };
    });
    return { happenings, more: after + count < this.length, over: false };
  }

  listen() {
    return nothing;
  }
}

const history = new History();
const feed = new Feed(TOPIC, history, { elapsed, log: nothing, onIdle: nothing });
const bare: ServerResponse[] = [];
/** One path as the program serves it, and one on which a loop writes the same to everybody. */
const server = createServer((request, response) => {
  if (request.url === '/live') {
    const pipe = new Pipe(sseWire(response), elapsed);
    const follower = new Follower(feed, [history.length], { pipe, onOver: nothing });
    return void response.once('close', () => follower.leave());
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write('retry: 500\n\n');
  bare.push(response);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
const { port } = server.address() as AddressInfo;

/** Clients in a process of their own: what they cost is not what is measured. */
async function clientsOf(path: string) {
  const script = fileURLToPath(new URL('./live-clients.ts', import.meta.url));
  const child = fork(script, [String(port), path, String(CLIENTS)], { execArgv: process.execArgv });
  let events = 0;
  let waiting: { readonly events: number; resolve(): void } | undefined;
  await new Promise<void>((resolve) => {
    child.on('message', (message: { ready?: boolean; events?: number }) => {
      if (message.ready) resolve();
      events = message.events ?? events;
      if (waiting && events >= waiting.events) waiting.resolve();
    });
  });
  return {
    /** Resolves when all of them together have had as many events since the beginning. */
    had: (wanted: number) =>
      new Promise<void>((resolve) => {
        waiting = { events: wanted, resolve };
        if (events >= wanted) resolve();
      }),
    end: () => child.kill('SIGKILL'),
  };
}

const [followers, listeners] = [await clientsOf('/live'), await clientsOf('/bare')];
let written = 0;

const perSecond = (ms: number) => (EVENTS * CLIENTS * 1_000) / ms;

async function bareLoop(): Promise<number> {
  const begun = elapsed();
  for (let n = 0; n < EVENTS; n += 1) {
    written += 1;
    const text = `id: ${TOPIC}@${written}\nevent: entry\ndata: ${JSON.stringify({ n: written, ...entry })}\n\n`;
    for (const response of bare) response.write(text);
    await turn();
  }
  await listeners.had(written * CLIENTS);
  return perSecond(elapsed() - begun);
}

const fanOut = (together: number) => async (): Promise<number> => {
  const begun = elapsed();
  history.together = together;
  history.length += EVENTS;
  feed.stir();
  await followers.had(history.length * CLIENTS);
  return perSecond(elapsed() - begun);
};

/** Megabytes the house grows by while one client stands still and so much goes past it. */
async function stalled(): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  socket.pause();
  socket.write('GET /live HTTP/1.1\r\nhost: fleet\r\n\r\n');
  for (let n = 0; n < 50; n += 1) await fanOut(BATCH)();
  const before = process.memoryUsage.rss();
  let most = before;
  for (let n = 0; n < 300; n += 1) {
    await fanOut(BATCH)();
    most = Math.max(most, process.memoryUsage.rss());
  }
  socket.destroy();
  return (most - before) / MB;
}

try {
  const to = `to ${CLIENTS} clients v a bare loop`;
  const floor = bareLoop;
  await measure({
    id: 'P16',
    name: `1 event at a time ${to}`,
    goal: { atLeast: 0.7 },
    pairs: 7,
    warmUps: 2,
    floor,
    product: fanOut(1),
  });
  await measure({
    id: 'P16',
    name: `${BATCH} events at a time ${to}`,
    goal: { atLeast: 3 },
    pairs: 7,
    warmUps: 2,
    floor,
    product: fanOut(BATCH),
  });
  await measure({
    name: `one of ${CLIENTS + 1} clients reads nothing: memory v ${STALLED_MB} MB`,
    goal: { atMost: 1 },
    once: true,
    floor: () => STALLED_MB,
    product: stalled,
  });
} finally {
  followers.end();
  listeners.end();
  server.closeAllConnections();
  server.close();
}
