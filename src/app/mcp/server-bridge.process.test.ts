import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { root } from '../../../tools/paths.mjs';
import type { Io } from '../../surfaces/cli/deps.ts';
import type { Offered } from './listed-tools.ts';
import { bridgeToServer, type ServerWaits } from './server-bridge.ts';

const SERVER = join(root, 'test', 'fixtures', 'mcp-server.mjs');
const PATIENT: ServerWaits = { engineMs: 60_000, answerMs: 60_000 };

interface Said {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** An engine that says what the server is, or nothing at all, and a bridge to it. */
async function place(server: { args: string[] } | undefined, waits: ServerWaits) {
  const home = await mkdtemp(join(tmpdir(), 'fleet server '));
  const directory = join(home, 'runs', 'run_x');
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, 'mcp-token'), 'secret-of-run\n');
  const troubles: string[] = [];
  const offered: Offered[] = [];
  const engine = createServer((asking, answer) => {
    void text(asking).then((body) => {
      const told = asking.method === 'POST' ? (JSON.parse(body) as { trouble?: string; tools?: Offered }) : {};
      if (told.trouble !== undefined) troubles.push(told.trouble);
      if (told.tools !== undefined) offered.push(told.tools);
      const definition = { command: process.execPath, env: { TOKEN: 'the-token-of-it' }, ...server };
      answer.end(JSON.stringify(asking.method === 'POST' ? {} : definition));
    });
  });
  const socket = join(home, 's');
  await new Promise<void>((resolve) => engine.listen(socket, resolve));
  if (server) await writeFile(join(home, 'agents.json'), JSON.stringify({ socket, version: '1' }));
  const input = new PassThrough();
  const out: string[] = [];
  const io = {
    stdin: () => input,
    out: (line: string) => void out.push(line),
    err: () => undefined,
    env: { PATH: process.env['PATH'] },
    cwd: '/',
    pause,
  } as unknown as Io;
  const ended = bridgeToServer(io, { directory, name: 'vault' }, waits);
  const answers = () => out.map((line) => JSON.parse(line) as Said);
  return {
    troubles,
    offered,
    ask: async (id: number, method: string): Promise<Said> => {
      input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params: { protocolVersion: '2025-06-18' } })}\n`);
      return vi.waitFor(
        () => {
          const found = answers().find((one) => one.id === id);
          if (!found) throw new Error(`no answer to ${method} yet`);
          return found;
        },
        { timeout: 60_000 },
      );
    },
    [Symbol.asyncDispose]: async () => {
      input.end();
      expect(await ended).toBe(0);
      await new Promise((resolve) => engine.close(resolve));
      await rm(home, { recursive: true });
    },
  };
}

describe('the bridge to a server of the project', () => {
  it('passes messages both ways [AUTO-08]', async () => {
    await using bridge = await place({ args: [SERVER] }, PATIENT);
    expect(await bridge.ask(1, 'initialize')).toMatchObject({ result: { serverInfo: { name: 'fixture' } } });
    expect(await bridge.ask(2, 'tools/list')).toMatchObject({ result: { tools: [{ name: 'reveal' }] } });
    expect(await bridge.ask(3, 'tools/call')).toMatchObject({ result: { content: [{ text: 'it ends with f-it' }] } });
    expect(bridge.troubles).toEqual([]);
  });

  it('tells what the server says of its tools, and another hash once a word of it is another [T18]', async () => {
    const hashOf = async (...args: string[]) => {
      await using bridge = await place({ args: [SERVER, ...args] }, PATIENT);
      await bridge.ask(1, 'tools/list');
      return vi.waitFor(() => {
        expect(bridge.offered).toHaveLength(1);
        expect(bridge.offered[0]?.names).toEqual(['reveal']);
        return bridge.offered[0]?.hash;
      });
    };
    const [first, again, other] = [await hashOf(), await hashOf(), await hashOf('infected')];
    expect(again).toBe(first);
    expect(other).not.toBe(first);
  });

  it.each([
    ['says nothing', { args: [SERVER, 'silent'] }, { ...PATIENT, answerMs: 300 }, 'no answer to initialize in 0.3 s'],
    ['ends at once', { args: [SERVER, 'broken'] }, PATIENT, 'ended with exit code 3: no luck with ***'],
    ['is not known because Fleet is away', undefined, { ...PATIENT, engineMs: 300 }, undefined],
  ])('is a server without tools when the server %s [AUTO-08]', async (_title, server, waits, why) => {
    await using bridge = await place(server, waits);
    expect(await bridge.ask(1, 'initialize')).toMatchObject({ result: { capabilities: { tools: {} } } });
    expect(await bridge.ask(2, 'tools/list')).toEqual({ jsonrpc: '2.0', id: 2, result: { tools: [] } });
    expect((await bridge.ask(3, 'tools/call')).error?.message).toContain('MCP server vault is not there');
    if (why === undefined) return;
    await vi.waitFor(() => expect(bridge.troubles).toEqual([expect.stringContaining(why)]), { timeout: 60_000 });
  });
});
