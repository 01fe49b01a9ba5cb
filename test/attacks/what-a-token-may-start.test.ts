import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { boxed, boxPath } from '../support/box-house.ts';
import { cliHouse } from '../support/cli-house.ts';
import { overHttp, tokenFor, whereIs } from '../support/mcp-house.ts';
import { type ServerHouse, serverHouse } from '../support/server-house.ts';

/** What an agent of `scripted` would run in a shell. */
const shell = (marker: string) => `Do.\n\n\`\`\`scenario\nsh id > '${marker}'\ndone\n\`\`\``;
const ROLES = ['admin', 'team-lead', 'coordinator', 'worker'] as const;
const OFF = 'executor scripted is switched off here';

describe('a shell, wanted with a token that may hand in work', () => {
  let place: ServerHouse;
  const tokens = new Map<string, string>();

  beforeAll(async () => {
    place = await serverHouse({ FLEET_SCRIPTED: '' });
    await place.house.call('project.add', { path: place.directory, name: 'shop', plain: true });
    for (const role of ROLES) tokens.set(role, await place.tokenFor(role, { name: `a ${role}`, team: 'web' }));
  });

  afterAll(() => place[Symbol.asyncDispose]());

  const ask = (role: string, method: string, path: string, body: object) =>
    place.ask(path, { method, token: tokens.get(role) ?? '', body });

  it('is not to be had by naming `scripted`, with any role, over REST [API-07]', async () => {
    const wish = { prompt: shell('PWNED'), project: 'shop' };
    for (const role of ROLES) {
      const made = await ask(role, 'POST', '/v1/tasks', { ...wish, executor: ['claude'] });
      expect([role, made.status]).toEqual([role, 201]);
      const refused = { status: 400, text: expect.stringContaining(OFF) };
      for (const executor of [['scripted'], ['claude', 'scripted'], ['scripted/work']])
        expect(await ask(role, 'POST', '/v1/tasks', { ...wish, executor, failover: 'next' })).toMatchObject(refused);
      const edited = await ask(role, 'PATCH', `/v1/tasks/${made.json.id}`, { executor: ['scripted'] });
      expect(edited).toMatchObject(role === 'worker' ? { status: 403 } : refused);
      const changed = await ask(role, 'PATCH', '/v1/projects/shop', { executor: 'scripted' });
      expect(changed).toMatchObject(role === 'worker' ? { status: 403 } : refused);
      const { run, token } = await place.runOf(made.json.id);
      const part = await place.ask('/v1/tasks', { method: 'POST', token, body: { ...wish, executor: [run.executor] } });
      expect(part, 'as a part of its own run').toMatchObject(refused);
    }
  });

  it('is not to be had by naming `scripted`, with any role, over MCP', async () => {
    for (const role of ROLES) {
      await using mcp = await overHttp({ url: place.url, token: tokens.get(role) ?? '' }, 'auto');
      const made = mcp.call('task_create', { prompt: shell('PWNED'), executor: 'scripted', project: 'shop' });
      await expect(made, role).rejects.toThrow(OFF);
    }
  });

  it('is not to be had by switching `scripted` on, nor by a token of a team that is called admin', async () => {
    const body = { assignments: ['scripted=true'] };
    for (const role of ROLES) expect([role, (await ask(role, 'PATCH', '/v1/config', body)).status]).toEqual([role, 403]);
    expect(place.house.settings.current().values.scripted).toBe(false);
    expect((await place.ask('/v1/config', { method: 'PATCH', token: place.admin, body })).status).toBe(200);
    expect(place.house.settings.current().values.scripted).toBe(true);
    await place.house.call('config.set', { assignments: ['scripted='] });
  });

  it('is not to be had as a program that a task names, by anybody but the owner [API-07]', async () => {
    const program = { executor: ['acp'], extraArg: ['/bin/sh', '-c', 'id > PWNED'] };
    const wish = { prompt: 'x', project: 'shop' };
    const refused = { status: 403, text: expect.stringContaining('only the owner of the fleet') };
    const owned = await place.ask('/v1/tasks', {
      method: 'POST',
      token: place.admin,
      body: { ...wish, ...program, team: 'web' },
    });
    expect(owned.status).toBe(201);
    for (const role of ROLES) {
      expect(await ask(role, 'POST', '/v1/tasks', { ...wish, ...program })).toMatchObject(refused);
      expect(await ask(role, 'POST', '/v1/tasks', { ...wish, ...program, executor: ['claude', 'acp'] })).toMatchObject(refused);
      if (role === 'worker') continue;
      expect(await ask(role, 'PATCH', `/v1/tasks/${owned.json.id}`, { extraArg: program.extraArg })).toMatchObject(refused);
      expect(await ask(role, 'PATCH', '/v1/projects/shop', { executor: 'acp' })).toMatchObject(refused);
    }
    // Nor where it is what a task without a name runs with.
    await place.house.call('project.set', { project: 'shop', executor: 'acp' });
    for (const role of ROLES)
      expect(await ask(role, 'POST', '/v1/tasks', { ...wish, extraArg: program.extraArg })).toMatchObject(refused);
    await place.house.call('project.set', { project: 'shop', clear: ['executor'] });
  });

  it('is not to be had by arguments for the program of an agent, of whichever, by anybody but the owner [API-07] [T19]', async () => {
    // Hooks, settings, tool servers, further directories, other providers, no sandbox of its own: of today's programs.
    const DANGEROUS: Readonly<Record<string, readonly string[]>> = {
      claude: ['--settings', '{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"id > PWNED"}]}]}}'],
      'claude with a server': ['--mcp-config', '{"mcpServers":{"x":{"command":"id"}}}'],
      'claude elsewhere': ['--add-dir', '/', '--permission-mode', 'bypassPermissions'],
      codex: ['-c', 'notify=["sh","-c","id > PWNED"]'],
      'codex with a server': ['-c', 'mcp_servers.x.command="id"', '--dangerously-bypass-approvals-and-sandbox'],
      gemini: ['--extensions', '/tmp/x', '--include-directories', '/', '--yolo'],
      qwen: ['--openai-base-url', 'http://elsewhere', '--yolo'],
      copilot: ['--additional-mcp-config', '{"mcpServers":{"x":{"command":"id"}}}', '--allow-all-tools', '--add-dir', '/'],
      opencode: ['--attach', 'http://elsewhere'],
      agy: ['--dangerously-skip-permissions'],
    };
    const refused = { status: 403, text: expect.stringContaining('only the owner of the fleet gives arguments') };
    for (const [named, extraArg] of Object.entries(DANGEROUS)) {
      const executor = [named.split(' ')[0] ?? ''];
      const wish = { prompt: 'x', project: 'shop', executor };
      const owned = await place.ask('/v1/tasks', {
        method: 'POST',
        token: place.admin,
        body: { ...wish, extraArg, team: 'web' },
      });
      expect([named, owned.status]).toEqual([named, 201]);
      for (const role of ROLES) {
        expect([role, named, await ask(role, 'POST', '/v1/tasks', { ...wish, extraArg })]).toMatchObject([role, named, refused]);
        if (role === 'worker') continue;
        expect(await ask(role, 'PATCH', `/v1/tasks/${owned.json.id}`, { extraArg: [...extraArg, '--more'] })).toMatchObject(
          refused,
        );
        // What was meant for one program is not handed to another.
        const other = executor[0] === 'codex' ? 'claude' : 'codex';
        const moved = await place.ask('/v1/tasks', {
          method: 'POST',
          token: place.admin,
          body: { ...wish, extraArg, team: 'web', draft: true },
        });
        expect((await ask(role, 'PATCH', `/v1/tasks/${moved.json.id}`, { executor: [other] })).json).toMatchObject({
          extraArgs: [],
        });
      }
      const { token } = await place.runOf(owned.json.id);
      const part = await place.ask('/v1/tasks', {
        method: 'POST',
        token,
        body: { prompt: 'x', extraArg: [...extraArg, '--more'] },
      });
      expect([named, part.status]).toEqual([named, 403]);
    }
  });

  it('is shown as switched off, with how its owner switches it on', async () => {
    const { items } = await place.house.call('executor.list', {});
    expect(items.find(({ name }) => name === 'scripted')).toMatchObject({
      state: 'off',
      problem: expect.stringContaining('would reach a shell'),
      repair: 'fleet config set scripted=true',
    });
  });
});

describe('more than its role or team is held to, wanted with a token', () => {
  let place: ServerHouse;
  beforeAll(async () => {
    place = await serverHouse({ PATH: boxPath(process.env['PATH']) });
    await place.house.call('project.add', { path: place.directory, name: 'shop', plain: true });
    const bounds = ['executors=claude', 'sandbox=required', 'max_budget_usd=5'];
    const roles = ['team-lead', 'coordinator', 'worker'].map((role) => bounds.map((bound) => `bounds_role.${role}.${bound}`));
    const team = bounds.map((bound) => `bounds_team.web.${bound}`);
    await place.house.call('config.set', { assignments: [...roles.flat(), ...team] });
  });
  afterAll(() => place[Symbol.asyncDispose]());

  const WISHES = [
    [{ executor: ['codex'] }, 'allow no executor codex, only claude'],
    [{ executor: ['claude', 'scripted'] }, 'allow no executor scripted, only claude'],
    [{ sandbox: false }, 'allow nothing without the sandbox'],
    [{ maxBudgetUsd: 5.01 }, 'allow at most $5, not $5.01'],
    [{ extraArg: ['--max-budget-usd', '100'] }, 'gives arguments to the program'],
  ] as const;
  const of = async (role: string) =>
    place.tokenFor(role, { name: `bound ${role}`, ...(role === 'admin' ? { team: 'web' } : {}) });

  boxed('is refused over REST and over MCP, with the bound and what it allows [API-07]', async () => {
    for (const role of ROLES) {
      const token = await of(role);
      await using mcp = await overHttp({ url: place.url, token }, 'auto');
      for (const [wish, words] of WISHES) {
        const body = { prompt: 'x', project: 'shop', ...wish };
        const { status, text } = await place.ask('/v1/tasks', { method: 'POST', token, body });
        expect([role, status, text]).toEqual([role, 403, expect.stringContaining(words)]);
        if (!('executor' in wish) || wish.executor.length > 1) continue;
        const made = mcp.call('task_create', { prompt: 'x', project: 'shop', executor: wish.executor[0] });
        await expect(made, role).rejects.toThrow(words);
      }
      const made = await place.ask('/v1/tasks', {
        method: 'POST',
        token,
        body: { prompt: 'x', project: 'shop', executor: ['claude'] },
      });
      expect(made.json).toMatchObject({ sandbox: true, maxBudgetUsd: 5 });
      const own = await place.runOf(made.json.id);
      const part = await place.ask('/v1/tasks', { method: 'POST', token: own.token, body: { prompt: 'x', maxBudgetUsd: 50 } });
      expect([role, part.status]).toEqual([role, 403]);
    }
  });
});

describe('wider bounds, wanted by a token that makes itself another', () => {
  let place: ServerHouse;
  beforeAll(async () => {
    place = await serverHouse({ PATH: boxPath(process.env['PATH']) });
    await place.house.call('project.add', { path: place.directory, name: 'shop', plain: true });
    await place.house.call('config.set', {
      assignments: ['bounds_role.coordinator.executors=claude', 'bounds_role.coordinator.max_budget_usd=5'],
    });
  });
  afterAll(() => place[Symbol.asyncDispose]());

  const words = 'the bounds of role coordinator allow';
  const create = (token: string, more: object = {}) =>
    place.ask('/v1/tasks', { method: 'POST', token, body: { prompt: 'x', project: 'shop', ...more } });
  const mint = async (token: string, days: number, role: string): Promise<string> =>
    (await place.ask('/v1/tokens', { method: 'POST', token, body: { name: `for ${days}`, role, days } })).json.token;

  it('is held to those of whoever made it, through every token, link, fork and part [T6] [API-07]', async () => {
    const coordinator = await place.tokenFor('coordinator', { name: 'c' });
    const lead = await mint(coordinator, 7, 'team-lead');
    const worker = await mint(lead, 2, 'worker');
    const { code } = (await place.ask('/v1/tokens/link', { method: 'POST', token: lead, body: { days: 1 } })).json;
    const browser = (await place.ask('/v1/login', { method: 'POST', body: { code } })).json.token;
    for (const [who, token] of Object.entries({ coordinator, lead, worker, browser })) {
      const wider = await create(token, { executor: ['codex'], maxBudgetUsd: 1 });
      expect([who, wider.status, wider.text]).toEqual([who, 403, expect.stringContaining(words)]);
      const made = await create(token, { executor: ['claude'] });
      expect([who, made.status, made.json.maxBudgetUsd]).toEqual([who, 201, 5]);
      const own = await place.runOf(made.json.id);
      const part = await place.ask('/v1/tasks', { method: 'POST', token: own.token, body: { prompt: 'x', executor: ['codex'] } });
      expect([who, part.status]).toEqual([who, 403]);
    }
    // Whoever is not made by it is not held to it.
    expect((await create(await place.tokenFor('team-lead', { name: 'free' }), { executor: ['codex'] })).status).toBe(201);
  });
});

boxed(
  'a gate outside of the sandbox is not run by whoever is held to it, over a commit of its choice [RUN-16] [API-07]',
  async () => {
    await using place = await serverHouse({ PATH: boxPath(process.env['PATH']) });
    await place.house.call('project.add', { path: place.directory, name: 'shop', plain: true });
    const open = await place.house.call('task.create', { project: 'shop', prompt: 'free for anybody' });
    const token = await place.tokenFor('worker', { name: 'w' });
    const ask = (verb: string, body: object) => place.ask(`/v1/tasks/${open.id}/${verb}`, { method: 'POST', token, body });
    expect((await ask('claim', {})).status).toBe(200);
    await place.house.call('config.set', { assignments: ['bounds_role.worker.sandbox=required'] });
    const refused = { status: 403, text: expect.stringContaining('role worker allow nothing without the sandbox') };
    expect(await ask('complete', { changes: false })).toMatchObject(refused);
    expect((await ask('unclaim', {})).status).toBe(200);
    expect(await ask('claim', {})).toMatchObject(refused);
  },
);

describe('a task of `scripted` in the store of a fleet that has it switched off', () => {
  it('is not started, and no command of anybody switches it on for itself', async () => {
    await using house = await cliHouse();
    const marker = join(house.directory, 'PWNED');
    const isThere = () =>
      access(marker).then(
        () => true,
        () => false,
      );
    // While it was on, somebody left a task.
    const words = [
      'task',
      'create',
      '--directory',
      house.directory,
      '--executor',
      'scripted',
      '--prompt',
      shell(marker),
      '--json',
    ];
    const { id } = (await house.ok(words)).json<{ id: string }>();
    house.start(['up'], { FLEET_SCRIPTED: '' });
    const where = await whereIs(house);
    const off = { env: { FLEET_SCRIPTED: '' } };
    const show = async () => (await house.ok(['task', 'show', id], off)).out;
    await vi.waitFor(async () => expect(await show()).toContain('switched off here'), { interval: 300 });
    const token = await tokenFor(where, 'worker of web', 'worker');
    const asWorker = { FLEET_HOME: join(house.directory, 'elsewhere'), FLEET_URL: where.url, FLEET_TOKEN: token };
    const typed = ['task', 'create', '--project', 'shop', '--executor', 'scripted', '--prompt', 'x'];
    for (const env of [{ ...asWorker, FLEET_SCRIPTED: 'true' }, { FLEET_SCRIPTED: 'true' }])
      expect(await house.fleet(typed, { env })).toMatchObject({ code: 4, err: expect.stringContaining('FLEET_SCRIPTED') });
    expect((await house.fleet(['config', 'set', 'scripted=true'], { env: { ...asWorker, FLEET_SCRIPTED: '' } })).code).toBe(5);
    expect((await house.ok(['executor', 'list'], off)).out).toContain('fleet config set scripted=true');
    expect(await isThere()).toBe(false);
    await house.ok(['config', 'set', 'scripted=true'], off);
    await vi.waitFor(async () => expect(await isThere()).toBe(true), { interval: 300 });
    await house.ok(['task', 'wait', id], off);
  });
});
