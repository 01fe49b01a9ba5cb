import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SETTINGS, type Settings } from '../domain/settings.ts';
import { executorRegistry } from './executor-registry.ts';
import { homePaths, initHome } from './home.ts';

let home = '';
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'fleet-shelf-'));
});
afterAll(() => rm(home, { recursive: true, force: true }));

it('says of one executor what it says of all: whether it can be started now', async () => {
  const env = { FLEET_HOME: home, PATH: join(home, 'bin') };
  const paths = homePaths(env, '/');
  await initHome(paths);
  const write = (name: string, command: string) =>
    writeFile(join(paths.executors, `${name}.toml`), `command = ["${command}", "{prompt}"]\noutput = "text"\n`);
  await mkdir(env.PATH);
  await writeFile(join(env.PATH, 'some-program'), '#!/bin/sh\n', { mode: 0o755 });
  await write('here', 'some-program');
  await write('gone', 'no-such-program');
  await writeFile(join(paths.executors, 'broken.toml'), 'command = 1\n');
  const settings = Object.fromEntries(
    Object.entries(SETTINGS).map(([name, setting]) => [name, setting.default]),
  ) as unknown as Settings;
  const shelf = executorRegistry(paths, env, { settings: () => settings });
  const all = await shelf.all();
  expect([...all.keys()]).toEqual(['here', 'fleet.shell', 'acp']);
  for (const name of ['here', 'fleet.shell', 'acp', 'gone', 'broken', 'claude', 'scripted', 'nobody'])
    expect(await shelf.startable(name), name).toBe(all.get(name));
  await rm(join(paths.executors, 'here.toml'));
  expect(await shelf.startable('here')).toBeUndefined();
});
