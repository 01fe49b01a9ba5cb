import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client, SSEClientTransport, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { vi } from 'vitest';
import { root } from '../../tools/paths.mjs';
import type { CliHouse } from './cli-house.ts';

const PROGRAM = join(root, 'dist', 'fleet.mjs');
const require = createRequire(import.meta.url);
const INSPECTOR = join(dirname(require.resolve('@modelcontextprotocol/inspector-cli')), 'index.js');

export interface Connected extends AsyncDisposable {
  readonly client: Client;
  readonly transport: Transport;
  /** Calls a tool and answers its structured content. */
  call<Data = Record<string, unknown>>(name: string, given?: object): Promise<Data>;
}

/** `auto` speaks the newest revision, `legacy` that with sessions. */
type Mode = 'auto' | 'legacy';

export async function connected(transport: Transport, mode: Mode): Promise<Connected> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(transport);
  return {
    client,
    transport,
    call: async <Data>(name: string, given: object = {}) => {
      const { structuredContent, isError, content } = await client.callTool({ name, arguments: { ...given } });
      if (isError) throw new Error(JSON.stringify(content));
      return structuredContent as Data;
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** `fleet mcp` as a child of the client. */
export const overStdio = (house: CliHouse, mode: Mode, ...args: string[]): Promise<Connected> =>
  connected(
    new StdioClientTransport({ command: process.execPath, args: [PROGRAM, 'mcp', ...args], env: house.env, stderr: 'ignore' }),
    mode,
  );

export interface Where {
  readonly url: string;
  readonly token: string;
}

/** Where the live server of the house is, and the key of its owner. */
export async function whereIs(house: CliHouse): Promise<Where> {
  const read = (name: string) => readFile(join(house.home, name), 'utf8');
  const { url } = await vi.waitFor(async () => JSON.parse(await read('up.json')) as { url: string }, { timeout: 20_000 });
  return { url, token: (await read('admin.token')).trim() };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

export const overHttp = ({ url, token }: Where, mode: Mode, path = '/mcp'): Promise<Connected> =>
  connected(new StreamableHTTPClientTransport(new URL(path, url), { requestInit: { headers: bearer(token) } }), mode);

export const overEvents = ({ url, token }: Where): Promise<Connected> =>
  connected(
    new SSEClientTransport(new URL('/mcp/sse', url), {
      requestInit: { headers: bearer(token) },
      eventSourceInit: { fetch: (to, init) => fetch(to, { ...init, headers: { ...init.headers, ...bearer(token) } }) },
    }),
    'legacy',
  );

/** A client that is not ours and of the generation before: what it was answered. It finds its own files by where it runs. */
export async function inspector<Shape>(house: CliHouse, target: readonly string[], ...args: string[]): Promise<Shape> {
  const { stdout } = await promisify(execFile)(process.execPath, [INSPECTOR, ...target, ...args], {
    cwd: dirname(INSPECTOR),
    env: house.env,
  });
  return JSON.parse(stdout) as Shape;
}

export const ownProgram = [process.execPath, PROGRAM, 'mcp'];

/** The status of one plain request. */
export const statusOf = (
  where: Where,
  { method, path, headers = {}, body }: { method: string; path: string; headers?: Record<string, string>; body?: string },
): Promise<number> =>
  new Promise((resolve, reject) => {
    const asking = request(new URL(path, where.url), { method, headers }, (answer) => {
      resolve(answer.statusCode ?? 0);
      answer.destroy();
    });
    asking.on('error', reject);
    asking.end(body);
  });

/** A token of that role, from the owner. */
export async function tokenFor({ url, token }: Where, name: string, role: string): Promise<string> {
  const answer = await fetch(new URL('/v1/tokens', url), {
    method: 'POST',
    headers: { ...bearer(token), 'content-type': 'application/json' },
    body: JSON.stringify({ name, role }),
  });
  return ((await answer.json()) as { token: string }).token;
}

/** An executor whose agent calls the tools of its run and nothing else. */
export async function mcpAgent(house: CliHouse): Promise<void> {
  const program = join(root, 'test', 'fixtures', 'mcp-agent.mjs');
  const command = [process.execPath, program, '{mcp_config}', '{prompt_file}'];
  await writeFile(join(house.home, 'executors', 'caller.toml'), `command = ${JSON.stringify(command)}\n`);
}

export const calls = (...list: readonly { name: string; arguments: object; server?: string }[]): string =>
  `CALLS ${JSON.stringify(list)}`;
