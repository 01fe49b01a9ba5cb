import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServerHouse, serverHouse } from '../../../test/support/server-house.ts';
import { contract, type OperationName } from '../../contract/index.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Standing } from '../../domain/authority.ts';
import type { TaskId } from '../../domain/values.ts';
import { requestFor } from '../../wire/client.ts';
import { routeOf } from '../../wire/route.ts';

const LEADS = ['admin', 'team-lead', 'coordinator'] as const;
const READERS = [...LEADS, 'monitor', 'merger'] as const;

/** Who may call what, written out: the test does not ask the table it tests. */
const MAY: Readonly<Record<OperationName, readonly Standing[]>> = {
  'home.init': ['admin'],
  'config.show': READERS,
  'config.set': ['admin'],
  'project.add': LEADS,
  'project.list': [...READERS, 'worker', 'run'],
  'project.show': [...READERS, 'worker', 'run'],
  'project.set': LEADS,
  'project.remove': LEADS,
  'task.create': [...LEADS, 'worker', 'run'],
  'task.edit': LEADS,
  'task.list': [...READERS, 'worker', 'run'],
  'task.ready': [...READERS, 'worker'],
  'task.show': [...READERS, 'worker', 'run'],
  'task.events': [...READERS, 'worker', 'run'],
  'task.log': [...READERS, 'worker', 'run'],
  'task.wait': [...READERS, 'worker', 'run'],
  'task.send': [...LEADS, 'worker'],
  'task.comment': [...LEADS, 'worker', 'run'],
  'task.dispatch': LEADS,
  'task.claim': [...LEADS, 'worker'],
  'task.complete': [...LEADS, 'worker'],
  'task.unclaim': [...LEADS, 'worker'],
  'task.cancel': [...LEADS, 'run'],
  'task.retry': LEADS,
  'task.resume': LEADS,
  'task.fork': LEADS,
  'task.diff': [...READERS, 'worker', 'run'],
  'task.report': [...READERS, 'worker', 'run'],
  'task.review': [...LEADS, 'run'],
  'task.approve': [...LEADS, 'merger'],
  'task.reject': [...LEADS, 'merger'],
  'task.merge': [...LEADS, 'merger'],
  'task.verify': [...LEADS, 'merger'],
  'task.commit': [...LEADS, 'merger'],
  'task.push': [...LEADS, 'merger'],
  'task.restore': [...LEADS, 'worker'],
  'task.cleanup': LEADS,
  'task.delete': LEADS,
  'task.export': READERS,
  'task.import': LEADS,
  'workspace.list': READERS,
  'workspace.prune': LEADS,
  'run.list': [...READERS, 'worker', 'run', 'host'],
  'run.show': [...READERS, 'worker', 'run', 'host'],
  'run.log': [...READERS, 'worker', 'run', 'host'],
  'run.cancel': LEADS,
  'run.context': [...READERS, 'run'],
  'report.submit': ['admin', 'run'],
  'inbox.read': [...LEADS, 'worker', 'run'],
  'question.ask': [...LEADS, 'worker', 'run'],
  'question.list': [...READERS, 'worker', 'run'],
  'question.show': [...READERS, 'worker', 'run'],
  'question.answer': LEADS,
  'token.create': LEADS,
  'token.link': LEADS,
  'token.list': LEADS,
  'token.revoke': LEADS,
  'fleet.status': [...READERS, 'host'],
  'fleet.blame': READERS,
  'db.migrate': ['admin'],
  'db.check': ['admin'],
  'db.backup': ['admin'],
  'db.restore': ['admin'],
  'db.export': ['admin'],
  'db.prune': ['admin'],
};

const operations: readonly (Operation & { name: OperationName })[] = contract;
const routes = new Map(operations.map((operation) => [operation.name, routeOf(operation)]));

interface Credential {
  readonly name: string;
  readonly token: string | undefined;
  /** Undefined: it opens nothing. */
  readonly standing?: Standing;
}

let place: ServerHouse;
let credentials: Credential[];
const ids: Record<'own' | 'other', { task: TaskId; run: string; question: string }> = {} as never;
let runTokens: { own: string; other: string };

beforeAll(async () => {
  place = await serverHouse({ FLEET_RATE_LIMIT: '100000' });
  const { house, tokenFor, forged, runOf } = place;
  const lead = house.callAs({ name: 'lea', role: 'team-lead' });
  for (const [whose, assignee, team] of [
    ['own', 'worker', 'web'],
    ['other', 'bob', 'ops'],
  ] as const) {
    const task = await lead('task.create', { prompt: `for ${whose}`, directory: place.directory, assignee, team });
    const { run, token } = await runOf(task.id);
    const question = await lead('question.ask', { text: 'which?', task: task.id });
    ids[whose] = { task: task.id, run: run.id, question: question.id };
    runTokens = { ...runTokens, [whose]: token };
  }
  const now = Math.floor(Date.now() / 1_000);
  const claims = {
    iss: 'fleet',
    aud: 'fleet',
    sub: 'eve',
    role: 'admin',
    jti: house.ids.token(),
    iat: now,
    nbf: now,
    exp: now + 900,
  };
  const none = Buffer.from('{"alg":"none"}').toString('base64url');
  const revoked = await tokenFor('coordinator');
  const { json } = await place.ask('/v1/tokens', { token: place.admin });
  const target = json.items.find(({ role }: { role: string }) => role === 'coordinator');
  await place.ask(`/v1/tokens/${target.id}/revoke`, { method: 'POST', token: place.admin, body: {} });
  credentials = [
    { name: 'none', token: undefined },
    { name: 'garbage', token: 'abc.def.ghi' },
    { name: 'expired', token: await forged({ ...claims, iat: now - 900, nbf: now - 900, exp: now - 1 }) },
    { name: 'wrong key', token: await forged(claims, randomBytes(32)) },
    { name: 'no algorithm', token: `${none}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.` },
    { name: 'revoked', token: revoked },
    { name: 'wrong audience', token: await forged({ ...claims, aud: 'others' }) },
    { name: 'unknown id', token: await forged(claims) },
    { name: 'monitor', token: await tokenFor('monitor'), standing: 'monitor' },
    { name: 'worker', token: await tokenFor('worker'), standing: 'worker' },
    { name: 'merger', token: await tokenFor('merger'), standing: 'merger' },
    { name: 'coordinator', token: await tokenFor('coordinator', { name: 'second' }), standing: 'coordinator' },
    { name: 'team-lead', token: await tokenFor('team-lead'), standing: 'team-lead' },
    { name: 'host', token: await tokenFor('host', { host: 'elsewhere' }), standing: 'host' },
    { name: 'run of the task', token: runTokens.own, standing: 'run' },
    { name: 'run of another task', token: runTokens.other, standing: 'run' },
    { name: 'admin', token: place.admin, standing: 'admin' },
  ];
});

afterAll(async () => {
  await place[Symbol.asyncDispose]();
});

/** The address of an operation about something, with nothing else said. */
function addressOf(name: OperationName, subject: string): { method: string; path: string } {
  const route = routes.get(name);
  if (!route) throw new Error(`no route for ${name}`);
  return { method: route.method, path: requestFor(route, route.subject ? { [route.subject]: subject } : {}, {}).target };
}

const hasBody = (method: string): boolean => method === 'POST' || method === 'PATCH';

describe('every operation × every credential, over HTTP', () => {
  it('answers exactly 401, 403, or lets in; and a refusal changes nothing [T1] [T5] [T6] [API-07]', async () => {
    const wrong: string[] = [];
    const before = await place.written();
    for (const { name } of operations) {
      for (const { name: who, token, standing } of credentials) {
        const { method, path } = addressOf(name, ids.own.task);
        // An unknown field stops whoever is let in before anything happens.
        const asked = hasBody(method) ? { body: { unheardOf: 1 } } : {};
        const address = hasBody(method) ? path : `${path}${path.includes('?') ? '&' : '?'}unheardOf=1`;
        const expected = standing === undefined ? 401 : MAY[name].includes(standing) ? 400 : 403;
        const { status } = await place.ask(address, { method, token, ...asked });
        if (status !== expected) wrong.push(`${who}: ${method} ${address} is ${status}, not ${expected}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(await place.written()).toBe(before);
  });

  it('finds nothing that belongs to others, and changes nothing of it [T7] [API-07]', async () => {
    const team = await place.tokenFor('team-lead', { name: 'teamster', team: 'web' });
    const narrow: Credential[] = [
      { name: 'worker', token: credentials.find(({ name }) => name === 'worker')?.token, standing: 'worker' },
      { name: 'run', token: runTokens.own, standing: 'run' },
      { name: 'lead of a team', token: team, standing: 'team-lead' },
    ];
    const wrong: string[] = [];
    const before = await place.written();
    for (const { name } of operations.filter(({ name: one }) => routes.get(one)?.subject === 'id')) {
      const noun = name.split('.', 1)[0] as 'task' | 'run' | 'question' | 'token';
      if (noun === 'token') continue;
      for (const { name: who, token, standing } of narrow.filter((one) => one.standing && MAY[name].includes(one.standing))) {
        const { method, path } = addressOf(name, ids.other[noun]);
        const { status } = await place.ask(path, { method, token, ...(hasBody(method) ? { body: bodies[name] ?? {} } : {}) });
        if (status !== 404) wrong.push(`${who} (${standing}): ${method} ${path} is ${status}, not 404`);
      }
    }
    expect(wrong).toEqual([]);
    expect(await place.written()).toBe(before);
  });

  it('finds what is its own [API-07]', async () => {
    const own = [...credentials.filter(({ name }) => name === 'worker' || name === 'run of the task')];
    for (const { token } of own) {
      for (const path of [`/v1/tasks/${ids.own.task}`, `/v1/runs/${ids.own.run}`, `/v1/tasks/${ids.own.task}/events`])
        expect((await place.ask(path, { token })).status).toBe(200);
      const { json } = await place.ask('/v1/tasks', { token });
      expect(json.items.map(({ id }: { id: string }) => id)).toEqual([ids.own.task]);
      expect((await place.ask('/v1/questions', { token })).json.items.map(({ id }: { id: string }) => id)).toEqual([
        ids.own.question,
      ]);
      expect((await place.ask('/v1/runs', { token })).json.items.map(({ id }: { id: string }) => id)).toEqual([ids.own.run]);
    }
  });
});

/** What each command needs besides its subject, so that only the subject can be what is refused. */
const bodies: Readonly<Partial<Record<OperationName, object>>> = {
  'task.comment': { text: 'x' },
  'task.send': { text: 'x' },
  'task.reject': { text: 'x' },
  'question.answer': { text: 'x' },
};
