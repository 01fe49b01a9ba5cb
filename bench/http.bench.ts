/** Asking over HTTP costs little more than HTTP: a task, with its token checked; a list, from the command line. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
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
  env: { ...process.env, FLEET_HOME: home, FLEET_RATE_LIMIT: '1000000', FLEET_MAX_CONCURRENT: '1', FLEET_EXECUTOR: 'nobody' },
  stdio: ['ignore', 'ignore', 'pipe'],
});
const bare = spawn(
  process.execPath,
  [
    '-e',
    `const body = ${JSON.stringify(shown)};
     const server = require('node:http').createServer((_, answer) => answer.writeHead(200, { 'content-type': 'application/json' }).end(body));
     server.listen(0, '127.0.0.1', () => console.error('"url":"http://127.0.0.1:' + server.address().port + '"'));`,
  ],
  { stdio: ['ignore', 'ignore', 'pipe'] },
);

try {
  const [fleetUrl, bareUrl] = await Promise.all([urlOf(fleet), urlOf(bare)]);
  const token = (await readFile(join(home, 'admin.token'), 'utf8')).trim();
  const asking = (url: string, more = '') => items.map(({ id }) => requestFor(url, `/v1/tasks/${id}`, `Bearer ${token}${more}`));
  await measure({
    id: 'P15',
    name: 'GET of a task with a token v bare node:http, 32 connections',
    goal: { atLeast: 0.5 },
    floor: () => rate(bareUrl, asking(bareUrl)),
    product: () => rate(fleetUrl, asking(fleetUrl)),
  });
  const anew = '\r\nX-Request-Id: of-my-own';
  await measure({
    name: 'GET of a task, worked out anew, v bare node:http',
    floor: () => rate(bareUrl, asking(bareUrl, anew)),
    product: () => rate(fleetUrl, asking(fleetUrl, anew)),
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
  for (const child of [fleet, bare]) {
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    await gone;
  }
}

async function urlOf(child: ChildProcess): Promise<URL['origin']> {
  let said = '';
  for await (const part of child.stderr ?? []) {
    said += String(part);
    const found = /"url":"([^"]+)"/.exec(said)?.[1];
    if (found !== undefined) {
      child.stderr?.resume();
      return found;
    }
  }
  throw new Error(`no address was said: ${said}`);
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

/** Requests a second, by connections that each ask again as soon as they were answered. */
async function rate(url: string, requests: readonly string[]): Promise<number> {
  const { port } = new URL(url);
  let left = REQUESTS;
  const ms = await timed(() =>
    Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        const socket = connect(Number(port), '127.0.0.1').setNoDelay(true);
        await once(socket, 'connect');
        const answers = answersOf(socket);
        while (left > 0) {
          left -= 1;
          socket.write(requests[left % requests.length] ?? '');
          await answers();
        }
        socket.destroy();
      }),
    ),
  );
  return (REQUESTS / ms) * 1_000;
}

/** Waits for one whole answer at a time. */
function answersOf(socket: Socket): () => Promise<void> {
  let seen = '';
  let done: (() => void) | undefined;
  let failed: ((error: Error) => void) | undefined;
  socket.on('data', (part) => {
    seen += part.toString('latin1');
    const end = seen.indexOf('\r\n\r\n');
    const length = Number(/content-length: (\d+)/i.exec(seen)?.[1] ?? Number.NaN);
    if (end === -1 || seen.length < end + 4 + length) return;
    if (!seen.startsWith('HTTP/1.1 200')) failed?.(new Error(seen.slice(0, 300)));
    seen = '';
    done?.();
  });
  socket.on('error', (error) => failed?.(error));
  return () =>
    new Promise((resolve, reject) => {
      done = resolve;
      failed = reject;
    });
}
