import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExecutorView } from '../contract/executor.ts';
import { processIo } from '../surfaces/cli/process-io.ts';
import type { Finding } from '../surfaces/cli/views/executor/doctor.ts';
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

async function examine({ path = folder, home = 'home', more = {} }: { path?: string; home?: string; more?: object } = {}) {
  let out = '';
  const env = { PATH: path, HOME: folder, FLEET_HOME: join(folder, home), ANTHROPIC_API_KEY: 'sk-none', ...more };
  const io = { ...processIo(), out: (text: string) => void (out += text), isTty: false, env, columns: 80, colour: false };
  const code = await doctor(['--json'], io);
  const { ok, items, executors } = JSON.parse(out) as { ok: boolean; items: Finding[]; executors: ExecutorView[] };
  out = '';
  await doctor([], io);
  const byName = <Thing extends { name: string }>(things: Thing[]) =>
    Object.fromEntries(things.map((thing) => [thing.name, thing]));
  return { code, ok, text: out, found: byName(items), executor: byName(executors) };
}

describe('fleet doctor', () => {
  it('lists what is there and gives one command for what is not [EXEC-05]', async () => {
    const { code, ok, found, text } = await examine();
    expect({ code, ok }).toEqual({ code: 0, ok: true });
    expect(found['git']).toMatchObject({ state: 'ok', version: '9.8.7', path: join(folder, 'git') });
    for (const name of ['node', 'git', 'tmux', 'gh', 'bd', 'python3', 'context-mode', 'bwrap'])
      expect(found[name], name).toMatchObject({
        state: expect.stringMatching(/ok|off/),
        ...(name === 'git' || name === 'node' ? {} : { repair: expect.any(String) }),
      });
    expect(found['home']).toMatchObject({ state: 'off', repair: 'fleet init' });
    expect(found['engine']).toMatchObject({ state: 'off', repair: 'fleet up --background' });
    expect(text).toContain('npm install -g @beads/bd');
  });

  it('makes nothing: a home that is not there stays away', async () => {
    await examine({ home: 'untouched' });
    await expect(mkdir(join(folder, 'untouched'))).resolves.toBeUndefined();
  });

  it('has one line for each executor: its program, versions, whether it is signed in, what it can, and how to repair it [EXEC-05]', async () => {
    const executors = join(folder, 'added', 'executors');
    await mkdir(executors, { recursive: true, mode: 0o700 });
    const add = (file: string, text: string) => writeFile(join(executors, file), text, { mode: 0o600 });
    await add('onpath.toml', 'command = ["claude", "{prompt}"]\nversion = ["--version"]\n');
    await add('missing.toml', 'command = ["no-such-agent", "{prompt}"]\n');
    await add('bad.toml', 'comand = ["claude"]\n');
    await add('torn.mjs', 'export default {');
    await writeFile(join(folder, 'slow'), '#!/bin/sh\nexec /bin/sleep 600\n', { mode: 0o755 });
    await add('slow.toml', 'command = ["slow", "{prompt}"]\n');
    const { code, executor, text } = await examine({ home: 'added' });
    expect(code).toBe(0);
    expect(executor['scripted']).toMatchObject({ state: 'off', origin: 'built_in', repair: 'fleet config set scripted=true' });
    expect(executor['onpath']).toMatchObject({
      state: 'ready',
      origin: 'file',
      program: { command: 'claude', found: true, version: '9.8.7', path: join(folder, 'claude') },
    });
    expect(executor['slow'], 'a program that does not tell its version can be used').toMatchObject({
      state: 'ready',
      program: { found: true },
    });
    expect(executor['missing']).toMatchObject({
      state: 'missing',
      problem: 'its program no-such-agent was not found',
      repair: `install no-such-agent, or edit ${join(executors, 'missing.toml')}`,
    });
    expect(executor['bad']).toMatchObject({ state: 'broken', problem: expect.stringContaining('comand') });
    expect(executor['torn']).toMatchObject({
      state: 'broken',
      origin: 'module',
      problem: expect.stringContaining('SyntaxError'),
    });
    for (const name of ['scripted', 'onpath', 'missing', 'bad', 'torn', 'slow'])
      expect(
        text
          .split('\n')
          .filter((line) => line.startsWith('✓') || /^[–✗] /.test(line))
          .some((line) => line.includes(name)),
      ).toBe(true);
    for (const line of text.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
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

  it('fails when no agent is ready, when git is too old, and when nobody knows the default executor [EXEC-05]', async () => {
    const signedOut = await examine({ more: { ANTHROPIC_API_KEY: '' } });
    expect(signedOut).toMatchObject({ code: 7, ok: false, found: { agents: { state: 'broken', repair: expect.any(String) } } });
    expect(signedOut.text).toContain('no agent program is ready');
    expect((await examine()).found['agents']).toMatchObject({ state: 'ok', detail: 'claude ready' });
    await mkdir(join(folder, 'old'));
    await writeFile(join(folder, 'old', 'git'), '#!/bin/sh\necho git version 2.37.9\n', { mode: 0o755 });
    const old = await examine({ path: `${join(folder, 'old')}:${folder}` });
    expect(old).toMatchObject({
      code: 7,
      found: { git: { state: 'broken', version: '2.37.9', detail: 'Fleet needs git 2.38 or newer' } },
    });
    const unknown = await examine({ more: { FLEET_EXECUTOR: 'bogus' } });
    expect(unknown).toMatchObject({
      code: 7,
      found: { executor: { state: 'broken', repair: 'fleet config set executor=claude' } },
    });
    expect(unknown.found['executor']?.detail).toContain('"bogus" is unknown: known are claude, codex');
  });

  it('knows which Node is old', () => {
    expect(nodeFinding('20.18.9').state).toBe('broken');
    for (const version of ['20.19.0', '22.0.0', '24.1.0-rc.1']) expect(nodeFinding(version).state).toBe('ok');
  });
});
