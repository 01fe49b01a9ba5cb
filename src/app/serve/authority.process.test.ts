import { randomBytes } from 'node:crypto';
import { get } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { overHttp } from '../../../test/support/mcp-house.ts';
import { MAY } from '../../../test/support/permissions.ts';
import { type ServerHouse, serverHouse } from '../../../test/support/server-house.ts';
import { contract, type OperationName } from '../../contract/index.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Standing } from '../../domain/authority.ts';
import type { TaskId, WorkspaceId } from '../../domain/values.ts';
import type { Workspace } from '../../domain/work/workspace.ts';
import { workspaces } from '../../store/records/workspaces.ts';
import type { Tool } from '../../surfaces/mcp/tool.ts';
import { TOOL_SETS } from '../../surfaces/mcp/tool-sets.ts';
import { requestFor } from '../../wire/client.ts';
import { routeOf } from '../../wire/route.ts';

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
const ids: Record<'own' | 'other', { task: TaskId; run: string; question: string; workspace: string }> = {} as never;
let runTokens: { own: string; other: string };

beforeAll(async () => {
  place = await serverHouse({ FLEET_RATE_LIMIT: '100000' });
  const { house, tokenFor, forged, runOf } = place;
  const lead = house.callAs({ id: 'token of lea', name: 'lea', role: 'team-lead' });
  for (const [whose, assignee, team] of [
    ['own', 'worker', 'web'],
    ['other', 'bob', 'ops'],
  ] as const) {
    const task = await lead('task.create', { prompt: `for ${whose}`, directory: place.directory, assignee, team });
    const { run, token } = await runOf(task.id);
    const question = await lead('question.ask', { text: 'which?', task: task.id });
    ids[whose] = { task: task.id, run: run.id, question: question.id, workspace: await putAside(task.id) };
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

/** A workspace of a task that could not be kept. */
async function putAside(taskId: TaskId): Promise<string> {
  const { house, directory } = place;
  const n = Object.keys(ids).length + 1;
  const at = house.now();
  const body: Workspace = {
    id: `ws_${n}` as WorkspaceId,
    n,
    projectId: house.ids.project(),
    host: 'here',
    path: join(directory, String(n)),
    isolation: 'worktree',
    use: { kind: 'task', taskId, branch: 'b', start: '0'.repeat(40) },
    state: 'aside',
    why: 'it could not be kept',
    createdAt: at,
    updatedAt: at,
  };
  await house.store.commit([workspaces.put(body, 'absent')]);
  return body.id;
}

/** The address of an operation about something, with nothing else said. */
function addressOf(name: OperationName, subject: string): { method: string; path: string } {
  const route = routes.get(name);
  if (!route) throw new Error(`no route for ${name}`);
  return { method: route.method, path: requestFor(route, route.subject ? { [route.subject]: subject } : {}, {}).target };
}

const hasBody = (method: string): boolean => method === 'POST' || method === 'PATCH';

/** What the task of the run has in its history, but for what the run was refused. */
const told = async () =>
  (await place.house.call('task.events', { id: ids.own.task, limit: 500 })).items
    .filter(({ what }) => what !== 'refused')
    .map(({ what }) => what);

/** Who was refused and has changed something all the same. A refusal of a run is told in the history of its task, and nothing else. */
async function writesOfOthers() {
  let size = await place.written();
  const found: string[] = [];
  const look = async (standing: string | undefined, what: string) => {
    const now = await place.written();
    if (now !== size && standing !== 'run') found.push(`${what} has written`);
    size = now;
  };
  return { found, look };
}

describe('every operation × every credential, over HTTP', () => {
  it('answers exactly 401, 403, or lets in; and a refusal changes nothing [T1] [T5] [T6] [API-07]', async () => {
    const wrong: string[] = [];
    const before = await told();
    const writes = await writesOfOthers();
    for (const { name } of operations) {
      for (const { name: who, token, standing } of credentials) {
        const { method, path } = addressOf(name, ids.own.task);
        // An unknown field stops whoever is let in before anything happens.
        const asked = hasBody(method) ? { body: { unheardOf: 1 } } : {};
        const address = hasBody(method) ? path : `${path}${path.includes('?') ? '&' : '?'}unheardOf=1`;
        const expected = standing === undefined ? 401 : MAY[name].includes(standing) ? 400 : 403;
        const { status } = await place.ask(address, { method, token, ...asked });
        await writes.look(standing, `${who}: ${method} ${address}`);
        if (status !== expected) wrong.push(`${who}: ${method} ${address} is ${status}, not ${expected}`);
      }
    }
    expect([...wrong, ...writes.found]).toEqual([]);
    expect(await told()).toEqual(before);
  });

  it('finds nothing that belongs to others, and changes nothing of it [T7] [API-07]', async () => {
    const team = await place.tokenFor('team-lead', { name: 'teamster', team: 'web' });
    const narrow: Credential[] = [
      { name: 'worker', token: credentials.find(({ name }) => name === 'worker')?.token, standing: 'worker' },
      { name: 'run', token: runTokens.own, standing: 'run' },
      { name: 'lead of a team', token: team, standing: 'team-lead' },
    ];
    const wrong: string[] = [];
    const before = await told();
    const writes = await writesOfOthers();
    for (const { name } of operations.filter(({ name: one }) => routes.get(one)?.subject === 'id')) {
      const noun = name.split('.', 1)[0] as 'task' | 'run' | 'question' | 'workspace' | 'token';
      if (noun === 'token') continue;
      for (const { name: who, token, standing } of narrow.filter((one) => one.standing && MAY[name].includes(one.standing))) {
        const { method, path } = addressOf(name, ids.other[noun]);
        const { status } = await place.ask(path, { method, token, ...(hasBody(method) ? { body: bodies[name] ?? {} } : {}) });
        await writes.look(standing, `${who}: ${method} ${path}`);
        if (status !== 404) wrong.push(`${who} (${standing}): ${method} ${path} is ${status}, not 404`);
      }
    }
    expect([...wrong, ...writes.found]).toEqual([]);
    expect(await told()).toEqual(before);
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

describe('every tool × every credential, over MCP', () => {
  it('lists exactly what its bearer may call, and refuses the rest without changing anything [T1] [T6] [API-07]', async () => {
    const wrong: string[] = [];
    const before = await told();
    const writes = await writesOfOthers();
    for (const { name: who, token, standing } of credentials)
      for (const set of ['orchestrate', 'team', 'admin'] as const) {
        const path = `/mcp?toolset=${set}`;
        if (standing === undefined) {
          const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
          const { status } = await place.ask(path, { method: 'POST', token, body });
          if (status !== 401) wrong.push(`${who}: ${path} is ${status}, not 401`);
          continue;
        }
        await using way = await overHttp({ url: place.url, token: token ?? '' }, 'auto', path);
        // A run gets its own set, whichever it asks for.
        const { tools }: { readonly tools: readonly Tool[] } = TOOL_SETS[standing === 'run' ? 'run' : set];
        const open = tools.filter(({ calls }) => calls.every((call) => MAY[call].includes(standing)));
        const listed = (await way.client.listTools()).tools.map(({ name }) => name);
        if (
          listed.toSorted().join() !==
          open
            .map(({ name }) => name)
            .toSorted()
            .join()
        )
          wrong.push(`${who}: ${set} lists ${listed.join(', ')}`);
        for (const { name } of tools.filter((tool) => !open.some((one) => one.name === tool.name))) {
          const answer = await way.client.callTool({ name, arguments: {} }).catch(() => ({ isError: true }));
          if (!answer.isError) wrong.push(`${who}: ${name} was carried out`);
        }
      }
    expect([...wrong, ...writes.found]).toEqual([]);
    expect(await told()).toEqual(before);
  });
});

describe('every topic × every credential, live', () => {
  it('opens as the operation behind it does, and to nobody else [T1] [T7] [API-07]', async () => {
    const behind: Readonly<Record<string, OperationName>> = { task: 'task.show', run: 'run.show' };
    const wrong: string[] = [];
    for (const { name: who, token, standing } of credentials)
      for (const whose of ['own', 'other'] as const)
        for (const noun of ['task', 'run'] as const) {
          const operation = behind[noun] ?? 'task.show';
          const status = await opened(`/v1/live?topic=${noun}/${ids[whose][noun]}`, token);
          const expected = liveStatus({ operation, whose, who, standing, noun });
          if (status !== expected) wrong.push(`${who}: ${whose} ${noun} is ${status}, not ${expected}`);
        }
    expect(wrong).toEqual([]);
  });
});

/** The status of a stream, which is left as soon as it is known. */
function opened(path: string, token: string | undefined): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const asked = get(`${place.url}${path}`, { agent: false, headers }, (answer) => {
      resolve(answer.statusCode ?? 0);
      answer.destroy();
    });
    asked.on('error', reject);
  });
}

interface LiveCell {
  readonly operation: OperationName;
  readonly whose: 'own' | 'other';
  readonly who: string;
  readonly standing: Standing | undefined;
  readonly noun: 'task' | 'run';
}

function liveStatus({ operation, whose, who, standing, noun }: LiveCell): number {
  if (standing === undefined) return 401;
  if (!MAY[operation].includes(standing)) return 403;
  if (standing === 'host') return noun === 'run' ? 200 : 403;
  const isOwn = who === 'run of another task' ? whose === 'other' : whose === 'own';
  return (standing === 'worker' || standing === 'run') && !isOwn ? 404 : 200;
}

/** What each command needs besides its subject, so that only the subject can be what is refused. */
const bodies: Readonly<Partial<Record<OperationName, object>>> = {
  'task.comment': { text: 'x' },
  'task.send': { text: 'x' },
  'task.reject': { text: 'x' },
  'question.answer': { text: 'x' },
};
