import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/domain/limits.ts';
import { type ServerHouse, serverHouse } from '../support/server-house.ts';

let place: ServerHouse;

beforeAll(async () => {
  place = await serverHouse();
});

afterAll(async () => {
  await place[Symbol.asyncDispose]();
});

const mint = (token: string, body: object, headers: Record<string, string> = {}) =>
  place.ask('/v1/tokens', { method: 'POST', token, body, headers });
const listed = async (token: string): Promise<string[]> =>
  (await place.ask('/v1/tokens', { token })).json.items.map(({ name }: { name: string }) => name);
const idOf = async (name: string): Promise<string> =>
  (await place.ask('/v1/tokens', { token: place.admin })).json.items.find((one: { name: string }) => one.name === name).id;
const revoke = (id: string, token: string) => place.ask(`/v1/tokens/${id}/revoke`, { method: 'POST', token, body: {} });

describe('an attacker with a token of a team', () => {
  it('takes no name of the house, and none of somebody who is there already [API-07]', async () => {
    const lead = await place.tokenFor('coordinator', { name: 'lead of web', team: 'web' });
    await place.tokenFor('worker', { name: 'Bob', team: 'ops' });
    for (const name of ['you', 'You', 'fleet', 'FLEET', 'owner', 'host elsewhere', 'run_01', 'retention'])
      expect([name, (await mint(lead, { name, role: 'worker', days: 1 })).status]).toEqual([name, 400]);
    for (const name of ['bob', 'BOB', 'lead of web'])
      expect([name, (await mint(lead, { name, role: 'worker', days: 1 })).status]).toEqual([name, 409]);
    // In letters of other alphabets, of other widths, or with something between them that nobody sees.
    for (const name of [
      '\u0443ou',
      'y\u03bfu',
      'Fl\u0435\u0435t',
      'ｆｌｅｅｔ',
      'fleet\u034f',
      'fl\ufe0feet',
      'ow\u3164ner',
      'f1eet',
      'you.',
    ])
      expect([name, (await mint(lead, { name, role: 'worker', days: 1 })).status]).toEqual([name, 400]);
    for (const name of ['yo\u200bu', 'fleet\u202e', '\u2066you', 'you\ufeff', 'fleet\u00ad'])
      expect([name, (await mint(lead, { name, role: 'worker', days: 1 })).status]).toEqual([name, 400]);
    for (const name of ['B\u043eb', 'b0b', 'le\u0430d of web'])
      expect([name, (await mint(lead, { name, role: 'worker', days: 1 })).status]).toEqual([name, 409]);
    expect((await mint(place.admin, { name: 'fleet', role: 'worker' })).status).toBe(400);
    expect((await mint(lead, { name: 'somebody new', role: 'worker', days: 1 })).status).toBe(201);
  });

  it('sees and revokes the tokens it made, and neither those of its equals nor those of the owner [API-07]', async () => {
    const first = await place.tokenFor('coordinator', { name: 'first lead', team: 'red' });
    const equal = await place.tokenFor('coordinator', { name: 'equal lead', team: 'red' });
    const wide = await place.tokenFor('coordinator', { name: 'lead of all' });
    const made = (await mint(first, { name: 'lead below', role: 'coordinator', days: 5 })).json;
    await mint(made.token, { name: 'worker below', role: 'worker', days: 1 });
    expect(await listed(first)).toEqual(['worker below', 'lead below', 'first lead']);
    expect(await listed(equal)).toEqual(['worker below', 'equal lead']);
    expect(await listed(wide)).not.toContain('you');
    expect(await listed(wide)).not.toContain('first lead');
    expect(await listed(place.admin)).toEqual(expect.arrayContaining(['you', 'first lead', 'worker below']));
    for (const token of [first, equal, wide]) expect((await revoke(await idOf('you'), token)).status).toBe(404);
    expect((await revoke(await idOf('equal lead'), first)).status).toBe(404);
    expect((await revoke(await idOf('worker below'), first)).status).toBe(200);
    expect((await place.ask('/v1/tasks', { token: place.admin })).status).toBe(200);
  });

  it('gets no answer of another token by using its key, and nobody gets a secret twice [TASK-08]', async () => {
    const body = { name: 'ci', role: 'admin', days: 1 };
    const made = await mint(place.admin, body, { 'idempotency-key': 'make-ci-admin' });
    const lead = await place.tokenFor('coordinator', { name: 'guesser', team: 'web' });
    expect((await mint(lead, body, { 'idempotency-key': 'make-ci-admin' })).status).toBe(403);
    const again = await mint(place.admin, body, { 'idempotency-key': 'make-ci-admin' });
    expect(again.status).toBe(409);
    expect(again.text).toContain(made.json.id);
    expect(again.text).not.toContain(made.json.token);
    const task = { prompt: 'one', directory: place.directory };
    const create = (token: string) =>
      place.ask('/v1/tasks', { method: 'POST', token, body: task, headers: { 'idempotency-key': 'one task' } });
    const [mine, other] = [await create(place.admin), await create(made.json.token)];
    expect(mine.json.id).not.toBe(other.json.id);
    expect((await create(place.admin)).json.id).toBe(mine.json.id);
  });

  it('makes nothing for another team, and moves nothing there', async () => {
    const lead = await place.tokenFor('team-lead', { name: 'mover', team: 'web' });
    const create = (team: object) =>
      place.ask('/v1/tasks', { method: 'POST', token: lead, body: { prompt: 'x', directory: place.directory, ...team } });
    expect((await create({ team: 'red' })).status).toBe(403);
    const own = await create({});
    expect(own.json.team).toBe('web');
    const edit = (body: object) => place.ask(`/v1/tasks/${own.json.id}`, { method: 'PATCH', token: lead, body });
    expect((await edit({ team: 'red' })).status).toBe(403);
    expect((await edit({ clear: ['team'] })).status).toBe(403);
    expect((await edit({ title: 'still mine' })).json.team).toBe('web');
    const worker = await place.tokenFor('worker', { name: 'small mover', team: 'web' });
    await place.house.call('project.add', { path: place.directory, name: 'shop', plain: true });
    const made = (body: object) =>
      place.ask('/v1/tasks', { method: 'POST', token: worker, body: { prompt: 'x', project: 'shop', ...body } });
    expect((await made({ team: 'red' })).status).toBe(403);
    const mine = await made({});
    expect(mine.json.team).toBe('web');
    const { token } = await place.runOf(mine.json.id);
    const part = (body: object) => place.ask('/v1/tasks', { method: 'POST', token, body: { prompt: 'x', ...body } });
    expect([(await part({ team: 'red' })).status, (await part({})).json.team]).toEqual([403, 'web']);
    const lines = [{ id: 'b-1', title: 'brought in' }];
    const brought = await place.ask('/v1/tasks/import', { method: 'POST', token: lead, body: { lines, project: 'shop' } });
    const [id] = brought.json.created;
    expect((await place.ask(`/v1/tasks/${id}`, { token: lead })).json.team).toBe('web');
  });

  it('is one caller however its header is written: its sessions push out nobody but itself', async () => {
    const token = await place.tokenFor('monitor', { name: 'many faces' });
    expect((await place.ask('/v1/tasks', { headers: { authorization: `Bearer ${token}=` } })).status).toBe(401);
    const spellings = ['Bearer', 'bearer', 'BEARER', 'bEaReR'].map((word) => `${word} ${token}`);
    const opened: string[] = [];
    for (const authorization of spellings)
      for (let n = 0; n < LIMITS.mcpSessionsPerToken.value / 2; n += 1) opened.push(await session(authorization));
    const alive = await Promise.all(opened.map((id) => isThere(id, spellings[0] ?? '')));
    expect(alive.filter(Boolean)).toHaveLength(LIMITS.mcpSessionsPerToken.value);
    expect(alive.at(-1)).toBe(true);
  });
});

const rpc = (authorization: string, headers: Record<string, string>, body: object) =>
  place.ask('/mcp', {
    method: 'POST',
    headers: { authorization, accept: 'application/json, text/event-stream', ...headers },
    body: { jsonrpc: '2.0', ...body },
  });

async function session(authorization: string): Promise<string> {
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const { headers } = await rpc(authorization, {}, { id: 1, method: 'initialize', params });
  return String(headers['mcp-session-id']);
}

const isThere = async (id: string, authorization: string): Promise<boolean> =>
  (await rpc(authorization, { 'mcp-session-id': id }, { id: 2, method: 'ping' })).status === 200;
