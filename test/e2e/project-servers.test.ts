import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { SERVER, withVault } from '../support/declared-servers.ts';
import { calls, mcpAgent } from '../support/mcp-house.ts';
import { type WorkHouse, workHouse } from '../support/work-house.ts';

const QUIET = ['--no-expects-changes', '--integration', 'none', '--json'];

interface Made {
  readonly id: string;
  readonly warnings?: readonly string[];
}

const create = async (house: WorkHouse, steps: string, ...more: string[]): Promise<Made> => {
  const about = ['--project', 'shop', '--executor', 'caller', '--prompt', steps];
  return (await house.ok(['task', 'create', ...about, ...QUIET, ...more])).json<Made>();
};

const answers = async (house: WorkHouse, id: string): Promise<Record<string, unknown>[]> =>
  (await house.ok(['task', 'log', id])).out
    .split('\n')
    .flatMap((line) => /\{"name".*\}/.exec(line)?.[0] ?? [])
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const history = async (house: WorkHouse, id: string) => (await house.ok(['task', 'events', id, '--json'])).out;

const tools = (server: string) => ({ name: 'tools', server, arguments: {} });

/** A server at an address, that knows those who bring the right header. */
async function httpServer() {
  const server = createServer((asking, answer) => {
    void text(asking).then((body) => {
      if (asking.headers['x-key'] !== 'over-http') return void answer.writeHead(401).end();
      const { id, method, params } = JSON.parse(body || '{}') as {
        id?: number;
        method?: string;
        params?: { protocolVersion?: string };
      };
      if (id === undefined) return void answer.writeHead(202).end();
      const { protocolVersion } = params ?? {};
      const result =
        method === 'initialize'
          ? { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'http', version: '1' } }
          : method === 'tools/list'
            ? { tools: [{ name: 'far', inputSchema: { type: 'object' } }] }
            : undefined;
      const said = result ? { result } : { error: { code: -32_601, message: 'no' } };
      answer.writeHead(200, { 'content-type': 'text/event-stream', 'mcp-session-id': 's-1' });
      answer.end(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, ...said })}\n\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('the MCP servers of a project', () => {
  it('reach its agents with their secrets, and a broken one is said and keeps nobody waiting [AUTO-08] [EXEC-07]', async () => {
    await using far = await httpServer();
    await using house = await workHouse([], { engine: false });
    await house.up({ FAR_KEY: 'over-http' });
    await mcpAgent(house);
    await writeFile(join(house.home, 'executors', 'plain.toml'), 'command = ["true"]\n');
    const vault = await withVault(house, { far: { url: far.url, headers: { 'x-key': '${env:FAR_KEY}' } } });
    const reveal = { name: 'reveal', server: 'vault', arguments: {} };
    const steps = calls(tools('vault'), reveal, tools('broken'), tools('far'), tools('context-mode'));
    const free = await create(house, steps, '--context-mode', 'on');
    expect(free.warnings).toEqual([
      'it asks for context mode, and context-mode is not installed here; try: npm install -g context-mode',
    ]);
    const held = await create(house, calls(tools('vault'), tools('far')), '--kind', 'explore');
    expect(held.warnings).toEqual([expect.stringContaining('does without the MCP servers vault, broken, far')]);
    const plain = await house.ok(['task', 'create', '--project', 'shop', '--executor', 'plain', '--prompt', 'true', ...QUIET]);
    expect(plain.json<Made>().warnings).toEqual([expect.stringContaining('plain takes no MCP servers')]);
    const { id: bare } = plain.json<Made>();
    for (const { phase } of await house.rested([free.id, held.id], 120)) expect(phase.state).toBe('done');
    expect(await answers(house, free.id)).toEqual([
      { name: 'tools', server: 'vault', tools: ['reveal'] },
      expect.objectContaining({ name: 'reveal', text: `it ends with ${vault.secret.slice(-4)}` }),
      { name: 'tools', server: 'broken', tools: [] },
      { name: 'tools', server: 'far', tools: ['far'] },
      { name: 'tools', server: 'context-mode', tools: [] },
    ]);
    expect(await answers(house, held.id)).toEqual([
      { name: 'tools', server: 'vault', tools: 'no such server' },
      { name: 'tools', server: 'far', tools: 'no such server' },
    ]);
    await house.rest(bare);
    expect(await history(house, bare)).toContain(
      'executor plain takes no MCP servers: its agent does without vault, broken, far',
    );
    const told = await history(house, free.id);
    expect(told).toContain('MCP server broken is not there for this run');
    expect(told).toContain('no luck with ***');
    expect(told).toContain('npm install -g context-mode');
    expect(await vault.left()).toBe(vault.secret);
    expect(await vault.leaks()).toEqual([]);
  });

  it('have context mode among them where it is asked for and installed [AUTO-08]', async () => {
    await using house = await workHouse([], { engine: false });
    const [bin, left] = [join(house.directory, 'bin'), join(house.directory, 'left')];
    await mkdir(bin);
    const script = `#!/bin/sh\nTOKEN="$PROJECT_DIR" LEAVE='${left}' exec '${process.execPath}' '${SERVER}'\n`;
    await writeFile(join(bin, 'context-mode'), script, { mode: 0o755 });
    const PATH = `${bin}${delimiter}${house.env['PATH']}`;
    await house.up({ PATH });
    await mcpAgent(house);
    const steps = calls({ name: 'reveal', server: 'context-mode', arguments: {} });
    const about = ['--project', 'shop', '--executor', 'caller', '--prompt', steps, '--context-mode', 'on', ...QUIET];
    const made = (await house.ok(['task', 'create', ...about], { env: { PATH } })).json<Made>();
    expect(made.warnings).toBeUndefined();
    expect(await house.rest(made.id)).toMatchObject({ phase: { state: 'done' } });
    const [workspace] = await house.workspaces();
    expect(await readFile(left, 'utf8')).toBe(workspace?.path);
    const off = await create(house, calls(tools('context-mode')), '--context-mode', 'off');
    expect(await house.rest(off.id)).toMatchObject({ phase: { state: 'done' } });
    expect(await answers(house, off.id)).toEqual([{ name: 'tools', server: 'context-mode', tools: 'no such server' }]);
  });

  it('are refused when no run could use them [AUTO-08]', async () => {
    await using house = await workHouse([], { engine: false });
    const set = (servers: object) => house.fleet(['project', 'set', 'shop', '--mcp-servers', JSON.stringify(servers)]);
    for (const [servers, why] of [
      [{ fleet: { command: 'x' } }, "the name is that of Fleet's own server"],
      [{ a: { command: 'x', args: ['${env:KEY}'] } }, 'in env and headers only'],
    ] as const) {
      const { code, err } = await set(servers);
      expect(code).not.toBe(0);
      expect(err).toContain(why);
    }
    const outside = await house.fleet(['mcp', '--server', 'vault']);
    expect(outside.err).toContain('--server is for the agent of a run');
  });
});
