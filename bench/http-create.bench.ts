/** Handing in a task over HTTP, on disk when it is answered, costs a few times what HTTP alone does with the same bodies. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addNobody, bareServer, ended, rate, urlOf } from './http-client.ts';
import { measure } from './measure.ts';
import { temporaryHouse } from './temporary-home.ts';

const FLEET = fileURLToPath(new URL('../dist/fleet.mjs', import.meta.url));
const CALLERS = 32;
const REQUESTS = 1_000;
const PROMPT = `Mend the login test: it fails when two people sign in at once. ${'See the notes of the last review. '.repeat(8)}`;

await using ground = await temporaryHouse();
const home = ground.house.paths.path;
/** A directory of a repository, as people give it. */
const directory = join(home, 'repository');
await mkdir(directory);
execFileSync('git', ['init', '-q', directory]);

const fleet = spawn(process.execPath, [FLEET, 'up', '--port', '0', '--json'], {
  env: { ...process.env, FLEET_HOME: home, FLEET_RATE_LIMIT: '1000000', FLEET_EXECUTOR: await addNobody(home) },
  stdio: ['ignore', 'ignore', 'pipe'],
});
const children: ChildProcess[] = [fleet];

try {
  const url = await urlOf(fleet);
  const token = (await readFile(join(home, 'admin.token'), 'utf8')).trim();
  const post = (to: string, place: object) => {
    const body = JSON.stringify({ prompt: PROMPT, title: 'Mend the login test', ...place });
    const head = `Host: ${new URL(to).host}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json`;
    return `POST /v1/tasks HTTP/1.1\r\n${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  };
  const places = { project: { project: 'shop' }, directory: { directory } };
  for (const [name, place] of Object.entries(places)) {
    const answer = await fetch(`${url}/v1/tasks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: PROMPT, title: 'Mend the login test', ...place }),
    });
    if (answer.status !== 201) throw new Error(`a task was refused: ${answer.status} ${await answer.text()}`);
    const bare = bareServer(201, await answer.text());
    children.push(bare);
    const bareUrl = await urlOf(bare);
    const load = { connections: CALLERS, requests: REQUESTS, status: 201 };
    await measure({
      name: `POST /v1/tasks with a ${name}, durable, 32 callers v bare node:http`,
      goal: { atLeast: 0.3 },
      pairs: 7,
      warmUps: 1,
      floor: () => rate({ ...load, url: bareUrl, request: () => post(bareUrl, place) }),
      product: () => rate({ ...load, url, request: () => post(url, place) }),
    });
  }
} finally {
  await ended(children);
}
