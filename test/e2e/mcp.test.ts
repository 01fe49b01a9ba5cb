import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fullOnly, inFullRun } from '../full-only.ts';
import { cliHouse } from '../support/cli-house.ts';
import { inspector, overEvents, overHttp, overStdio, ownProgram, statusOf, tokenFor, whereIs } from '../support/mcp-house.ts';
import { workHouse } from '../support/work-house.ts';

interface Made {
  readonly task: { readonly id: string; readonly state: string };
}

interface Waited {
  readonly state: string;
  readonly tasks: readonly { readonly state: string }[];
}

const scenario = (steps: string) => `\`\`\`scenario\n${steps}\n\`\`\``;

describe('fleet mcp, with nothing else running', () => {
  it('starts the engine, waits with progress, and hands over what was made [API-05]', async () => {
    await using house = await cliHouse();
    const directory = join(house.directory, 'work');
    await mkdir(directory);
    try {
      await using way = await overStdio(house, 'auto');
      expect(way.client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
      const { tools } = await way.client.listTools();
      expect(tools.length).toBeLessThanOrEqual(20);
      const prompt = scenario('say looking around\nsleep 1500\nedit a.txt hello\ndone wrote a file');
      const { task } = await way.call<Made>('task_create', { prompt, title: 'write', executor: 'scripted', directory });
      const told: { progress: number; message?: string | undefined }[] = [];
      const waited = await way.client.callTool(
        { name: 'task_wait', arguments: { ids: [task.id] } },
        { onprogress: (progress) => void told.push(progress) },
      );
      expect(waited.structuredContent).toMatchObject({ state: 'ended', done: 1, total: 1, tasks: [{ state: 'done' }] });
      expect(told.length).toBeGreaterThan(0);
      expect(told.map(({ progress }) => progress)).toEqual(told.map(({ progress }) => progress).toSorted((a, b) => a - b));
      expect(told.map(({ message }) => message).join('\n')).toMatch(/0\/1 after .*write: running for/);
      const collected = await way.call('task_collect', { id: task.id, include: ['report', 'log'] });
      expect(collected).toMatchObject({ report: { status: 'succeeded', summary: 'wrote a file' } });
      expect(JSON.stringify(collected)).toContain('looking around');
      const { contents } = await way.client.readResource({ uri: `fleet://task/${task.id}/report` });
      expect(JSON.stringify(contents)).toContain('wrote a file');
      expect((await way.client.listResources()).resources.map(({ uri }) => uri)).toContain(`fleet://task/${task.id}/log`);
      const { messages } = await way.client.getPrompt({ name: 'fix_bug', arguments: { bug: 'it is late' } });
      expect(JSON.stringify(messages)).toContain('it is late');
    } finally {
      await house.ok(['up', '--stop']);
    }
  });

  fullOnly('leaves an engine that finishes the work when the client has gone', async () => {
    await using house = await cliHouse();
    const directory = join(house.directory, 'work');
    await mkdir(directory);
    try {
      const way = await overStdio(house, 'legacy');
      const prompt = scenario('sleep 1000\nedit late.txt hello\ndone wrote it late');
      const { task } = await way.call<Made>('task_create', { prompt, executor: 'scripted', directory });
      const pending = await way.call<Waited>('task_wait', { ids: [task.id], timeoutSeconds: 1 });
      await way.client.close();
      expect(['pending', 'ended']).toContain(pending.state);
      const { code } = await house.fleet(['task', 'wait', task.id, '--timeout', '600']);
      expect(code).toBe(0);
    } finally {
      await house.ok(['up', '--stop']);
    }
  });
});

describe('fleet mcp', () => {
  it('says nothing but the protocol, and ends with its input; what it does not know is refused', async () => {
    await using house = await cliHouse();
    const silent = await house.fleet(['mcp'], { input: '' });
    expect([silent.code, silent.out]).toEqual([0, '']);
    const wrong = await house.fleet(['mcp', '--toolset', 'nonsense']);
    expect([wrong.code, wrong.out]).toEqual([2, '']);
    expect(wrong.err).toContain('orchestrate, team, admin');
    expect((await house.fleet(['mcp', '--run'])).err).toContain('FLEET_RUN_DIR');
    expect((await house.fleet(['up', '--status'])).code).toBe(3);
  });
});

describe('MCP of a live server', () => {
  fullOnly('serves clients of every generation over every transport', async () => {
    await using house = await workHouse();
    const where = await whereIs(house);
    const ways = [
      () => overHttp(where, 'auto'),
      () => overHttp(where, 'legacy'),
      () => overEvents(where),
      () => overStdio(house, 'auto'),
      () => overStdio(house, 'legacy'),
    ];
    for (const [at, open] of ways.entries()) {
      await using way = await open();
      const prompt = scenario(`edit file-${at} hello\ncommit a file\ndone it`);
      const { task } = await way.call<Made>('task_create', { prompt, project: 'shop' });
      const waited = await way.client.callTool(
        { name: 'task_wait', arguments: { ids: [task.id] } },
        { onprogress: () => undefined },
      );
      expect(waited.structuredContent).toMatchObject({ state: 'ended', tasks: [{ state: 'done' }] });
      const refused = await way.client.callTool({ name: 'task_show', arguments: { id: 'nothing' } });
      expect(refused).toMatchObject({ isError: true, _meta: { 'fleet/fault': { code: 'not_found' } } });
    }
    const header = ['--header', `Authorization: Bearer ${where.token}`];
    for (const [target, ...more] of [
      [[`${where.url}/mcp`], ...header],
      [[`${where.url}/mcp/sse`], '--transport', 'sse', ...header],
      [ownProgram],
    ] as [string[], ...string[]][]) {
      const { tools } = await inspector<{ tools: unknown[] }>(house, target, '--method', 'tools/list', ...more);
      expect(tools.length).toBeGreaterThan(10);
      const called = await inspector(house, target, '--method', 'tools/call', '--tool-name', 'project_list', ...more);
      expect(called).toMatchObject({ structuredContent: { projects: [{ name: 'shop' }] } });
    }
  });

  it('shows a caller the tools it may call, and refuses the others', async () => {
    await using house = await workHouse();
    const where = await whereIs(house);
    const token = await tokenFor(where, 'onlooker', 'monitor');
    await using way = await overHttp({ ...where, token }, 'legacy');
    const { tools } = await way.client.listTools();
    expect(tools.length).toBeGreaterThan(0);
    expect(tools.filter(({ annotations }) => !annotations?.readOnlyHint)).toEqual([]);
    await expect(way.call('task_create', { prompt: 'x', project: 'shop' })).rejects.toThrow();
    await using admin = await overHttp(where, 'auto', '/mcp?toolset=admin');
    expect((await admin.client.listTools()).tools.map(({ name }) => name)).toContain('token_create');
    expect(await admin.call('db_check')).toMatchObject({ ok: true });
    await expect(overHttp(where, 'legacy', '/mcp?toolset=nonsense')).rejects.toThrow('nonsense');
  });

  it('is served at its path with a slash behind it, too', async () => {
    await using house = await workHouse();
    const where = await whereIs(house);
    for (const mode of ['auto', 'legacy'] as const) {
      await using way = await overHttp(where, mode, '/mcp/');
      expect((await way.client.listTools()).tools.length).toBeGreaterThan(5);
    }
    const headers = { authorization: `Bearer ${where.token}` };
    expect(await statusOf(where, { method: 'PUT', path: '/mcp/', headers, body: '{}' })).toBe(405);
  });

  it('shows a model no more of a long assignment than it can read, in words and as data', async () => {
    await using house = await workHouse();
    await using way = await overHttp(await whereIs(house), 'legacy');
    const prompt = 'All of it matters. '.repeat(10_000);
    const { task } = await way.call<Made>('task_create', { prompt, project: 'shop', draft: true });
    const { content, structuredContent } = await way.client.callTool({ name: 'task_show', arguments: { id: task.id } });
    for (const told of [content, structuredContent].map((part) => JSON.stringify(part))) {
      expect(told).toContain('170000 more characters');
      expect(told.length).toBeLessThan(30_000);
    }
  });

  fullOnly('lets nobody in without a token, under another name, or from another page', async () => {
    await using house = await workHouse();
    const where = await whereIs(house);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
    const own = { authorization: `Bearer ${where.token}`, 'content-type': 'application/json' };
    for (const [method, path] of [
      ['POST', '/mcp'],
      ['GET', '/mcp'],
      ['DELETE', '/mcp'],
      ['GET', '/mcp/sse'],
      ['POST', '/mcp/messages/'],
      ['POST', '/mcp/run'],
    ] as const) {
      const ask = (headers: Record<string, string>) =>
        statusOf(where, { method, path, headers, ...(method === 'POST' ? { body } : {}) });
      expect(await ask({ 'content-type': 'application/json' }), `${method} ${path}`).toBe(401);
      expect(await ask({ ...own, host: 'evil.test:3847' }), `${method} ${path}`).toBe(403);
      expect(await ask({ ...own, origin: 'http://evil.test' }), `${method} ${path}`).toBe(403);
      expect(await ask({ ...own, origin: 'null' }), `${method} ${path}`).toBe(403);
    }
    expect(await statusOf(where, { method: 'POST', path: '/mcp/run', headers: own, body })).toBe(403);
    expect(await statusOf(where, { method: 'POST', path: '/mcp', headers: { ...own, 'content-type': 'text/plain' }, body })).toBe(
      415,
    );
  });

  it('binds a session to its token and never crosses two of them [T32]', async () => {
    await using house = await workHouse([], { settings: ['rate_limit=100000'] });
    const where = await whereIs(house);
    const tokens = await Promise.all(['ann', 'ben'].map((name) => tokenFor(where, name, 'team-lead')));
    const rounds = inFullRun ? 1_000 : 100;
    const counts = await Promise.all(
      tokens.map(async (token, at) => {
        await using way = await overHttp({ ...where, token }, 'legacy');
        const session = way.transport.sessionId ?? '';
        const other = { authorization: `Bearer ${tokens[1 - at]}`, 'mcp-session-id': session, accept: 'text/event-stream' };
        expect(await statusOf(where, { method: 'GET', path: '/mcp', headers: other })).toBe(404);
        expect(await statusOf(where, { method: 'DELETE', path: '/mcp', headers: other })).toBe(404);
        const ids = await drafts(way, 5);
        let crossed = 0;
        for (let round = 0; round < rounds; round += 10) {
          const asked = Array.from({ length: 10 }, (_, more) => ids[(round + more) % ids.length] ?? '');
          const came = await Promise.all(asked.map((id) => way.call<Made>('task_show', { id })));
          crossed += came.filter(({ task }, index) => task.id !== asked[index]).length;
        }
        return crossed;
      }),
    );
    expect(counts).toEqual([0, 0]);
  });
});

async function drafts(way: Awaited<ReturnType<typeof overHttp>>, count: number): Promise<string[]> {
  const made = Array.from({ length: count }, () => way.call<Made>('task_create', { prompt: 'x', project: 'shop', draft: true }));
  return (await Promise.all(made)).map(({ task }) => task.id);
}
