import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ServerHouse, serverHouse } from '../../../test/support/server-house.ts';
import { openServices } from '../open-services.ts';

let place: ServerHouse;

beforeAll(async () => {
  place = await serverHouse();
  const path = join(place.directory, 'shop');
  await mkdir(path);
  await place.house.call('project.add', { path, name: 'shop', plain: true });
});

afterAll(async () => {
  await place[Symbol.asyncDispose]();
});

const create = (headers: Record<string, string> = {}, token = place.admin) =>
  place.ask('/v1/tasks', { method: 'POST', token, headers, body: { prompt: 'Mend it.', project: 'shop' } });

/** What the thread of the database was asked meanwhile. */
async function askedDuring(work: () => Promise<unknown>): Promise<string[]> {
  const posted = vi.spyOn(Worker.prototype, 'postMessage');
  try {
    await work();
    return posted.mock.calls.flatMap(([requests]) => (requests as { op: string }[]).map(({ op }) => op));
  } finally {
    posted.mockRestore();
  }
}

describe('the thread of the database', () => {
  it('is asked once for a task that is handed in: to commit it', async () => {
    expect((await create()).status).toBe(201);
    expect(await askedDuring(create)).toEqual(['commit']);
    expect(await askedDuring(create)).toEqual(['commit']);
  });

  it('is asked once more for one with an idempotency key', async () => {
    expect(await askedDuring(() => create({ 'idempotency-key': 'one' }))).toEqual(['get', 'commit']);
  });

  it('is asked for no row of a task that nobody has changed', async () => {
    const { json } = await create();
    const show = () => place.ask(`/v1/tasks/${json.id}`, { token: place.admin, headers: { 'x-request-id': 'anew' } });
    expect((await show()).status).toBe(200);
    expect(await askedDuring(show)).toEqual(['scan']);
  });
});

it('a token that another process revokes opens nothing from that moment on, however busy its holder is', async () => {
  const made = await place.ask('/v1/tokens', { method: 'POST', token: place.admin, body: { name: 'busy', role: 'coordinator' } });
  const { id, token } = made.json;
  for (let n = 0; n < 3; n += 1) expect((await create({}, token)).status).toBe(201);
  const other = await openServices({ FLEET_HOME: place.house.paths.path }, place.directory);
  try {
    await other.call('token.revoke', { id });
    const refused = await create({}, token);
    expect(refused).toMatchObject({ status: 401, json: { detail: 'the token has been revoked' } });
    expect((await create()).status).toBe(201);
  } finally {
    await other.close();
  }
});
