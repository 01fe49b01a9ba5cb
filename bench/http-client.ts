/** Connections that each ask again as soon as they were answered. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { timed } from './measure.ts';

/** An executor whose program is nowhere, so that what is handed in stays where it is. */
export async function addNobody(home: string): Promise<'nobody'> {
  await mkdir(join(home, 'executors'), { recursive: true });
  await writeFile(join(home, 'executors', 'nobody.toml'), 'command = ["no-such-program", "{prompt}"]\noutput = "text"\n');
  return 'nobody';
}

/** The address a server has said on its standard error. */
export async function urlOf(child: ChildProcess): Promise<URL['origin']> {
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

/** A server of node:http and nothing else: it reads what it is sent, and gives always the same answer. */
export const bareServer = (status: number, body: string): ChildProcess =>
  spawn(
    process.execPath,
    [
      '-e',
      `const body = ${JSON.stringify(body)};
       const server = require('node:http').createServer((request, answer) => {
         const parts = [];
         request.on('data', (part) => parts.push(part));
         request.on('end', () => answer.writeHead(${status}, { 'content-type': 'application/json' }).end(body));
       });
       server.listen(0, '127.0.0.1', () => console.error('"url":"http://127.0.0.1:' + server.address().port + '"'));`,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );

export async function ended(children: readonly ChildProcess[]): Promise<void> {
  for (const child of children) {
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    await gone;
  }
}

export interface Load {
  readonly url: string;
  readonly connections: number;
  readonly requests: number;
  /** The whole text of the n-th request. */
  readonly request: (n: number) => string;
  readonly status: number;
}

/** Requests a second. */
export async function rate({ url, connections, requests, request, status }: Load): Promise<number> {
  const { port } = new URL(url);
  let left = requests;
  const ms = await timed(() =>
    Promise.all(
      Array.from({ length: connections }, async () => {
        const socket = connect(Number(port), '127.0.0.1').setNoDelay(true);
        await once(socket, 'connect');
        const answers = answersOf(socket, status);
        while (left > 0) {
          left -= 1;
          const answered = answers();
          socket.write(request(left));
          await answered;
        }
        socket.destroy();
      }),
    ),
  );
  return (requests / ms) * 1_000;
}

/** Waits for one whole answer at a time. */
function answersOf(socket: Socket, status: number): () => Promise<void> {
  let seen = '';
  let done: (() => void) | undefined;
  let failed: ((error: Error) => void) | undefined;
  socket.on('data', (part) => {
    seen += part.toString('latin1');
    const end = seen.indexOf('\r\n\r\n');
    const length = Number(/content-length: (\d+)/i.exec(seen)?.[1] ?? Number.NaN);
    if (end === -1 || seen.length < end + 4 + length) return;
    if (seen.startsWith(`HTTP/1.1 ${status}`)) done?.();
    else failed?.(new Error(seen.slice(0, 600)));
    seen = '';
  });
  socket.on('error', (error) => failed?.(error));
  return () =>
    new Promise((resolve, reject) => {
      done = resolve;
      failed = reject;
    });
}
