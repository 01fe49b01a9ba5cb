import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { type CliHouse, cliHouse } from '../../../test/support/cli-house.ts';

const node = (source: string): string[] => [process.execPath, '--input-type=module', '-e', source];

const ASK = `
const body = { model: 'm', messages: [{ role: 'user', content: 'Go.' }], tools: [{ name: 'Bash', input_schema: {} }] };
const answer = await fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages', { method: 'POST', body: JSON.stringify(body) });
const { content } = await answer.json();`;

describe('fleet simulate SCENARIO -- COMMAND', () => {
  it('runs the command with a model that plays, passes its exit code on and ends with it', async () => {
    await using house = await cliHouse();
    const told = `${ASK} console.log(JSON.stringify({ said: content[0].text, url: process.env.ANTHROPIC_BASE_URL })); process.exit(7);`;
    const { code, out, err } = await house.fleet(['simulate', 'hello', '--', ...node(told)]);
    expect(err).toBe('');
    expect(code).toBe(7);
    const { said, url } = JSON.parse(out) as { said: string; url: string };
    expect(said).toBe('Hello from a simulated model.');
    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });

  it('keeps the command away from the fleet, the keys and the proxies of the user', async () => {
    await using house = await cliHouse();
    const env = {
      FLEET_URL: 'http://example.invalid',
      ANTHROPIC_AUTH_TOKEN: 'mine',
      CLAUDE_CODE_OAUTH_TOKEN: 'mine',
      GOOGLE_API_KEY: 'mine',
      OPENAI_API_KEY: 'mine',
      NO_PROXY: 'example.invalid',
      MINE: 'yes',
    };
    const seen = async (scenario: string) => {
      const command = node('console.log(JSON.stringify(process.env))');
      return (await house.fleet(['simulate', scenario, '--', ...command], { env })).json<Record<string, string>>();
    };
    const found = await seen('happy');
    expect(found).toMatchObject({
      MINE: 'yes',
      OPENAI_API_KEY: 'sk-simulated-by-fleet',
      NO_PROXY: 'example.invalid,127.0.0.1,localhost',
    });
    expect(found['FLEET_HOME']).toBe(`${house.home}-rehearsal`);
    expect(Object.values(found)).not.toContain('mine');
    expect(found).not.toHaveProperty('FLEET_URL');
    const subscribed = await seen('quota-spent');
    expect(subscribed).toMatchObject({ CLAUDE_CODE_OAUTH_TOKEN: 'sk-simulated-by-fleet' });
    expect(subscribed).not.toHaveProperty('ANTHROPIC_API_KEY');
  });

  it('plays a scenario of the user, and hands signals on', async () => {
    await using house = await cliHouse();
    await writeFile(join(house.directory, 'mine.txt'), 'say Mine.\n');
    const stays = `${ASK} console.log(content[0].text); setInterval(() => {}, 1000);`;
    const child = house.start(['simulate', 'mine.txt', '--', ...node(stays)]);
    expect(await line(child)).toBe('Mine.');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([143, null]);
  });
});

describe('fleet simulate SCENARIO', () => {
  it('says where its model is, and plays until it is stopped', async () => {
    await using house = await cliHouse();
    const child = house.start(['simulate', 'gate', '--json']);
    const { url, requests, release } = JSON.parse(await line(child)) as Record<'url' | 'requests' | 'release', string>;
    const body = JSON.stringify({
      model: 'm',
      input: 'Go.',
      tools: [{ type: 'function', name: 'exec_command', parameters: {} }],
    });
    const answer = fetch(`${url}/v1/responses`, { method: 'POST', body });
    await vi.waitFor(async () => expect(await (await fetch(requests)).json()).toMatchObject({ requests: [{}] }), 10_000);
    await fetch(release, { method: 'POST' });
    expect(await (await answer).json()).toMatchObject({ output: [{ type: 'function_call', name: 'exec_command' }] });
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('prints what to set for each agent', async () => {
    await using house = await cliHouse();
    const child = house.start(['simulate', 'hello']);
    expect(await line(child)).toMatch(/^A model plays hello at http:\/\/127\.0\.0\.1:\d+\/s\/hello\/[0-9a-f]{8} until Ctrl-C\.$/);
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('lists the scenarios that everybody has', async () => {
    await using house = await cliHouse();
    const { scenarios } = (await house.ok(['simulate', '--list', '--json'])).json<{
      scenarios: { name: string; about: string }[];
    }>();
    expect(scenarios.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['happy', 'rate-limit', 'hang', 'context-full', 'loop']),
    );
    expect(scenarios.filter(({ about }) => about === '')).toEqual([]);
    expect((await house.ok(['simulate', '--list'])).out).toContain('rate-limit ');
  });

  it.each([
    { args: [], code: 2, says: 'the name of a scenario is expected' },
    { args: ['hapy'], code: 3, says: 'did you mean happy?' },
    { args: ['happy', '--port', 'x'], code: 2, says: '--port: seen "x", expected a number up to 65535' },
    { args: ['happy', '--'], code: 2, says: 'after -- a command is expected' },
    { args: ['happy', '--', './nosuch'], code: 3, says: './nosuch cannot be started: there is no such program' },
    { args: ['bad.txt'], code: 2, says: 'bad.txt: line 2: seen "wrte", expected one of say' },
  ])('refuses $args', async ({ args, code, says }) => {
    await using house = await cliHouse();
    await writeFile(join(house.directory, 'bad.txt'), 'say hi\nwrte a b\n');
    const answer = await house.fleet(['simulate', ...args]);
    expect(answer).toMatchObject({ code, err: expect.stringContaining(says) as string });
  });
});

async function line(child: ReturnType<CliHouse['start']>): Promise<string> {
  let text = '';
  for await (const part of child.stdout ?? []) {
    text += String(part);
    const end = text.indexOf('\n');
    if (end !== -1) return text.slice(0, end);
  }
  throw new Error(`it ended after ${JSON.stringify(text)}`);
}
