import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { processIo } from '../surfaces/cli/process-io.ts';
import type { Finding } from '../surfaces/cli/views/doctor.ts';
import { doctor, nodeFinding } from './doctor.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fleet-doctor-'));
  for (const name of ['git', 'claude']) {
    await writeFile(join(folder, name), '#!/bin/sh\necho 9.8.7\n');
    await chmod(join(folder, name), 0o755);
  }
  await mkdir(join(folder, 'bare'));
  await symlink('/bin/sh', join(folder, 'bare', 'sh'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function examine({ path = folder, home = 'home' } = {}) {
  let out = '';
  const env = { PATH: path, HOME: folder, FLEET_HOME: join(folder, home) };
  const io = { ...processIo(), out: (text: string) => void (out += text), isTty: false, env, columns: 100, colour: false };
  const code = await doctor(['--json'], io);
  const { ok, items } = JSON.parse(out) as { ok: boolean; items: Finding[] };
  out = '';
  await doctor([], io);
  return { code, ok, text: out, found: Object.fromEntries(items.map((item) => [item.name, item])) };
}

describe('fleet doctor', () => {
  it('lists what is there and gives one command for what is not', async () => {
    const { code, ok, found, text } = await examine();
    expect({ code, ok }).toEqual({ code: 0, ok: true });
    expect(found['git']).toMatchObject({ state: 'ok', version: '9.8.7', path: join(folder, 'git') });
    expect(found['codex']).toMatchObject({ state: 'off', repair: 'npm install -g @openai/codex' });
    expect(found['home']).toMatchObject({ state: 'off', repair: 'fleet init' });
    expect(found['engine']).toMatchObject({ state: 'off', repair: 'fleet up --background' });
    expect(text).toContain('✓  claude');
    expect(text).toContain('npm install -g @openai/codex');
  });

  it('makes nothing: a home that is not there stays away', async () => {
    await examine({ home: 'untouched' });
    await expect(mkdir(join(folder, 'untouched'))).resolves.toBeUndefined();
  });

  it('lists executors that were added as files: whether each can be read, and whether its program is there', async () => {
    const executors = join(folder, 'added', 'executors');
    await mkdir(executors, { recursive: true });
    const add = (name: string, text: string) => writeFile(join(executors, `${name}.toml`), text);
    await add('onpath', 'command = ["claude", "{prompt}"]\n');
    await add('bypath', `command = ["${join(folder, 'claude')}", "{prompt}"]\n`);
    await add('shell', 'command = ["/bin/sh", "{prompt_file}"]\n');
    await add('missing', 'command = ["no-such-agent", "{prompt}"]\n');
    await add('bad', 'comand = ["claude"]\n');
    await writeFile(join(folder, 'slow'), '#!/bin/sh\nexec /bin/sleep 600\n', { mode: 0o755 });
    await add('slow', 'command = ["slow", "{prompt}"]\n');
    const { code, found, text } = await examine({ home: 'added' });
    expect(code).toBe(0);
    expect(found['executor onpath']).toMatchObject({ state: 'ok', version: '9.8.7', path: join(folder, 'claude') });
    expect(found['executor bypath']).toMatchObject({ state: 'ok', version: '9.8.7', path: join(folder, 'claude') });
    expect(found['executor shell']).toMatchObject({ state: 'ok', path: '/bin/sh' });
    expect(found['executor slow']).toEqual({ name: 'executor slow', needed: false, state: 'ok', path: join(folder, 'slow') });
    expect(found['executor missing']).toMatchObject({
      state: 'broken',
      detail: 'its program no-such-agent was not found',
      repair: `edit ${join(executors, 'missing.toml')}`,
    });
    expect(found['executor bad']).toMatchObject({ state: 'broken', detail: expect.stringContaining('comand') });
    expect(text).toContain('executor missing');
  });

  it('fails when something Fleet needs is missing or damaged, and only then', async () => {
    const bare = await examine({ path: join(folder, 'bare') });
    expect(bare).toMatchObject({ code: 7, ok: false, found: { git: { state: 'broken' } } });
    await mkdir(join(folder, 'damaged'));
    await writeFile(join(folder, 'damaged', 'fleet.db'), 'this is no database, and never was one'.repeat(200));
    await writeFile(join(folder, 'damaged', 'runtime.toml'), 'max_concurrent = "many"\n');
    const damaged = await examine({ home: 'damaged' });
    expect(damaged).toMatchObject({ code: 7, found: { database: { state: 'broken' }, settings: { state: 'broken' } } });
    expect(damaged.text).toContain('Fleet cannot work like this');
  });

  it('knows which Node is old', () => {
    expect(nodeFinding('20.18.9').state).toBe('broken');
    for (const version of ['20.19.0', '22.0.0', '24.1.0-rc.1']) expect(nodeFinding(version).state).toBe('ok');
  });
});
