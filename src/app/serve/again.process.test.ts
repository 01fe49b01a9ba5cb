import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type ServerHouse, serverHouse } from '../../../test/support/server-house.ts';
import { openServices } from '../open-services.ts';

let place: ServerHouse;
let id: string;

beforeAll(async () => {
  place = await serverHouse({ FLEET_RATE_LIMIT: '20' });
  id = (await place.house.call('task.create', { prompt: 'Mend it.', directory: place.directory })).id;
});

afterAll(async () => {
  await place[Symbol.asyncDispose]();
});

const taskPath = () => `/v1/tasks/${id}`;
const titleOf = ({ json }: Answer) => json.title;
const reads = { store: 0 };

/** How often a question reached the store: what is said again does not. */
async function readsDuring(work: () => Promise<unknown>): Promise<number> {
  const { store } = place.house;
  const { get } = store;
  reads.store = 0;
  store.get = (key) => {
    reads.store += 1;
    return get(key);
  };
  try {
    await work();
    return reads.store;
  } finally {
    store.get = get;
  }
}

const withoutNumber = ({ status, headers, text }: Answer) => {
  const { 'x-request-id': _number, date: _date, ...rest } = headers;
  return { status, text, headers: rest };
};

describe('an answer that is given again', () => {
  it('is the same in every word, has a number of its own, and reads nothing', async () => {
    const token = await place.tokenFor('monitor', { name: 'reader' });
    const first = await place.ask(taskPath(), { token });
    const again: Answer[] = [];
    expect(
      await readsDuring(async () => {
        for (let n = 0; n < 3; n += 1) again.push(await place.ask(taskPath(), { token }));
      }),
    ).toBe(0);
    for (const one of again) expect(withoutNumber(one)).toEqual(withoutNumber(first));
    expect(new Set([first, ...again].map(({ headers }) => headers['x-request-id'])).size).toBe(4);
    const tag = String(first.headers['etag']);
    expect(await place.ask(taskPath(), { token, headers: { 'if-none-match': tag } })).toMatchObject({ status: 304, text: '' });
    expect((await place.ask(taskPath(), { token, headers: { 'if-none-match': '"other"' } })).status).toBe(200);
    const { text } = await place.ask('/metrics', { token: place.admin });
    expect(text).toMatch(/fleet_http_requests_total\{method="GET",route="\/v1\/tasks\/:id",status="200"\} 5\n/);
    expect(text).toMatch(/fleet_http_requests_total\{method="GET",route="\/v1\/tasks\/:id",status="304"\} 1\n/);
  });

  it('tells of every change as soon as it is made, here or by another process', async () => {
    const token = await place.tokenFor('monitor', { name: 'watcher' });
    await using other = Object.assign(
      await openServices({ FLEET_HOME: place.house.paths.path, HOME: place.directory }, place.directory),
      { [Symbol.asyncDispose]: () => other.close() },
    );
    for (let n = 0; n < 20; n += 1) {
      await place.ask(taskPath(), { token });
      await (n % 2 === 0 ? other : place.house).call('task.edit', { id, title: `Title ${n}` });
      expect(titleOf(await place.ask(taskPath(), { token }))).toBe(`Title ${n}`);
    }
    await place.house.call('config.set', { assignments: ['person=somebody'] });
    expect(await readsDuring(() => place.ask(taskPath(), { token }))).toBeGreaterThan(0);
  });

  it('is for whoever may have it, and for nobody else [API-08]', async () => {
    const made = await place.ask('/v1/tokens', { method: 'POST', token: place.admin, body: { name: 'guest', role: 'monitor' } });
    const { token } = made.json;
    const ask = (wish = {}) => place.ask(taskPath(), { token, ...wish });
    await ask();
    expect((await ask({ headers: { host: 'evil.example' } })).status).toBe(403);
    expect((await ask({ headers: { origin: 'http://evil.example' } })).status).toBe(403);
    expect((await ask({ token: undefined })).status).toBe(401);
    expect((await ask({ token: `${token}x` })).status).toBe(401);
    expect((await ask({ headers: { 'x-request-id': 'my-own' } })).headers['x-request-id']).toBe('my-own');
    expect((await ask({ method: 'HEAD' })).text).toBe('');
    await ask();
    await place.house.call('token.revoke', { id: made.json.id });
    expect((await ask()).status).toBe(401);
  });

  it('counts as a request like any other', async () => {
    const token = await place.tokenFor('monitor', { name: 'eager' });
    const answers = await Promise.all(Array.from({ length: 300 }, () => statusOf(token)));
    expect(answers.filter((status) => status === 429).length).toBeGreaterThan(50);
    expect(answers.filter((status) => status === 200).length).toBeGreaterThanOrEqual(200);
  });
});

const statusOf = (token: string): Promise<number> =>
  new Promise((resolve, reject) => {
    request(`${place.url}${taskPath()}`, { headers: { authorization: `Bearer ${token}` } }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
    })
      .once('error', reject)
      .end();
  });
