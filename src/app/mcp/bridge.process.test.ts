import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { build } from 'esbuild';
import { describe, expect, it, vi } from 'vitest';
import type { Io } from '../../surfaces/cli/deps.ts';
import { bridge } from './bridge.ts';
import { mcpCommand } from './mcp-command.ts';

interface Heard {
  readonly key: string;
  readonly token: string;
  readonly message: { id: unknown; method: string };
}

type Answer = (heard: Heard, answer: ServerResponse, asking: IncomingMessage) => void;

const reply =
  (result: unknown): Answer =>
  ({ message }, answer) =>
    void answer.writeHead(200).end(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, result })}\n`);

/** A run directory in a home, and an engine that comes and goes and answers as it is told. */
async function runHouse() {
  const home = await mkdtemp(join(tmpdir(), 'fleet bridge '));
  const directory = join(home, 'runs', 'run_x');
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, 'mcp-token'), 'secret-of-run\n');
  const heard: Heard[] = [];
  const input = new PassThrough();
  const out: string[] = [];
  const io = {
    stdin: () => input,
    out: (line: string) => void out.push(line),
    err: () => undefined,
    env: {},
    cwd: '/',
    pause,
  } as unknown as Io;
  const ended = bridge(io, directory);
  const answers = () =>
    out
      .join('')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { id?: unknown; result?: unknown; method?: string; error?: { message: string } });
  let server: ReturnType<typeof createServer> | undefined;
  const stop = async () => {
    const closing = server;
    server = undefined;
    closing?.closeAllConnections();
    if (closing) await new Promise((resolve) => closing.close(resolve));
  };
  return {
    heard,
    answers,
    say: (message: object) => void input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    raw: (words: string) => void input.write(words),
    stop,
    up: async (answer: Answer) => {
      server = createServer((asking, answered) => {
        void text(asking).then((body) => {
          const { 'idempotency-key': key = '', authorization: token = '' } = asking.headers;
          const one = { key: String(key), token, message: JSON.parse(body) as Heard['message'] };
          heard.push(one);
          answer(one, answered, asking);
        });
      });
      const socket = join(home, 's.sock');
      await once(server.listen(socket), 'listening');
      await writeFile(join(home, 'agents.json'), JSON.stringify({ socket, version: '1' }));
    },
    answered: (id: unknown) => vi.waitFor(() => expect(answers().map((one) => one.id)).toContain(id), { timeout: 10_000 }),
    [Symbol.asyncDispose]: async () => {
      input.end();
      expect(await ended).toBe(0);
      await stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}

describe('the bridge of a run', () => {
  it('passes requests on with the token of the run and a key for each, and the answers back', async () => {
    await using house = await runHouse();
    await house.up(reply({ ok: true }));
    house.say({ id: 1, method: 'tools/list' });
    house.say({ id: '1', method: 'tools/call', params: {} });
    await house.answered(1);
    await house.answered('1');
    expect(house.heard.map(({ token }) => token)).toEqual(['Bearer secret-of-run', 'Bearer secret-of-run']);
    // Both are under way at once: they may arrive in any order.
    const keyOf = new Map(house.heard.map(({ key, message }) => [message.id, key]));
    expect(keyOf.get(1)).toMatch(/^run_x\/[0-9a-f]{12}\/1$/);
    expect(new Set(keyOf.values()).size).toBe(2);
  });

  it('holds a request while nobody is there, and sends it once there is somebody', async () => {
    await using house = await runHouse();
    house.say({ id: 7, method: 'tools/list' });
    house.say({ id: 8, method: 'ping' });
    await house.answered(8);
    expect(house.answers().map(({ id }) => id)).toEqual([8]);
    await house.up(reply('here'));
    await house.answered(7);
  });

  it('sends again under the same key when the engine dies before it answers, also in the middle of a line', async () => {
    await using house = await runHouse();
    await house.up((_heard, answer) => {
      answer
        .writeHead(200)
        .write('{"jsonrpc":"2.0","method":"notifications/progress","params":{}}\n{"jsonrpc":"2.0","id":5,"res');
      setImmediate(() => void house.stop());
    });
    house.say({ id: 5, method: 'tools/call' });
    await vi.waitFor(() => expect(house.answers().map(({ method }) => method)).toContain('notifications/progress'));
    await house.stop();
    await house.up((heard, answer) =>
      house.heard.length < 4 ? answer.writeHead(503).end('{}') : reply('again')(heard, answer, answer.req),
    );
    await house.answered(5);
    expect(new Set(house.heard.map(({ key }) => key)).size).toBe(1);
    expect(house.heard.length).toBe(4);
    expect(house.answers().filter(({ id }) => id === 5)).toMatchObject([{ result: 'again' }]);
  });

  it('tells a refusal as an error, and what is not JSON too', async () => {
    await using house = await runHouse();
    await house.up(
      (_heard, answer) => void answer.writeHead(401).end(JSON.stringify({ detail: 'the run of this token has ended' })),
    );
    house.raw('this is not JSON\n');
    house.say({ id: 3, method: 'tools/list' });
    await house.answered(3);
    expect(house.answers()).toMatchObject([
      { id: null, error: { message: 'not JSON' } },
      { id: 3, error: { message: 'the run of this token has ended' } },
    ]);
  });

  it('hangs up when the agent cancels', async () => {
    await using house = await runHouse();
    let gone = 0;
    await house.up((_heard, answer) => {
      answer.on('close', () => void (gone += 1));
      answer.writeHead(200).write('{"jsonrpc":"2.0","method":"notifications/progress","params":{}}\n');
    });
    house.say({ id: 9, method: 'tools/call' });
    await vi.waitFor(() => expect(house.answers()).toHaveLength(1));
    house.say({ method: 'notifications/cancelled', params: { requestId: 9 } });
    await vi.waitFor(() => expect(gone).toBe(1));
    expect(house.heard).toHaveLength(1);
  });

  it('is what an agent gets that finds plain `fleet mcp` in the configuration of its user', async () => {
    const out: string[] = [];
    const io = {
      stdin: () => [Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping"}\n')],
      out: (line: string) => void out.push(line),
      env: { FLEET_RUN_DIR: '/nowhere/runs/run_x' },
      cwd: '/',
    } as unknown as Io;
    expect(await mcpCommand([], io)).toBe(0);
    expect(out).toEqual(['{"jsonrpc":"2.0","id":1,"result":{}}\n']);
  });

  it('is light: it loads no schemas, no database and no MCP library', async () => {
    const { metafile } = await build({
      entryPoints: [join(import.meta.dirname, 'mcp-command.ts'), join(import.meta.dirname, 'bridge.ts')],
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      outdir: join(import.meta.dirname, 'out'),
      write: false,
      metafile: true,
      logLevel: 'error',
      external: ['./stdio.ts'],
    });
    const files = Object.keys(metafile.inputs);
    expect(files.some((file) => file.endsWith('mcp/bridge.ts'))).toBe(true);
    expect(files.filter((file) => /node_modules|src\/(contract|store|operations|engine)\//.test(file))).toEqual([]);
  });
});
