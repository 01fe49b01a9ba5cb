import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { type CliHouse, cliHouse } from '../support/cli-house.ts';
import { overStdio, whereIs } from '../support/mcp-house.ts';
import { workHouse } from '../support/work-house.ts';

interface Shown {
  readonly items: readonly { readonly name: string; readonly value: unknown; readonly origin: string }[];
  readonly by: string;
  readonly notInForce: readonly { readonly name: string }[];
  readonly problem?: string;
}

const shown = async (house: Pick<CliHouse, 'ok'>, env: Record<string, string> = {}) =>
  (await house.ok(['config', 'show', '--json'], { env })).json<Shown>();
const settingOf = ({ items }: Shown, name: string) => items.find((item) => item.name === name);
const create = ['task', 'create', '--project', 'shop', '--prompt', 'x', '--draft', '--json'];

describe('settings in the environment of a command, while an engine runs', () => {
  it('narrow what the command may reach, and are defaults of what it creates [TASK-01] [CONF-01]', async () => {
    await using house = await workHouse();
    const other = await house.repository('other');
    const narrow = { FLEET_ALLOWED_REPOS: join(house.directory, 'elsewhere') };
    const refused = await house.fleet(['project', 'add', other], { env: narrow });
    expect(refused).toMatchObject({ code: 5, err: expect.stringContaining('outside the directories that are allowed') });
    expect((await house.fleet(create, { env: narrow })).err).toContain('outside the directories that are allowed');
    const here = { env: { FLEET_ALLOWED_REPOS: '.' }, cwd: house.directory };
    expect((await house.fleet(['project', 'add', other], here)).code).toBe(0);
    expect(settingOf(await shown(house, narrow), 'allowed_repos')).toMatchObject({
      value: [narrow.FLEET_ALLOWED_REPOS],
      origin: 'environment',
    });
    expect(settingOf(await shown(house), 'allowed_repos')).toMatchObject({ value: [], origin: 'default' });
    const env = { FLEET_EXECUTOR: 'codex', FLEET_MODEL: 'some model', FLEET_INTEGRATION: 'none', FLEET_MAX_ATTEMPTS: '7' };
    expect((await house.ok(create, { env: { ...env, FLEET_FAILOVER: 'next' } })).json()).toMatchObject({
      executors: ['codex'],
      model: 'some model',
      integration: 'none',
      maxAttempts: 7,
      failover: 'next',
    });
    // What the command itself says comes before its environment.
    expect((await house.ok([...create, '--executor', 'scripted'], { env })).json()).toMatchObject({ executors: ['scripted'] });
    expect((await house.fleet(create, { env: { FLEET_EXECUTOR: 'bogus' } })).err).toContain('known are claude');
  });

  it('are refused with the reason where only the engine could go by them; config show and status tell the truth', async () => {
    await using house = await workHouse();
    const env = { FLEET_MAX_CONCURRENT: '9' };
    const refused = await house.fleet(create, { env });
    expect(refused.code).toBe(4);
    expect(refused.err).toContain('FLEET_MAX_CONCURRENT is 9 for this command, but the running engine goes by');
    expect(refused.err).toContain('fleet config set max_concurrent=');
    const told = await shown(house, env);
    expect(told).toMatchObject({ by: 'engine', notInForce: [{ name: 'max_concurrent' }] });
    expect(settingOf(told, 'max_concurrent')?.value).not.toBe(9);
    expect((await house.ok(['status', '--json'], { env })).json<{ problems: string[] }>().problems.join()).toContain(
      'FLEET_MAX_CONCURRENT=9 of this command is not in force',
    );
    // Whoever sets it in the file has it, and the same in the environment is then no contradiction.
    expect((await house.ok(['config', 'set', 'max_concurrent=9', '--json'], { env })).json<Shown>().items).toMatchObject([
      { value: 9, origin: 'file' },
    ]);
    expect((await house.fleet(create, { env })).code).toBe(0);
  });

  it('hold for `fleet mcp` in the same way, and for whoever sends them over HTTP', async () => {
    await using house = await workHouse();
    const given = { executor: 'codex' };
    await using agent = await overStdio({ ...house, env: { ...house.env, FLEET_EXECUTOR: 'codex' } }, 'auto');
    const made = await agent.call('task_create', { project: 'shop', prompt: 'x', draft: true });
    expect(JSON.stringify(made)).toContain('codex');
    await using wrong = await overStdio({ ...house, env: { ...house.env, FLEET_MAX_GATES: '77' } }, 'auto');
    await expect(wrong.call('task_create', { project: 'shop', prompt: 'x', draft: true })).rejects.toThrow('FLEET_MAX_GATES');
    const { url, token } = await whereIs(house);
    const post = (settings: object) =>
      fetch(new URL('/v1/tasks', url), {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'fleet-settings': encodeURIComponent(JSON.stringify(settings)),
        },
        body: JSON.stringify({ project: 'shop', prompt: 'x', draft: true }),
      });
    expect(await (await post(given)).json()).toMatchObject({ executors: ['codex'] });
    expect(await (await post({ port: '1' })).json()).toMatchObject({
      status: 409,
      detail: expect.stringContaining('FLEET_PORT'),
    });
    expect((await post({ nonsense: 'x' })).status).toBe(400);
  });
});

describe('an executor in the settings', () => {
  const bad = 'no executor "bogus": known are claude, codex';

  it('must be known, whoever sets it and however [CONF-01]', async () => {
    await using house = await workHouse();
    for (const assignment of [
      'executor=bogus',
      'limit_executor.bogus=2',
      'limit_executor=bogus=2',
      'limit_account.bogus/work=1',
    ]) {
      const answer = await house.fleet(['config', 'set', 'max_gates=3', assignment]);
      expect(answer).toMatchObject({ code: 2, err: expect.stringContaining(bad) });
    }
    expect((await house.fleet(['config', 'set', 'executor=claude/nobody'])).err).toContain('claude has no account "nobody"');
    expect(settingOf(await shown(house), 'max_gates')).toMatchObject({ origin: 'default' });
    await using agent = await overStdio(house, 'auto', '--toolset', 'admin');
    await expect(agent.call('config_set', { assignments: ['executor=bogus'] })).rejects.toThrow('known are claude');
    const { url, token } = await whereIs(house);
    const answer = await fetch(new URL('/v1/config', url), {
      method: 'PATCH',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ assignments: ['executor=bogus'] }),
    });
    expect(await answer.text()).toContain('known are claude');
    expect((await house.fleet(['status'], { env: { FLEET_EXECUTOR: 'bogus' } })).code).toBe(0);
    await house.ok(['up', '--stop']);
    expect(await house.fleet(['up', '--background'], { env: { FLEET_EXECUTOR: 'bogus' } })).toMatchObject({
      code: 7,
      err: expect.stringContaining(`FLEET_EXECUTOR: ${bad}`),
    });
    await writeFile(join(house.home, 'executors', 'bogus.toml'), 'command = ["bogus"]\n');
    await house.ok(['config', 'set', 'executor=bogus']);
    await house.ok(['up', '--background'], { env: { FLEET_EXECUTOR: 'bogus' } });
    await house.ok(['up', '--stop']);
  });

  it('keeps the last good value in force, and is told, when somebody writes an unknown one into the file [CONF-01]', async () => {
    await using house = await workHouse();
    await house.ok(['config', 'set', 'executor=codex']);
    const file = join(house.home, 'runtime.toml');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace('codex', 'bogus'));
    await vi.waitFor(async () => expect((await shown(house)).problem).toContain(bad), { timeout: 30_000, interval: 200 });
    expect((await shown(house)).problem).toMatch(/runtime\.toml line \d+: executor: .*; the last good settings stay in force/);
    expect(settingOf(await shown(house), 'executor')).toMatchObject({ value: 'codex', origin: 'file' });
  });
});

describe('without an engine', () => {
  it('the environment of a command holds for it, and is refused when it cannot', async () => {
    await using house = await cliHouse();
    await shown(house);
    expect(await readdir(house.home).catch(() => []), 'looking makes nothing').not.toContain('fleet.db');
    await house.ok(['init']);
    const place = join(house.directory, 'place');
    await mkdir(place);
    const made = ['task', 'create', '--directory', place, '--prompt', 'x', '--draft', '--json'];
    expect((await house.ok(made, { env: { FLEET_EXECUTOR: 'codex' } })).json()).toMatchObject({ executors: ['codex'] });
    expect((await house.fleet(made, { env: { FLEET_EXECUTOR: 'bogus' } })).err).toContain('known are claude');
    expect(await shown(house)).toMatchObject({ by: 'command', notInForce: [] });
  });
});
