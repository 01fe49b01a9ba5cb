/** Asking over HTTP costs little more than HTTP: a task, with its token checked; a list, from the command line. */
import { spawn, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addNobody, bareServer, ended, rate, urlOf } from './http-client.ts';
import { measure, timed } from './measure.ts';
import { fillQueue } from './queue.ts';
import { temporaryHouse } from './temporary-home.ts';

const FLEET = fileURLToPath(new URL('../dist/fleet.mjs', import.meta.url));
const CONNECTIONS = 32;
const REQUESTS = 6_000;
const TASKS = 50;

await using ground = await temporaryHouse();
await fillQueue(ground.house, 200, () => ({ projectId: ground.project.id, executors: [] }));
const { items } = await ground.house.call('task.list', { limit: TASKS });
const [task] = items;
const home = ground.house.paths.path;
const shown = JSON.stringify(await ground.house.call('task.show', { id: task?.id ?? '' }));

const fleet = spawn(process.execPath, [FLEET, 'up', '--port', '0', '--json'], {
  env: { ...process.env, FLEET_HOME: home, FLEET_RATE_LIMIT: '1000000', FLEET_EXECUTOR: await addNobody(home) },
  stdio: ['ignore', 'ignore', 'pipe'],
});
const bare = bareServer(200, shown);

try {
  const [fleetUrl, bareUrl] = await Promise.all([urlOf(fleet), urlOf(bare)]);
  const token = (await readFile(join(home, 'admin.token'), 'utf8')).trim();
  const asking = (url: string, more = '') => items.map(({ id }) => requestFor(url, `/v1/tasks/${id}`, `Bearer ${token}${more}`));
  await measure({
    id: 'P15',
    name: 'GET of a task with a token v bare node:http, 32 connections',
    goal: { atLeast: 0.5 },
    floor: () => rateOf(bareUrl, asking(bareUrl)),
    product: () => rateOf(fleetUrl, asking(fleetUrl)),
  });
  const anew = '\r\nX-Request-Id: of-my-own';
  await measure({
    name: 'GET of a task, worked out anew, v bare node:http',
    floor: () => rateOf(bareUrl, asking(bareUrl, anew)),
    product: () => rateOf(fleetUrl, asking(fleetUrl, anew)),
  });
  const get = `require('node:http').get('${bareUrl}/', (answer) => answer.resume())`;
  await measure({
    id: 'P11',
    name: 'fleet task list against a live server v node -e and one GET',
    goal: { atMost: 1.6 },
    pairs: 21,
    floor: () => runMs(['-e', get]),
    product: () => runMs([FLEET, 'task', 'list', '--home', home]),
  });
} finally {
  await ended([fleet, bare]);
}

async function runMs(args: readonly string[]): Promise<number> {
  return timed(() => {
    const { status, stderr } = spawnSync(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' });
    if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}: ${stderr}`);
  });
}

function requestFor(url: string, path: string, authorization: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nAuthorization: ${authorization}\r\n\r\n`;
}

/** Declared, so that it is there for what is measured above. */
function rateOf(url: string, asked: readonly string[]): Promise<number> {
  return rate({ url, connections: CONNECTIONS, requests: REQUESTS, status: 200, request: (n) => asked[n % asked.length] ?? '' });
}
