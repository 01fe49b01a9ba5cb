import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { root } from '../../tools/paths.mjs';
import { type CliHouse, cliHouse } from '../support/cli-house.ts';

const run = promisify(execFile);
const WAIT = { timeout: 60_000, interval: 50 };

interface Live {
  readonly url: string;
  readonly pid: number;
}

/** An engine with its server, and where it is. */
async function up(house: CliHouse) {
  const child = house.start(['up', '--json']);
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => void (said += text));
  await vi.waitFor(() => expect(said).toContain('http.listening'), WAIT);
  const live = JSON.parse(await readFile(join(house.home, 'up.json'), 'utf8')) as Live;
  const token = (await readFile(join(house.home, 'admin.token'), 'utf8')).trim();
  return { child, said: () => said, ...live, token };
}

async function stopped(child: { kill(signal: NodeJS.Signals): boolean } & NodeJS.EventEmitter, signal: NodeJS.Signals) {
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}

describe('a server', () => {
  it('is what the command line speaks to, here and from elsewhere, and its refusals read the same', async () => {
    await using house = await cliHouse();
    const work = join(house.directory, 'work');
    await mkdir(work);
    const fleet = await up(house);
    const made = (await house.ok(['task', 'create', '--prompt', 'x', '--directory', work, '--draft', '--json'])).json<{
      id: string;
      createdBy: string;
    }>();
    expect(made.createdBy).toBe('you');
    const named = await house.ok(['task', 'create', '--prompt', 'y', '--directory', work, '--draft', '--json'], {
      env: { FLEET_PERSON: 'ada' },
    });
    expect(named.json<{ createdBy: string }>().createdBy).toBe('ada');
    const token = (await house.ok(['token', 'create', 'eve', '--role', 'monitor'])).out.trim().split('\n').at(-1) ?? '';
    const away = { FLEET_HOME: join(house.directory, 'nowhere'), FLEET_URL: fleet.url, FLEET_TOKEN: token };
    expect((await house.ok(['task', 'list', '--json'], { env: away })).json<{ items: unknown[] }>().items).toHaveLength(2);
    const codes = async (args: string[], env: Record<string, string>) => (await house.fleet(args, { env })).code;
    expect(await codes(['task', 'cancel', made.id], away)).toBe(5);
    expect(await codes(['task', 'show', 'zzzz'], away)).toBe(3);
    expect(await codes(['task', 'list'], { ...away, FLEET_TOKEN: 'nonsense' })).toBe(8);
    expect(await codes(['task', 'list'], { ...away, FLEET_TOKEN: '' })).toBe(8);
    expect(await codes(['task', 'list'], { ...away, FLEET_URL: 'http://127.0.0.1:1' })).toBe(7);
    expect(await codes(['task', 'list'], { ...away, FLEET_URL: 'http://fleet.example.org' })).toBe(2);
    expect(await codes(['task', 'list'], { ...away, FLEET_URL: 'nonsense' })).toBe(2);
    const link = (await house.ok(['login', '--json'])).json<{ url: string }>().url;
    expect(link).toMatch(new RegExp(`^${fleet.url}/login#`));
    // Killed without a word: what it left says where it was, and nobody is there.
    await stopped(fleet.child, 'SIGKILL');
    expect((await house.ok(['task', 'list', '--json'])).json<{ items: unknown[] }>().items).toHaveLength(2);
    expect((await house.fleet(['login'])).code).toBe(7);
  });

  it('does not start where its port is taken, and says what to do', async () => {
    await using house = await cliHouse();
    await using other = await cliHouse();
    const first = await up(house);
    const { port } = new URL(first.url);
    const refused = await other.fleet(['up', '--port', port]);
    expect(refused.code).toBe(7);
    expect(refused.err).toContain(`port ${port} is in use`);
    expect(refused.err).toContain('--port');
    const second = other.start(['up', '--port', port, '--port-optional', '--json']);
    let said = '';
    second.stderr?.setEncoding('utf8').on('data', (text: string) => void (said += text));
    await vi.waitFor(() => expect(said).toContain('http.listening'), WAIT);
    expect(said).toContain('http.no_port');
    expect((await other.ok(['status', '--json'])).out).toContain('"running":true');
    expect((await house.fleet(['up', '--port', 'x'])).code).toBe(2);
    expect((await house.fleet(['up', '--port', '70000'])).code).toBe(2);
  });

  it('loses nothing it has accepted when it is killed again and again, and makes nothing twice [R11]', async () => {
    await using house = await cliHouse();
    const work = join(house.directory, 'work');
    await mkdir(work);
    const acknowledged = new Map<string, string>();
    let live = await up(house);
    let order = 0;
    const post = async () => {
      order += 1;
      const key = `order-${order}`;
      // Whoever hears nothing asks again with the same key, until it is answered.
      await vi.waitFor(
        async () => {
          const answer = await fetch(`${live.url}/v1/tasks`, {
            method: 'POST',
            headers: { authorization: `Bearer ${live.token}`, 'content-type': 'application/json', 'idempotency-key': key },
            body: JSON.stringify({ prompt: key, directory: work, draft: true }),
          });
          expect(answer.status).toBe(201);
          acknowledged.set(key, ((await answer.json()) as { id: string }).id);
        },
        { timeout: 60_000, interval: 20 },
      );
    };
    for (let kill = 0; kill < 3; kill += 1) {
      const posting = Promise.all(Array.from({ length: 30 }, post));
      await vi.waitFor(() => expect(acknowledged.size).toBeGreaterThan(kill * 30 + 3), WAIT);
      await stopped(live.child, 'SIGKILL');
      live = await up(house);
      await posting;
    }
    const { items } = (await house.ok(['task', 'list', '--limit', '500', '--json'])).json<{
      items: { id: string; prompt: string }[];
    }>();
    expect(items).toHaveLength(90);
    expect(new Map(items.map(({ id, prompt }) => [prompt, id]))).toEqual(acknowledged);
    await stopped(live.child, 'SIGTERM');
  });

  it('answers every command of its guide [API-03]', async () => {
    await using house = await cliHouse();
    const work = join(house.directory, 'work');
    await mkdir(work);
    const bin = join(house.directory, 'bin');
    await mkdir(bin);
    await writeFile(join(bin, 'fleet'), `#!/bin/sh\nexec "${process.execPath}" "${join(root, 'dist', 'fleet.mjs')}" "$@"\n`, {
      mode: 0o755,
    });
    const fleet = await up(house);
    const guide = readFileSync(join(root, 'docs/guide/api.md'), 'utf8');
    const blocks = [...guide.matchAll(/^```sh\n(.*?)^```/gms)].map((match) => match[1] ?? '');
    expect(blocks.length).toBeGreaterThanOrEqual(5);
    const { stdout } = await run('bash', ['-c', ['set -euo pipefail', ...blocks].join('\n')], {
      cwd: work,
      env: { ...house.env, PATH: `${bin}:${house.env['PATH']}` },
    });
    expect(stdout).toContain('Say hello in hello.txt');
    expect(stdout).toContain('"priority":1');
    expect(stdout).toMatch(/}409\n/);
    expect(fleet.said()).not.toContain(fleet.token);
  });
});
