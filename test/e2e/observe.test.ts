import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { fullOnly } from '../full-only.ts';
import { type CliHouse, cliHouse } from '../support/cli-house.ts';

interface Serving extends CliHouse {
  readonly url: string;
  readonly admin: string;
  get(path: string, token?: string, headers?: Record<string, string>): Promise<Response>;
  tokenFor(role: string, more?: Record<string, string>): Promise<string>;
}

/** A house that is up, and has said that it is well. */
async function serving(env: Record<string, string> = {}): Promise<Serving> {
  const house = await cliHouse();
  const child = house.start(['up', '--json'], env);
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const live = () => /"http.listening".*?"url":"([^"]+)"/.exec(said)?.[1];
  await vi.waitFor(() => expect(live(), said).toBeDefined(), 30_000);
  const url = live() as string;
  const get: Serving['get'] = (path, token, headers = {}) =>
    fetch(`${url}${path}`, { headers: { ...headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) } });
  await vi.waitFor(async () => expect(await (await get('/health')).json()).toMatchObject({ status: 'ok' }), 30_000);
  const admin = (await readFile(join(house.home, 'admin.token'), 'utf8')).trim();
  return {
    ...house,
    url,
    admin,
    get,
    tokenFor: async (role, more = {}) => {
      const answer = await fetch(`${url}/v1/tokens`, {
        method: 'POST',
        headers: { authorization: `Bearer ${admin}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name: `a ${role}`, role, ...more }),
      });
      return ((await answer.json()) as { token: string }).token;
    },
  };
}

const metric = (text: string, name: string): number | undefined => {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
};

describe('a fleet that is watched from outside', () => {
  it('tells everybody whether it is well, and only those who may know it what it is about', async () => {
    await using house = await serving();
    const open = await house.get('/health');
    expect(open.status).toBe(200);
    const health = (await open.json()) as Record<string, unknown>;
    expect(health).toMatchObject({ status: 'ok', reasons: [], engine: true, version: expect.any(String) });
    expect(health['store']).toMatchObject({ latencyMs: expect.any(Number), answeredSecondsAgo: expect.any(Number) });
    expect(JSON.stringify(health)).not.toContain(house.home);
    expect(health).not.toHaveProperty('details');
    expect(await (await house.get('/health', house.admin)).json()).toMatchObject({ details: { home: house.home } });
    expect(await (await house.get('/health', 'not-a-token')).json()).not.toHaveProperty('details');
    await house.ok(['config', 'set', 'max_concurrent=5']);
    const worker = await house.tokenFor('worker');
    expect(await (await house.get('/health', worker)).json()).not.toHaveProperty('details');
  });

  it('shows its figures to those whose role is to look, and to nobody else', async () => {
    await using house = await serving();
    expect((await house.get('/metrics')).status).toBe(401);
    const allowed: [string, number][] = [
      ['team-lead', 200],
      ['coordinator', 200],
      ['monitor', 200],
      ['merger', 200],
      ['worker', 403],
      ['host', 403],
    ];
    for (const [role, status] of allowed) {
      const token = await house.tokenFor(role, role === 'host' ? { host: 'there' } : {});
      expect([role, (await house.get('/metrics', token)).status]).toEqual([role, status]);
    }
    const ofTeam = await house.tokenFor('monitor', { team: 'reds' });
    expect((await house.get('/metrics', ofTeam)).status).toBe(403);
    expect((await house.get('/metrics', house.admin)).headers.get('content-type')).toContain('text/plain; version=0.0.4');
  });

  fullOnly('counts a task from its creation to its end, and requests by route and never by address', async () => {
    await using house = await serving();
    const prompt = '```scenario\nsay hello\nspend 7 3\ndone\n```';
    const create = ['task', 'create', '--directory', house.directory, '--executor', 'scripted', '--prompt', prompt, '--json'];
    const { id } = (await house.ok(create)).json<{ id: string }>();
    await house.ok(['task', 'wait', id]);
    const numbered = await house.get(`/v1/tasks/${id}`, house.admin, { 'x-request-id': 'mine-1' });
    expect(numbered.headers.get('x-request-id')).toBe('mine-1');
    const refused = await house.get('/v1/tasks', undefined, { 'x-request-id': 'not usable\t' });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('x-request-id')).toMatch(/^[\w]{26}$/);
    const text = async () => (await house.get('/metrics', house.admin)).text();
    await vi.waitFor(async () => expect(metric(await text(), 'fleet_tasks{phase="done"}')).toBe(1), 30_000);
    const seen = await text();
    expect(metric(seen, 'fleet_tasks_ended_total{phase="done"}')).toBe(1);
    expect(metric(seen, 'fleet_runs_ended_total{executor="scripted",kind="agent",outcome="succeeded"}')).toBe(1);
    expect(metric(seen, 'fleet_run_tokens_total{executor="scripted",direction="output"}')).toBe(3);
    expect(metric(seen, 'fleet_runs_cost_unknown_total{executor="scripted"}')).toBe(1);
    expect(metric(seen, 'fleet_run_cost_usd_total{executor="scripted"}')).toBeUndefined();
    expect(metric(seen, 'fleet_engine_lease')).toBe(1);
    expect(metric(seen, 'fleet_http_requests_total{method="GET",route="/v1/tasks",status="401"}')).toBe(1);
    expect(seen).toMatch(/fleet_http_requests_total\{method="GET",route="\/v1\/tasks\/:id",status="200"\} [1-9]/);
    expect(seen).not.toContain(id);
  });
});
