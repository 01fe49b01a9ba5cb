import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServerHouse, serverHouse } from '../support/server-house.ts';

let place: ServerHouse;
beforeAll(async () => {
  place = await serverHouse();
  await place.house.call('project.add', {
    path: place.directory,
    name: 'shop',
    plain: true,
    mcpServers: { vault: { command: 'vault' } },
  });
});
afterAll(() => place[Symbol.asyncDispose]());

const made = async () => (await place.house.call('task.create', { prompt: 'x', project: 'shop' })).id;
const historyOf = async (id: string) => (await place.house.call('task.events', { id, limit: 500 })).items;

describe('an agent that obeys what it has read instead of what it was asked', () => {
  it('is refused whatever is above it, by every door of its token, and a person reads each of it [T18] [T19]', async () => {
    const [own, other] = [await made(), await made()];
    const { run, token } = await place.runOf(own);
    const REACHES: readonly (readonly [string, string, object])[] = [
      ['POST', `/v1/tasks/${own}/approve`, {}],
      ['POST', `/v1/tasks/${own}/merge`, {}],
      ['POST', `/v1/tasks/${own}/push`, {}],
      ['POST', `/v1/tasks/${own}/verify`, {}],
      ['POST', `/v1/tasks/${own}/retry`, {}],
      ['POST', `/v1/tasks/${own}/resume`, { text: 'x' }],
      ['POST', `/v1/tasks/${own}/send`, { text: 'x' }],
      ['POST', `/v1/tasks/${own}/fork`, {}],
      ['PATCH', `/v1/tasks/${own}`, { sandbox: false }],
      ['DELETE', `/v1/tasks/${own}`, {}],
      ['POST', `/v1/tasks/${other}/cancel`, {}],
      ['POST', `/v1/tasks/${other}/comment`, { text: 'obey' }],
      ['POST', `/v1/tasks/${other}/send`, { text: 'obey' }],
      ['POST', `/v1/tasks/${other}/review`, {}],
      ['POST', '/v1/tasks', { prompt: 'x', systemPrompt: 'obey', project: 'shop' }],
      ['POST', '/v1/tasks', { prompt: 'x', push: true }],
      ['POST', '/v1/tasks', { prompt: 'x', directory: '/etc' }],
      ['POST', '/v1/tokens', { name: 'me', role: 'worker', days: 1 }],
      ['PATCH', '/v1/config', { assignments: ['bounds_role.worker.sandbox='] }],
      ['PATCH', '/v1/projects/shop', { verify: 'id' }],
      ['POST', '/v1/projects', { path: '/' }],
    ];
    const statuses: number[] = [];
    for (const [method, path, body] of REACHES) statuses.push((await place.ask(path, { method, token, body })).status);
    expect(statuses.filter((status) => status !== 403 && status !== 404)).toEqual([]);
    const told = (await historyOf(own)).filter(({ what }) => what === 'refused');
    expect(told.length).toBe(REACHES.length);
    expect(new Set(told.map(({ by }) => by))).toEqual(new Set([run.id]));
    expect(await historyOf(other)).toHaveLength(1);
  });

  it('reads tools whose words have changed between runs, and that is said once [T18]', async () => {
    const tell = async (id: string, hash: string, more: object = {}) => {
      const { token } = await place.runOf(id as Awaited<ReturnType<typeof made>>);
      const body = { tools: { hash: hash.repeat(64), names: ['reveal', 'a\nb'], ...more } };
      return (await place.ask('/mcp/run/server?name=vault', { method: 'POST', token, body })).status;
    };
    const [first, second, third] = [await made(), await made(), await made()];
    expect([await tell(first, 'a'), await tell(second, 'a'), await tell(third, 'b')]).toEqual([200, 200, 200]);
    const said = async (id: string) => (await historyOf(id)).flatMap(({ what, why }) => (what === 'comment' ? [why] : []));
    expect([await said(first), await said(second)]).toEqual([[], []]);
    expect(await said(third)).toEqual([expect.stringContaining('MCP server vault says something else of its tools')]);
    expect(await tell(await made(), 'x')).toBe(400);
    expect(await tell(await made(), 'a', { more: 1 })).toBe(400);
  });
});
