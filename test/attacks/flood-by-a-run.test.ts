import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { socketPath } from '../../src/app/serve/listen.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { type ServerHouse, serverHouse } from '../support/server-house.ts';

/** So slow that no machine is too slow to flood it. */
const RUN_RATE = 3;
const MANY = 2_000;
const AT_ONCE = 40;

let place: ServerHouse;
let door: string;
beforeAll(async () => {
  place = await serverHouse({ FLEET_RUN_RATE_LIMIT: String(RUN_RATE) });
  door = socketPath(place.house.paths.path, 'agents');
});
afterAll(() => place[Symbol.asyncDispose]());

const runHere = async () => {
  const task = await place.house.call('task.create', { prompt: 'x', directory: place.directory });
  return place.runOf(task.id);
};

interface Wish {
  readonly method?: string;
  readonly path?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const byTheirDoor = (token: string, { method = 'GET', path = '/v1/runs', body, headers = {} }: Wish = {}): Promise<number> =>
  new Promise((resolve, reject) => {
    const said = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers };
    const asked = request({ socketPath: door, method, path, headers: said, agent: false }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
    });
    asked.once('error', reject).end(body);
  });

describe('a run that asks without end', () => {
  it('uses up its own rate and nobody else is refused once, by any door [T28]', async () => {
    const [loud, quiet] = [await runHere(), await runHere()];
    const owners: number[] = [];
    const statuses: number[] = [];
    for (let n = 0; n < MANY; n += AT_ONCE) {
      const asked = Array.from({ length: AT_ONCE }, () => byTheirDoor(loud.token));
      owners.push((await place.ask('/v1/tasks', { token: place.admin })).status);
      statuses.push(...(await Promise.all(asked)));
    }
    const let_in = statuses.filter((status) => status === 200).length;
    const refused = statuses.filter((status) => status === 429).length;
    expect([let_in + refused, owners.length]).toEqual([MANY, MANY / AT_ONCE]);
    expect(let_in).toBeGreaterThanOrEqual(RUN_RATE);
    expect(refused).toBeGreaterThan(let_in);
    expect(new Set(owners)).toEqual(new Set([200]));
    expect(await byTheirDoor(quiet.token)).toBe(200);
    expect((await place.ask('/v1/runs', { token: loud.token })).status, 'it is the same run by the port').toBe(429);
    const rules = place.house.settings.current().values;
    expect(rules.run_rate_limit).toBeLessThan(rules.rate_limit);
  });
});

describe('a run', () => {
  it('is let in with less at once than its owner: body and head [T28] [T23]', async () => {
    const { token } = await runHere();
    const text = 'x'.repeat(LIMITS.runRequestBytes.value);
    const body = JSON.stringify({ text });
    expect(await byTheirDoor(token, { method: 'POST', path: '/v1/questions', body })).toBe(413);
    const { status } = await place.ask('/v1/questions', { method: 'POST', token: place.admin, body: { text } });
    expect(status, 'what is too long for a question is not too long to be read').toBe(400);
    const headers = { 'x-long': 'x'.repeat(LIMITS.runHeaderBytes.value) };
    expect(await byTheirDoor(token, { headers })).toBe(431);
    expect((await place.ask('/v1/tasks', { token: place.admin, headers })).status).toBe(200);
  });
});
