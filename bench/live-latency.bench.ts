/** From a line that an agent writes to the client that follows it, while fifty agents talk. */

import { setMaxListeners } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:net';
import { adminToken } from '../src/app/auth/token-file.ts';
import { openObserved } from '../src/app/observe/observe.ts';
import { openServer } from '../src/app/serve/serve.ts';
import { eventsIn } from '../src/wire/sse-text.ts';
import { engineOn, ground, liveRuns, wallMs } from './engine.ts';
import { measure } from './measure.ts';

const AGENTS = 50;
const SECONDS = 20;
const GOAL_MS = 100;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const p95 = (figures: readonly number[]): number =>
  figures.toSorted((a, b) => a - b)[Math.floor(figures.length * 0.95)] ?? Number.NaN;

await using at = await ground({ FLEET_MAX_CONCURRENT: '100', FLEET_PORT: '0' });
const { house } = at;
await using engine = await engineOn(house);
const stopping = new AbortController();
setMaxListeners(0, stopping.signal);
const log = (event: string, fields: object) => {
  if (/bug|unread/.test(event)) process.stderr.write(`${event} ${JSON.stringify(fields)}\n`);
};
using observed = openObserved(house, log);
const server = await openServer(house, { self: await house.self(), log, tcp: 'needed', observed, signal: stopping.signal });
await server.announce();
const url = new URL(server.url ?? '');
const token = (await adminToken(house.paths.adminToken)) ?? '';

const delays: number[] = [];
let isMeasured = false;

/** Reads what one agent says, as a client of the server. */
function listenTo(runId: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = {
      hostname: url.hostname,
      port: url.port,
      path: `/v1/live?topic=run/${runId}`,
      agent: false,
      signal: stopping.signal,
    };
    const sent = request({ ...options, headers: { authorization: `Bearer ${token}` } }, (answer) => {
      if (answer.statusCode !== 200) return reject(new Error(`answered ${answer.statusCode}`));
      resolve();
      void noted(answer.setEncoding('utf8')).catch(() => undefined);
    });
    sent.on('error', reject);
    sent.end();
  });
}

async function noted(text: AsyncIterable<string>): Promise<void> {
  for await (const { event, data } of eventsIn(text)) {
    if (event !== 'line' || !isMeasured) continue;
    const line = JSON.parse((JSON.parse(data) as { text: string }).text) as { at: number };
    delays.push(wallMs() - line.at);
  }
}

/** What a byte there and back costs in the same process at the same time. */
async function echoes(): Promise<number[]> {
  const echo = createServer((socket) => socket.pipe(socket));
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', () => resolve()));
  const socket = connect((echo.address() as AddressInfo).port, '127.0.0.1');
  const found: number[] = [];
  while (isMeasured) {
    const begun = wallMs();
    socket.write('x');
    await new Promise((resolve) => socket.once('data', resolve));
    found.push(wallMs() - begun);
    await pause(20);
  }
  socket.destroy();
  echo.close();
  return found;
}

const running = engine.reached('running', AGENTS);
await at.queue('busy', AGENTS);
await running;
await Promise.all((await liveRuns(house)).map(({ id }) => listenTo(id)));
await pause(3_000);
isMeasured = true;
const echoing = echoes();
await pause(SECONDS * 1_000);
isMeasured = false;
const found = await echoing;
try {
  if (delays.length < AGENTS * SECONDS * 5) throw new Error(`only ${delays.length} lines came`);
  const name = `line to client, p95, ${AGENTS} busy agents`;
  const once = true;
  const product = () => p95(delays);
  await measure({ id: 'P8', name: `${name} v ${GOAL_MS} ms`, goal: { atMost: 1 }, once, floor: () => GOAL_MS, product });
  await measure({ name: `${name} v socket echo`, once, floor: () => p95(found), product });
} finally {
  stopping.abort();
  await server.close();
}
