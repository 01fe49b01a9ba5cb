import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type FaultHouse, faultHouse, type RunJson } from '../fixtures/fault-house.ts';

/** What the person who starts Fleet has in the environment. */
const YOURS = {
  ANTHROPIC_API_KEY: 'key-of-one-provider',
  OPENAI_API_KEY: 'key-of-another',
  OPENAI_BASE_URL: 'http://127.0.0.1:9/v1',
  DATABASE_URL: 'postgres://app@db/app',
  GITHUB_TOKEN: 'token-of-your-work',
  HTTPS_PROXY: 'http://127.0.0.1:9',
  NODE_EXTRA_CA_CERTS: '/etc/ssl/certs/ours.pem',
  CLAUDECODE: '1',
  FLEET_TOKEN: 'opens-the-fleet',
};
const NET = ['HTTPS_PROXY', 'NODE_EXTRA_CA_CERTS'];
const OPENAI = ['OPENAI_API_KEY', 'OPENAI_BASE_URL'];
/** Names only: values would be redacted. */
const NAMES = `env | grep -oE '^(${Object.keys(YOURS).join('|')})=' | tr -d = | sort`;

async function houseWith(settings: readonly string[]): Promise<FaultHouse> {
  const house = await faultHouse(settings);
  const plain = 'command = ["/bin/sh", "{prompt_file}"]\n';
  await writeFile(join(house.home, 'executors', 'egret.toml'), `${plain}env_allow = ["OPENAI_*"]\n`);
  return house;
}

async function seenBy(house: FaultHouse, executor: string): Promise<string[]> {
  const id = await house.create(`${NAMES}\nexit 0`, '--executor', executor);
  await house.settled([id]);
  return (await house.said(id)).trim().split('\n');
}

async function startWith(house: FaultHouse): Promise<void> {
  const env: Record<string, string> = house.env;
  Object.assign(env, YOURS);
  await house.up();
  for (const name of Object.keys(YOURS)) delete env[name];
}

describe('the environment of a run', () => {
  it("has the user's own, and a provider's keys and addresses only where its executor names them [T20]", async () => {
    await using house = await houseWith([]);
    await startWith(house);
    const [egret, other] = await Promise.all([seenBy(house, 'egret'), seenBy(house, 'shell')]);
    expect(egret).toEqual([...NET, ...OPENAI, 'DATABASE_URL', 'GITHUB_TOKEN'].toSorted());
    expect(other).toEqual([...NET, 'DATABASE_URL', 'GITHUB_TOKEN'].toSorted());
  });

  it('in strict mode has nothing but what is needed and what was allowed [T20]', async () => {
    await using house = await houseWith(['env=strict', 'env_allow=DATABASE_URL']);
    await startWith(house);
    const [egret, other] = await Promise.all([seenBy(house, 'egret'), seenBy(house, 'shell')]);
    expect(egret).toEqual([...NET, ...OPENAI, 'DATABASE_URL'].toSorted());
    expect(other).toEqual([...NET, 'DATABASE_URL'].toSorted());
  });

  it('of a set-up or a gate has no key of any provider, whatever the agent of its task has [T20]', async () => {
    await using house = await houseWith([]);
    const path = await house.repository();
    await house.ok(['project', 'add', path, '--name', 'shop', '--setup', NAMES, '--verify', `${NAMES}; true`]);
    await startWith(house);
    const made = await house.ok([
      ...['task', 'create', '--project', 'shop', '--executor', 'egret', '--integration', 'auto', '--json'],
      ...['--prompt', `${NAMES}\necho more >> README\ngit commit -qam more\nexit 0`],
    ]);
    const { id } = made.json<{ id: string }>();
    await house.settled([id]);
    expect(await house.task(id)).toMatchObject({ phase: { state: 'done' } });
    const runs = (await house.runs(id)) as readonly (RunJson & { readonly kind: string })[];
    const seenIn = async (kind: string) => {
      const run = runs.find((one) => one.kind === kind);
      return (await house.ok(['run', 'log', run?.id ?? ''])).out.trim().split('\n');
    };
    const harmless = [...NET, 'DATABASE_URL', 'GITHUB_TOKEN'];
    expect(await seenIn('agent')).toEqual([...harmless, ...OPENAI].toSorted());
    for (const kind of ['setup', 'gate']) expect(await seenIn(kind), kind).toEqual(harmless.toSorted());
  });
});
